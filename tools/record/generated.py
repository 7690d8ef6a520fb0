"""MindSpore's outcomes for the checks of `tests/programs/generated`.

By area and label a checksum of the check's source, and the outcome. Checks without a MindSpore
kernel, or that raise in only one of two runs, are not compared.
"""

import tempfile
from pathlib import Path

from tests import records
from tests.programs import generated as areas_of
from tools.record.children import ask


def generated(pythons, *areas):
    """Return the record, with the areas recorded anew, by default all."""
    known = records.read("generated") if areas else {}
    for area in areas or areas_of.AREAS:
        checks = areas_of.of_area(area)
        outcomes = _settled(pythons["mindspore"], list(checks.values()))
        missing = [one for one in outcomes if one in (["no kernel"], ["no answer"])]
        print(f"{area}: {len(checks)} checks, {len(missing)} without an answer", flush=True)
        pairs = zip(checks.items(), outcomes, strict=True)
        known[area] = {label: [areas_of.check(source), one] for (label, source), one in pairs}
    return {"generated.json": {name: known[name] for name in areas_of.AREAS if name in known}}


def outcome_of(path):
    """Under MindSpore: return a function that runs a check of a script by number."""
    import mindspore as ms

    from tests.programs.generated import outcomes

    ms.set_context(pynative_synchronize=True)
    module = outcomes.load(Path(path))
    return lambda number: outcomes.outcome(getattr(module, f"check_{number}"))


def _asked(python, sources):
    """An outcome for each source."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "script.py")
        path.write_text(areas_of.script(sources), "utf8")
        numbers = range(len(sources))
        return ask(python, "tools.record.generated:outcome_of", numbers, ["no answer"], path)


def _settled(python, sources):
    """Outcomes on which two runs agree: an error may be a delayed error of an earlier check."""
    outcomes = _asked(python, sources)
    refused = [
        at for at, one in enumerate(outcomes) if isinstance(one, list) and one[:1] == ["raises"]
    ][::-1]
    again = _asked(python, [sources[at] for at in refused])
    for at, one in zip(refused, again, strict=True):
        if not isinstance(one, list) or outcomes[at][:2] != one[:2]:
            outcomes[at] = ["no answer"]
    return outcomes
