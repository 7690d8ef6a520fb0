"""Every declared operation with one wrong argument at a time: it takes it, or refuses it in the one
voice. No error of JAX, and none of Python from within, reaches the caller.
"""

import inspect
import traceback
from pathlib import Path

import numpy as np
import pytest

import sporax
from sporax import ops
from sporax.core.tensor import Tensor
from sporax.engine.recorder import Recorder, run_pending
from sporax.ops.declare import OPS
from tests.samples import collect

# what JAX and NumPy say where a complex number becomes a real one
pytestmark = pytest.mark.filterwarnings("ignore")

SAMPLES = {sample.op: sample for sample in reversed(collect("SAMPLES"))}
PACKAGE = str(Path(sporax.__file__).parent)
REFUSALS = (TypeError, ValueError, IndexError, RuntimeError)

# what stands in for an operand: other things than a Tensor, other dtypes, ranks and shapes
OPERANDS = {
    "a string": lambda x: "wrong",
    "no dimensions": lambda x: Tensor(np.float32(1)),
    "two more dimensions": lambda x: Tensor(np.ones((*x.shape, 1, 2), np.float32)),
    "other sizes": lambda x: Tensor(np.ones([n + 5 for n in x.shape], np.float32)),
    "complex numbers": lambda x: Tensor(np.ones(x.shape, np.complex64)),
}
ATTRIBUTES = ["wrong", None, {}, ("a", "b"), 1.5, 97, 0]


def sample_call(name):
    """(the function that an operation's first sample calls, its arguments by name)"""
    sample = SAMPLES[name]
    function = getattr(ops, name, None) or OPS[name].face()
    tensors = [Tensor(a) for a in sample.arrays(np.float32)]
    named = dict(zip(sample.names or (), tensors, strict=bool(sample.names)))
    given = [] if sample.names else [tuple(tensors)] if sample.packed else tensors
    bound = inspect.signature(function).bind(*given, **named, **sample.attrs)
    bound.apply_defaults()
    return function, bound.arguments


def wrong(value):
    """(what it is, it) for what may stand wrongly in the place of a value."""
    if isinstance(value, Tensor):
        return [(what, make(value)) for what, make in OPERANDS.items()]
    found = [(repr(other), other) for other in ATTRIBUTES]
    if isinstance(value, tuple) and value and isinstance(value[0], Tensor):
        found += [(what, (make(value[0]), *value[1:])) for what, make in OPERANDS.items()]
    return found


def leak(function, given):
    """What is wrong with the error that a call raises; None if nothing is, or there is none."""
    try:
        function(**given)
    except Exception as error:  # noqa: BLE001 - it is what is looked at
        innermost = traceback.extract_tb(error.__traceback__, -1)[0].filename
        if isinstance(error, REFUSALS) and str(error).startswith("For '"):
            return None if innermost.startswith(PACKAGE) else f"raised in {innermost}"
        return f"{type(error).__name__}: {error}"
    finally:
        run_pending()
    return None


@pytest.mark.skipif(Recorder.immediate, reason="it compiles what is taken; the rules are the same")
@pytest.mark.parametrize("name", OPS)
def test_a_wrong_argument_is_refused_in_one_voice_or_taken(name):
    function, given = sample_call(name)
    found = {
        f"{parameter}: {what}": leak(function, {**given, parameter: other})
        for parameter, value in given.items()
        for what, other in wrong(value)
    }
    assert not {where: what for where, what in found.items() if what is not None}


# what a function written in operations says of something else in the place of its Tensors
COMPOSITES = {
    "hstack": lambda: ops.hstack("wrong"),
    "interpolate": lambda: ops.interpolate(None, 2),
    "dropout1d": lambda: ops.dropout1d({}),
    "shuffle": lambda: ops.shuffle(Tensor([1.0, 2.0]), seed="wrong"),
    "view_as": lambda: Tensor([1.0]).view_as("wrong"),
    "numpy.cov": lambda: sporax.numpy.cov(Tensor([[0.0, 1.0]]), fweights=Tensor([1, 2, 3])),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_functions_of_operations_refuse_too(name):
    assert leak(COMPOSITES[name], {}) is None
    with pytest.raises((TypeError, ValueError), match="must"):
        COMPOSITES[name]()


def test_a_string_is_no_axis_and_no_flag():
    x = Tensor(np.ones((2, 3), np.float32))
    with pytest.raises(TypeError, match=r"For 'ReduceMean', 'axis' must be an int or a tuple"):
        ops.mean(x, "rows")
    with pytest.raises(
        TypeError, match=r"For 'ReduceMean', 'keep_dims' must be a bool, but got 'n"
    ):
        ops.mean(x, 1, "no")


def test_the_errors_of_a_users_function_stay_its_own():
    def broken(x):
        raise KeyError("mine")

    for call in (ops.vmap(broken), ops.grad(broken)):
        with pytest.raises(KeyError, match="mine"):
            call(Tensor([1.0]))
