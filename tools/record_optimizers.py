"""Record twenty steps of every optimizer, and the schedules: run it under MindSpore 2.10.

    python tools/record_optimizers.py

It writes tests/recorded/optimizers.npz: for each case of `CASES` the parameters after every step
and the state after the last one; and tests/recorded/optimizers.json: the schedules' values, names.
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import mindspore  # noqa: E402
import numpy as np  # noqa: E402
from mindspore import Parameter, Tensor, nn  # noqa: E402
from mindspore.experimental import optim  # noqa: E402

from tests.optim.optimizer_cases import (  # noqa: E402
    CASES,
    LISTS,
    SCHEDULES,
    STEPS,
    Kit,
    run,
    scheduler_rates,
)


def main():
    mindspore.set_context(pynative_synchronize=True)
    kit = Kit(nn, Tensor, Parameter, optim)
    arrays, names = {}, {}
    for case in CASES:
        history, state = run(kit, case)
        arrays[case.name] = np.stack(history).astype(np.float32)
        names[case.name] = list(state)
        arrays[f"{case.name}/state"] = np.concatenate([a.ravel() for a in state.values()])
    schedules = {
        name: [float(make(nn)(Tensor(i, mindspore.int32)).asnumpy()) for i in range(STEPS)]
        for name, make in SCHEDULES.items()
    }
    lists = {name: make(nn) for name, make in LISTS.items()}
    folder = ROOT / "tests" / "recorded"
    folder.mkdir(exist_ok=True)
    np.savez_compressed(folder / "optimizers.npz", **arrays)
    found = {"names": names, "schedules": schedules, "lists": lists}
    text = json.dumps(found | {"schedulers": scheduler_rates(kit)}, indent=1)
    (folder / "optimizers.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
