"""Record PyTorch's results: the network runs that tests/migrate compares Cells with, and the output
in `docs/from_pytorch.md`. Run it with a Python that has PyTorch and sporax (`make test-migrate`
sets one up in .venvs/migrate)."""

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from sporax import migrate  # noqa: E402
from tests.migrate import pytorch_page  # noqa: E402
from tests.migrate.torch_networks import NETWORKS, network  # noqa: E402


def record_page():
    """Record the output of the PyTorch blocks, and the weights that the first block saves."""
    page = pytorch_page.PAGE
    text = page.read_text("utf8")
    found = pytorch_page.items(text)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        printed = pytorch_page.outcomes(found, 0)
        for result in printed:
            if isinstance(result, Exception):
                raise result
        shutil.copy("start.pth", page.with_suffix(""))
    page.write_text(pytorch_page.with_outputs(text, found, printed), "utf8")


def main():
    folder = ROOT / "tests" / "recorded" / "migrate"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in NETWORKS:
        module, inputs = network(name)
        migrate.record(module, inputs).save(folder / f"{name}.npz")
    record_page()


if __name__ == "__main__":
    main()
