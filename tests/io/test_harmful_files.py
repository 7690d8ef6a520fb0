"""Files made to do harm: nothing in them runs or takes much memory; there is one clear error."""

import dataclasses
import hashlib
import hmac
import os
import re
import shutil

import pytest

import sporax as ms
from sporax._src.runtime.compilation_cache import user_key
from sporax._src.runtime.compilation_cache.folder import Folder
from tests.io.harmful_files import CHECKPOINT, HARMFUL, MARK, OUT, PICKLE


def changed(folder, files):
    for name, change in files.items():
        path = folder / name
        assert path.is_file(), sorted(str(p) for p in folder.rglob("*"))
        if callable(change):
            intact = path.read_bytes()
            change = change(intact, path) if "link" in change.__qualname__ else change(intact)
        if change is not None:
            path.write_bytes(change)


@pytest.mark.parametrize("name", HARMFUL)
def test_a_harmful_file_is_refused(name, timer, tmp_path):
    from tests.fuzz import loaders, worker

    kind, files, words = HARMFUL[name]
    loader, said = loaders.LOADERS[kind], []
    loader.write(tmp_path)
    changed(tmp_path, files)

    def load(folder):
        try:
            loader.load(folder)
        except Exception as error:
            said.append(str(error))
            raise

    outcome, detail = worker.run_case(
        dataclasses.replace(loader, load=load, seconds=60.0), tmp_path
    )
    assert outcome == ("loaded" if words is None else "refused"), detail
    assert words is None or re.search(words, said[0]), said[0]
    assert not os.path.exists(MARK) and not os.path.exists(f"/{OUT.lstrip('./')}")


# links and the cache ------------------------------------------------------------------------------


def test_a_checkpoint_is_not_written_through_a_link(tmp_path):
    other, net = tmp_path / "other.txt", ms.nn.Dense(2, 3)
    folder = tmp_path / "there"
    ms.train.Checkpointer(folder, network=net).save(step=3)
    (folder / CHECKPOINT).unlink()
    other.write_text("mine")
    (folder / CHECKPOINT).symlink_to(other)
    ms.train.Checkpointer(folder, network=net).save(step=3)
    assert other.read_text() == "mine" and not (folder / CHECKPOINT).is_symlink()
    assert ms.train.Checkpointer(folder, network=net).restore() is not None


def of_another_key(name, content):
    total = hmac.new(bytes(32), digestmod=hashlib.sha256)
    for part in (name.encode(), content):
        total.update(len(part).to_bytes(8, "little") + part)
    return total.digest() + content


ENTRIES = {
    "a pickle": lambda own, path: path.write_bytes(PICKLE),
    "no code": lambda own, path: path.write_bytes(bytes(user_key.SIZE) + PICKLE),
    "another key": lambda own, path: path.write_bytes(of_another_key(path.name, PICKLE)),
    "another program's": lambda own, path: shutil.copy(own, path),
    "a link": lambda own, path: own.symlink_to(own.rename(own.with_name("x"))),
    "a device": lambda own, path: path.symlink_to("/dev/zero"),
    "a folder": lambda own, path: path.mkdir(),
    "a pipe": lambda own, path: os.mkfifo(path),
    "nothing": lambda own, path: path.write_bytes(b""),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
def test_a_program_that_somebody_put_into_the_cache_is_not_taken(name, tmp_path):
    tmp_path.chmod(0o700)
    cache = Folder(tmp_path)
    cache.put("own", b"program")
    (own,) = tmp_path.glob("*.program")
    ENTRIES[name](own, own.with_name(own.name.replace("own", "other")))
    assert cache.get("own" if name == "a link" else "other") is None and not os.path.exists(MARK)


def test_a_cache_that_is_a_link_to_a_folder_of_others_is_not_used(tmp_path):
    there, link = tmp_path / "there", tmp_path / "cache"
    there.mkdir()
    there.chmod(0o777)
    link.symlink_to(there)
    with pytest.warns(RuntimeWarning, match="others can write in"):
        Folder(link).put("key", b"program")
    assert not [*there.iterdir()]
