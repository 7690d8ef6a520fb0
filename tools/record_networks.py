"""Record results and training of the networks in tests/programs/networks under MindSpore 2.10.

    python tools/record_networks.py [NAME ...]        # with MindSpore installed

Writes tests/recorded/networks.json; with names, records only these again.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.programs.network_runs import NAMES, everything

TARGET = Path(__file__).parents[1] / "tests" / "recorded" / "networks.json"


def rounded(results):
    """Round to seven digits, the precision of float32."""
    if isinstance(results, float):
        return float(f"{results:.7g}")
    if isinstance(results, list):
        return [rounded(item) for item in results]
    return results


def recorded(name):
    return {key: rounded(value) for key, value in everything(name).items()}


if __name__ == "__main__":
    results = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    for name in sys.argv[1:] or NAMES:
        results[name] = recorded(name)
        print(name, results[name]["losses"], flush=True)
    lines = [f"{json.dumps(name)}: {json.dumps(results[name])}" for name in sorted(results)]
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
