"""Valid calls by class, from the tables of the other tests: {class: {name: `Written`}}."""

import atexit
import contextlib
import shutil
import string
import tempfile
from pathlib import Path

import numpy as np

import sporax as ms
import sporax._src.optim.experimental
import sporax.mint
import sporax.numpy
from sporax import Parameter, Tensor, data, optim
from sporax.ops.declare import OPS
from tests.data import (
    audio_cases,
    data_cases,
    image_set_cases,
    image_set_files,
    sound_cases,
    text_cases,
    text_file_cases,
    vision_cases,
)
from tests.nn import layer_cases, mint_layer_cases, rare_layer_cases
from tests.numpy import numpy_cases
from tests.ops import call_forms, primitive_calls, primitive_cases
from tests.optim import optimizer_cases
from tests.samples import collect
from tests.wrong_arguments import written_calls
from tests.wrong_arguments.written_calls import Written, root, spine

MS, EXPERIMENTAL = root(ms), root(optim.experimental)
MODULES = {"ms": MS, "ops": MS.ops, "mint": MS.mint, "mnp": root(ms.numpy), "nn": MS.nn}


class Namespace:
    """Modules by name, as the cases of data want them."""

    def __init__(self, **modules):
        self.__dict__.update(modules)


def _evaluated(source, scope):
    """Evaluate the source to a `Written`; return None if the result is something else."""
    written = eval(source, scope)
    return written if isinstance(written, Written) else None


def operations():
    result = {}
    for sample in collect("SAMPLES"):
        tensors = [Tensor(a) for a in sample.arrays(np.float32)]
        scope = dict(zip(string.ascii_lowercase, tensors, strict=False))
        for source in call_forms.calls(sample):
            head = source.partition("(")[0]
            if head[1:2] == "." and head[0] in scope:  # a method
                scope[head[0]] = root(scope[head[0]])
            name = f"{source} of {[tuple(t.shape) for t in tensors]}"
            result[name] = _evaluated(source, MODULES | scope)
            if isinstance(scope.get(head[0]), Written):
                scope[head[0]] = tensors[string.ascii_lowercase.index(head[0])]
    assert {s.op for s in collect("SAMPLES")} <= set(OPS)
    return result


def primitives():
    scope = MODULES | {
        "np": np,
        "P": MS.ops,
        "F": MS.ops,
        "T": lambda v, d="i4": Tensor(np.array(v, d)),
    }
    result = {}
    for cases in (primitive_cases, primitive_calls):
        arrays = {name: Tensor(a) for name, a in cases.ARRAYS.items()}
        rows = primitive_cases.calls() if cases is primitive_cases else primitive_calls.CALLS
        for source in rows:
            if source.startswith("P.Reusing"):
                continue  # it returns its argument, whose call is none of sporax's
            result[source] = _tried(source, scope | arrays)
    return result


def _tried(source, scope):
    """As `_evaluated`; None for sources that compute with a `Written`."""
    try:
        return _evaluated(source, scope)
    except (TypeError, AttributeError, ValueError, NotImplementedError):
        return None


def numpy():
    tensors = {name: Tensor(a) for name, a in numpy_cases.ARRAYS.items()}
    rows = [row.partition(" | ")[0] for row in numpy_cases.ROWS]
    return {row: _tried(row, tensors | {"np": MODULES["mnp"]}) for row in rows}


def layers():
    result = {}
    for case in (*layer_cases.CASES, *rare_layer_cases.CASES):
        inputs = [Tensor(a) for a in layer_cases.arrays(case)]
        written = _tried(case.make, MODULES | {"np": np})
        result[case.name] = written and written(*inputs)
    mint = {"nn": MS.mint.nn, "F": MS.mint.nn.functional}
    for make, shape in mint_layer_cases.ROWS:
        written = _tried(make, mint)
        result[f"mint.{make} of {shape}"] = written and written(
            Tensor(mint_layer_cases.numbers(shape))
        )
    for source, shape in mint_layer_cases.CALLS:
        x = Tensor(mint_layer_cases.numbers(shape))
        result[f"mint.{source} of {shape}"] = _tried(source, mint | {"x": x})
    return result


