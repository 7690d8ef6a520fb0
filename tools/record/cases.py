"""Cases of the tests whose results under MindSpore are recorded as they are."""

import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).parents[2]
SCRIPTS = (
    "gan jit_styles lenet model_fit own_optimizer pinn resnet transfer_learning transformer_encoder"
)
DOCUMENTS = [
    "cells_and_parameters.py", "functional_differentiation.py", "grad_operation.py",
    "hooks.py", "migration_networks.py", "numpy_in_a_network.py",
    "numpy_in_a_network.py --again", "parameters.py",
]  # fmt: skip


def cells(ms):
    from tests.nn.cell_cases import CASES, result_or_error

    return {"cells.json": _evaluated(CASES, result_or_error, ms)}


def cells_grad(ms):
    from tests.autodiff.grad_cases import CASES, evaluate

    return {"cells_grad.json": _evaluated(CASES, evaluate, ms)}


def cells_transforms(ms):
    from tests.autodiff.grad_cases import evaluate
    from tests.autodiff.transform_cases import CASES

    return {"cells_transforms.json": _evaluated(CASES, evaluate, ms)}


def _evaluated(cases, evaluate, ms):
    space = SimpleNamespace(**vars(ms), init=ms.common.initializer)
    return {name: evaluate(case, space) for name, case in cases.items()}


def cells_documents(ms):
    return {"cells_documents.json": {name: _printed(name) for name in DOCUMENTS}}


def scripts(ms):
    """Return the output of the scripts in `tests/programs/test_scripts.py`."""
    return {"scripts.json": {f"{name}.py": _printed(f"{name}.py") for name in SCRIPTS.split()}}


def _printed(script):
    """The output lines of a script with options, run separately."""
    script, *options = script.split()
    command = [sys.executable, str(ROOT / "tests" / "programs" / "scripts" / script), *options]
    return subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()


def checks(ms):
    from mindspore import _checkparam

    from tests.compat.check_cases import CASES, evaluate

    return {"checks.json": {case: evaluate(case, _checkparam, ms) for case in CASES}}


def constants(ms):
    from tests.ops.constant_cases import CASES, evaluate

    data = ms.dataset.NumpySlicesDataset
    return {"constants.json": {name: evaluate(case, ms, data) for name, case in CASES.items()}}


def data_rows(ms):
    from tests.data.data_cases import CASES, evaluate

    return {"data_rows.json": {case: evaluate(ms.dataset, case) for case in CASES}}


def float8(ms):
    """Return how tensors are printed and saved; MindSpore computes nothing with them on a CPU."""
    from tests.core.float8_cases import EXPRESSIONS, NAMES, VALUES

    found = {}
    for name in NAMES:
        dtype = getattr(ms, name)
        names = {"ms": ms, "dtype": dtype, "x": ms.Tensor(VALUES, dtype)}
        found[name] = {text: repr(eval(text, dict(names))) for text in EXPRESSIONS}
        ms.save_checkpoint([{"name": "a", "data": ms.Tensor(VALUES, dtype)}], "a.ckpt")
        found[name]["checkpoint"] = Path("a.ckpt").read_bytes().hex()
    return {"float8.json": found}


def flops(ms):
    from tests.train.flops_cases import NETWORKS, steps

    ms.set_context(mode=ms.GRAPH_MODE)
    found = {}
    for name in NETWORKS:
        for kind, (cell, inputs) in steps(name).items():
            cell.set_train(kind == "train")
            cell(*inputs)
            found[f"{name}: {kind}"] = ms.flops_collection(cell.current_phase)
    return {"flops.json": found}


def library_cases(ms):
    from tests.compat.library_cases import CASES, result

    return {"library_cases.json": {name: result(case, ms) for name, case in CASES.items()}}


def metrics(ms):
    from tests.case_results import result_or_error
    from tests.train.metric_cases import CASES

    return {"metrics.json": {name: result_or_error(case, ms) for name, case in CASES.items()}}


def networks(ms, *names):
    """Return results and training of the networks: numbers with seven digits, as of float32."""
    from tests import records
    from tests.programs.network_runs import NAMES, everything

    results = records.read("networks") if names else {}
    for name in names or NAMES:
        results[name] = {key: _rounded(value) for key, value in everything(name).items()}
        print(name, results[name]["losses"], flush=True)
    return {"networks.json": {name: results[name] for name in sorted(results)}}


def _rounded(results):
    if isinstance(results, list):
        return [_rounded(item) for item in results]
    return float(f"{results:.7g}") if isinstance(results, float) else results


def obfuscation(ms):
    from tests.io.obfuscation_cases import CASES, obfuscated

    return {"obfuscation.json": {name: obfuscated(name, _folder()) for name in CASES}}


def rewrite(ms):
    """Return the results of SymbolTree, each as of a fresh process: names are numbered."""
    from mindspore.rewrite.common import namer

    from tests.rewrite import cases

    found = {}
    for question, rows in cases.QUESTIONS:
        for name, edit in rows:
            for kind in (namer.ClassNamer, namer.FunctionNamer):
                kind.instance()._names.clear()
            try:
                found[f"{name}: {edit}"] = question(name, edit)
            except (TypeError, ValueError, RuntimeError, AttributeError) as error:
                traceback.print_exc()
                found[f"{name}: {edit}"] = {"error": type(error).__name__}
    return {"rewrite.json": found}


def seeded(ms):
    """Return the values that initializers draw after a seed."""
    from tests.initializers.seeded_cases import CASES, values

    names = {"ms": ms, "nn": ms.nn, "mint": ms.mint, **vars(ms.common.initializer)}
    results = {}
    for case in CASES:
        ms.set_seed(3)
        results[case] = values(eval(case, names))
    return {"seeded.json": results}


def steps(ms):
    from tests.data.step_cases import CASES

    return {"steps.json": {name: case(ms.dataset, _folder()) for name, case in CASES.items()}}


def _folder():
    return tempfile.mkdtemp(dir=Path.cwd())


def training(ms):
    from tests.amp.amp_cases import AMP
    from tests.case_results import result_or_error
    from tests.data.training_cases import DATA, METRICS

    space = SimpleNamespace(**vars(ms), ds=ms.dataset, transforms=ms.dataset.transforms)
    space.dtype = ms
    results = {}
    for topic, cases in (("data", DATA), ("metrics", METRICS), ("amp", AMP)):
        found = {name: result_or_error(case, space) for name, case in cases.items()}
        plain = str | int | float | list | tuple | dict
        results[topic] = {n: r if isinstance(r, plain) else "no numbers" for n, r in found.items()}
    return {"training.json": results}


def updates(ms):
    """Return, by call, the results and the changed variables."""
    from tests.ops import update_cases

    found = {}
    for call in update_cases.CALLS:
        results, changed = update_cases.run(call, ms, vars(ms.ops.operations))
        arrays = {name: _packed(array) for name, array in changed.items()}
        found[call] = [[_packed(r) for r in results], arrays]
    return {"updates.json": found}


def _packed(array):
    return array.astype("float64").round(7).tolist()
