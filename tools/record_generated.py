"""Record MindSpore 2.10's outcomes for the checks of `tests/programs/generated`.

    python tools/record_generated.py MINDSPORE_PYTHON [AREA ...]

where the interpreter has MindSpore 2.10. Without areas all are recorded. Output:
`tests/recorded/generated.json.gz`: by area and label a checksum of the check's source and
MindSpore's outcome. A check that ends MindSpore's process, or takes longer than a minute, is
recorded as such, and the others continue in a new process. Checks without a MindSpore kernel, or
that raise in only one of two runs, are not compared.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tests.programs import generated  # noqa: E402
from tests.programs.generated import outcomes  # noqa: E402

TARGET = ROOT / "tests" / "recorded" / "generated.json.gz"
LONGEST = 60  # seconds for one check


def answer(path, path_out, start, count):
    """Under MindSpore: print the outcomes from `start` on, one per line."""
    import faulthandler

    import mindspore as ms

    ms.set_context(pynative_synchronize=True)
    module = outcomes.load(Path(path))
    with Path(path_out).open("a", encoding="utf8") as out:
        for number in range(int(start), int(count)):
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            outcome = outcomes.outcome(getattr(module, f"check_{number}"))
            faulthandler.cancel_dump_traceback_later()
            out.write(json.dumps(outcome) + "\n")
            out.flush()


def ask(interpreter, sources):
    """An outcome for each source."""
    with tempfile.TemporaryDirectory() as folder:
        path, results = Path(folder, "script.py"), Path(folder, "found")
        path.write_text(generated.script(sources), encoding="utf8")
        results.touch()
        while True:
            done = results.read_text(encoding="utf8").splitlines()
            if len(done) == len(sources):
                return [json.loads(line) for line in done]
            command = [interpreter, __file__, "--answer", path, results, len(done), len(sources)]
            log = Path(folder, "log")
            with log.open("w") as out:
                subprocess.run(
                    [*map(str, command)], cwd=folder, stdout=out, stderr=out, check=False
                )
            done = results.read_text(encoding="utf8").splitlines()
            if len(done) < len(sources):
                print(log.read_text()[-800:], "ended at:", sources[len(done)], sep="\n")
                with results.open("a", encoding="utf8") as out:
                    out.write('["no answer"]\n')


def settled(interpreter, sources):
    """Outcomes on which two runs agree: an error may be a delayed error of an earlier check."""
    outcomes = ask(interpreter, sources)
    refused = [
        at for at, one in enumerate(outcomes) if isinstance(one, list) and one[:1] == ["raises"]
    ][::-1]
    again = ask(interpreter, [sources[at] for at in refused])
    for at, one in zip(refused, again, strict=True):
        if not isinstance(one, list) or outcomes[at][:2] != one[:2]:
            outcomes[at] = ["no answer"]
    return outcomes


def keep(area, entries):
    known = json.loads(gzip.decompress(TARGET.read_bytes())) if TARGET.exists() else {}
    known[area] = entries
    kept = {name: known[name] for name in generated.AREAS if name in known}
    text = json.dumps(kept, separators=(",", ":")).encode()
    TARGET.write_bytes(gzip.compress(text, mtime=0))


def main(interpreter, *areas):
    for area in areas or generated.AREAS:
        checks = generated.of_area(area)
        outcomes = settled(interpreter, list(checks.values()))
        missing = [one for one in outcomes if one in (["no kernel"], ["no answer"])]
        print(f"{area}: {len(checks)} checks, {len(missing)} without an answer", flush=True)
        pairs = zip(checks.items(), outcomes, strict=True)
        keep(area, {label: [generated.check(source), one] for (label, source), one in pairs})


if __name__ == "__main__":
    answer(*sys.argv[2:]) if sys.argv[1] == "--answer" else main(*sys.argv[1:])