class _Kit:
    """What the cases of optimizers are made of, as written."""

    Tensor, Parameter = Tensor, Parameter
    nn = MS.nn
    experimental = EXPERIMENTAL


def optimizers():
    kit = optimizer_cases.Kit(MS.nn, Tensor, Parameter, EXPERIMENTAL)
    gradients = kit.gradients(0)
    result = {}
    for case in optimizer_cases.CASES:
        if "groups" in case.name or "schedule" in case.name or "changing" in case.name:
            continue
        result[case.name] = case.make(kit, kit.parameters())(gradients)
    for name, make in optimizer_cases.SCHEDULES.items():
        result[f"{name} schedule"] = make(MS.nn)(Tensor(3))
    for name, make in optimizer_cases.LISTS.items():
        result[f"{name} list"] = make(MS.nn)
    for name, make in optimizer_cases.SCHEDULERS.items():
        parameters = [{"params": [p], "lr": 0.5} for p in kit.parameters()[:2]]
        sgd = optim.experimental.SGD(parameters, 0.1)
        result[f"{name} scheduler"] = make(EXPERIMENTAL.lr_scheduler, sgd).step()
    return result


def transforms():
    space = Namespace(vision=root(data.vision), transforms=root(data.transforms),
                      text=root(data.text), ds=root(data), dtype=ms)  # fmt: skip
    result = {}
    for label, cases in (("vision", vision_cases.CASES), ("text", text_cases.CASES)):
        for name, case in cases.items():
            case = case[0] if isinstance(case, tuple) else case
            if "refused" not in name:
                result[f"{label} {name}"] = _recorded(case, space)
    for name, (case, _) in audio_cases.CASES.items():
        result[f"audio {name}"] = _recorded(case, root(data.audio))
    return result


def _recorded(case, space):
    try:
        written = case(space)
    except (TypeError, AttributeError, ValueError, NotImplementedError):
        return None
    while isinstance(written, tuple):
        written = written[0]
    return written if isinstance(written, Written) else None


def _of_a_member(written):
    """Return True if it is a call of a member of a module."""
    return [do for do, _ in spine(written)] == ["root", "get", "call"]


def data_sets():
    space = Namespace(ds=root(data), dtype=ms)
    folder = Path(tempfile.mkdtemp(prefix="wrong_arguments"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    result = {}
    for module, write, cases in _SETS:
        (where := folder / module.__name__).mkdir()
        write(where)
        for name, case in cases.items():
            written_calls.recorded.clear()
            with contextlib.suppress(Exception):  # the case goes on with what is only written
                case(space, where)
            for written in filter(_of_a_member, written_calls.recorded):
                result.setdefault(f"{module.__name__.rpartition('.')[2]} {name}", written)
    kinds = {"ds": space.ds, "Slices": space.ds.NumpySlicesDataset, "np": np}
    kinds |= {"Generator": space.ds.GeneratorDataset, "sampled": data_cases.sampled}
    kinds |= {f.__name__: f for f in (data_cases.array, data_cases.ragged, data_cases.wide)}
    for case in data_cases.CASES:
        result[case] = _tried(case, kinds)
    return result


_SETS = [
    (image_set_cases, image_set_files.write_image_sets, image_set_cases.SETS),
    (sound_cases, sound_cases.write_sounds, sound_cases.SETS),
    (text_file_cases, text_file_cases.write_text_files, text_file_cases.FILES),
]


CLASSES = {
    f.__name__: f
    for f in (operations, primitives, numpy, layers, optimizers, transforms, data_sets)
}


def valid_calls(kind):
    """Return {name: `Written`} of a class."""
    return {name: written for name, written in CLASSES[kind]().items() if written is not None}
