"""Runs the checks of an area with sporax, and compares them with MindSpore 2.10's results."""

import json
import re
from pathlib import Path
from typing import NamedTuple

from tests import records
from tests.programs import generated
from tests.programs.generated import outcomes
from tests.programs.generated.agreement import NEAR_ENOUGH, OF_AREAS, agree
from tests.programs.generated.explanations import EXPLAINED

ROOT = Path(__file__).parents[3]
RECORDED = records.read("generated")
UNANSWERED = (["no kernel"], ["no answer"])
PATTERNS = [pattern for patterns in EXPLAINED.values() for pattern in patterns]


class Difference(NamedTuple):
    area: str
    label: str
    ours: object
    theirs: object

    def __str__(self):
        return f"{self.area}: {self.label}\n ours: {self.ours}\n MindSpore: {self.theirs}"


class Comparisons(NamedTuple):
    made: int
    alike: int
    unexplained: list
    explanations: set  # patterns of EXPLAINED that were needed


def comparable(area):
    """Return {label: source} of the checks that MindSpore answers."""
    recorded, result = RECORDED[area], {}
    for label, source in generated.of_area(area).items():
        known, expected = recorded.get(label, (None, None))
        assert known == generated.check(source), f"record {area} anew: {label}"
        if expected not in UNANSWERED:
            result[label] = source
    return result


def compared(area, folder, every=1):
    """Compare the checks of an area; `every`: run one of every so many checks."""
    checks = dict(list(comparable(area).items())[::every])
    path = Path(folder, f"script_{area}.py")
    path.write_text(generated.script(checks.values()), encoding="utf8")
    module = outcomes.load(path)
    alike, unexplained, explanations = 0, [], set()
    for number, label in enumerate(checks):
        inputs = outcomes.outcome(getattr(module, f"check_{number}"))
        actual, expected = json.loads(json.dumps(inputs)), RECORDED[area][label][1]
        if agree(actual, expected, OF_AREAS.get(area, NEAR_ENOUGH)):
            alike += 1
            continue
        difference = Difference(area, label, actual, expected)
        fitting = [pattern for pattern in PATTERNS if re.search(pattern, str(difference))]
        explanations.update(fitting)
        if not fitting:
            unexplained.append(difference)
    return Comparisons(len(checks), alike, unexplained, explanations)


def shown(differences):
    return f"{len(differences)}\n" + "\n".join(map(str, differences))


def rows_of_differences():
    """Return the first cells of the tables' rows on the pages `docs/differences/*.md`."""
    pages = (ROOT / "docs" / "differences").glob("*.md")
    lines = [line for page in pages for line in page.read_text(encoding="utf8").splitlines()]
    return {line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")}
