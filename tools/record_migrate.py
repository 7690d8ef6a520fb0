"""Record the runs of PyTorch's networks that tests/migrate compares Cells with: run it with a
Python that has PyTorch and sporax (`make test-migrate` sets one up in .venvs/migrate)."""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from sporax import migrate  # noqa: E402
from tests.migrate.torch_networks import NETWORKS, network  # noqa: E402


def main():
    folder = ROOT / "tests" / "recorded" / "migrate"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in NETWORKS:
        module, inputs = network(name)
        migrate.record(module, inputs).save(folder / f"{name}.npz")


if __name__ == "__main__":
    main()
