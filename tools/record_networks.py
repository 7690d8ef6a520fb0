"""Record what the networks of tests/programs/networks compute and learn under MindSpore 2.10.

    python tools/record_networks.py [NAME ...]        # with MindSpore installed

Writes tests/recorded/networks.json; with names, records only these anew.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.programs.network_runs import NAMES, everything

TARGET = Path(__file__).parents[1] / "tests" / "recorded" / "networks.json"


def rounded(found):
    """Seven digits are what float32 holds."""
    if isinstance(found, float):
        return float(f"{found:.7g}")
    if isinstance(found, list):
        return [rounded(item) for item in found]
    return found


def recorded(name):
    return {key: rounded(value) for key, value in everything(name).items()}


if __name__ == "__main__":
    found = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    for name in sys.argv[1:] or NAMES:
        found[name] = recorded(name)
        print(name, found[name]["losses"], flush=True)
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found)]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
