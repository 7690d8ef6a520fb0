"""Record what MindSpore returns for `tests/nn/cell_cases`, `tests/autodiff/grad_cases.py` and
`tests/autodiff/transform_cases.py`, and what the scripts of `tests/programs/scripts` print.

Run under MindSpore 2.10: `python tools/record_cells.py [cells|grad|transforms|documents]`.
"""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import mindspore
from mindspore import nn, ops

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def namespace():
    return SimpleNamespace(
        nn=nn, ops=ops, Tensor=mindspore.Tensor, Parameter=mindspore.Parameter,
        ParameterTuple=mindspore.ParameterTuple, grad=mindspore.grad, jit=mindspore.jit,
        value_and_grad=mindspore.value_and_grad, get_grad=mindspore.get_grad,
        dtype=mindspore.dtype, init=mindspore.common.initializer,
        vmap=mindspore.vmap, jvp=mindspore.jvp, vjp=mindspore.vjp,
        jacfwd=mindspore.jacfwd, jacrev=mindspore.jacrev,
    )  # fmt: skip


def write(topic, answers):
    target = ROOT / "tests" / "recorded" / f"{topic}.json"
    target.parent.mkdir(exist_ok=True)
    rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items())
    target.write_text("{\n" + rows + "\n}\n", encoding="utf-8")


def record(topic, cases, answer):
    ms = namespace()
    write(topic, {name: answer(question, ms) for name, question in cases.items()})


def printed(script):
    """The output lines of a script, run separately."""
    script, *options = script.split()
    command = [sys.executable, str(ROOT / "tests" / "programs" / "scripts" / script), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


if __name__ == "__main__":
    mindspore.set_context(pynative_synchronize=True)
    wanted = sys.argv[1:] or ["cells", "grad", "transforms", "documents"]
    if "cells" in wanted:
        from tests.nn import cell_cases

        record("cells", cell_cases.CASES, cell_cases.result_or_error)
    if "grad" in wanted:
        from tests.autodiff import grad_cases

        record("cells_grad", grad_cases.CASES, grad_cases.evaluate)
    if "transforms" in wanted:
        from tests.autodiff import grad_cases, transform_cases

        record("cells_transforms", transform_cases.CASES, grad_cases.evaluate)
    if "documents" in wanted:
        scripts = [
            "cells_and_parameters.py", "functional_differentiation.py", "grad_operation.py",
            "hooks.py", "migration_networks.py", "numpy_in_a_network.py",
            "numpy_in_a_network.py --again", "parameters.py",
        ]  # fmt: skip
        write("cells_documents", {name: printed(name) for name in scripts})
