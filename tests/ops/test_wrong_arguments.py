"""Every declared operation with one wrong argument at a time: it takes it, or refuses it in the one
voice. No error of JAX, and none of Python from within, reaches the caller.
"""

import inspect
import traceback
from pathlib import Path

import numpy as np
import pytest

import sporax
from sporax import initializers, nn, ops, optim
from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.engine.recorder import Recorder, run_pending
from sporax.initializers import initializer
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
    args = [] if sample.names else [tuple(tensors)] if sample.packed else tensors
    bound = inspect.signature(function).bind(*args, **named, **sample.attrs)
    bound.apply_defaults()
    return function, bound.arguments


def wrong(value):
    """(what it is, it) for what may stand wrongly in the place of a value."""
    if isinstance(value, Tensor):
        return [(what, make(value)) for what, make in OPERANDS.items()]
    result = [(repr(other), other) for other in ATTRIBUTES]
    if isinstance(value, tuple) and value and isinstance(value[0], Tensor):
        result += [(what, (make(value[0]), *value[1:])) for what, make in OPERANDS.items()]
    return result


def leak(function, options):
    """What is wrong with the error that a call raises; None if nothing is, or there is none."""
    try:
        function(**options)
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
    function, options = sample_call(name)
    result = {
        f"{parameter}: {what}": leak(function, {**options, parameter: other})
        for parameter, value in options.items()
        for what, other in wrong(value)
    }
    assert not {where: what for where, what in result.items() if what is not None}


IMAGES, WEIGHT, ROWS = ops.ones((1, 2, 4, 4)), ops.ones((2, 2, 1, 1)), ops.ones((2, 3))

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


@pytest.mark.parametrize("axis", [True, False, "1", ("a",)])
def test_an_axis_is_an_int_even_where_1_was_one_before(axis):
    x = Tensor(np.ones((2, 3), np.float32))
    for call in (ops.softmax, ops.sum, ops.cumsum, ops.argmax, ops.expand_dims, sporax.numpy.sum):
        if isinstance(axis, bool):  # under the key of which others would be found
            call(x, int(axis))
        with pytest.raises(TypeError, match=r"'(axis|dim)' must be an int.*, but got "):
            call(x, axis)
    if isinstance(axis, bool):
        with pytest.raises(TypeError, match=r"For 'Softmax', 'axis' must be an int"):
            ops.Softmax(axis=axis)


def test_what_was_refused_is_not_found_for_what_equals_it():
    for call, wrong, right in (
        (ops.eye, 37.0, 37),
        (lambda n: ops.tril(ops.ones((3, 3)), n), 29.0, 29),
        (lambda n: ops.one_hot(Tensor([1]), n, Tensor(1.0), Tensor(0.0)), 41.0, 41),
        (lambda n: ops.conv2d(IMAGES, WEIGHT, groups=n)[0, 0], 1.5, True),  # which is 1 to Python
    ):
        with pytest.raises((TypeError, ValueError), match="For '"):
            call(wrong)
        assert call(right).ndim == 2


# what is refused from within a constructor, a schedule, an optimizer's step or an initializer
MADE = {
    "a dtype": (lambda: nn.Dense(3, 4, dtype={}), TypeError, "'dtype' must be one of"),
    "a size": (lambda: nn.MultiheadAttention("wrong", 2), TypeError, "For 'MultiheadAttention', "),
    "a filter": (lambda: optim.LARS(sgd(), lars_filter="wrong"), TypeError, "For 'LARS', "),
    "a network": (lambda: nn.WithGradCell("wrong"), TypeError, "For 'WithGradCell', "),
    "rates": (lambda: sgd([1.5, "a"]), ValueError, "For 'SGD', "),
    "a gradient": (lambda: sgd()([1.5]), TypeError, "gradient of parameter 'w' must be a Tensor"),
    "a number to fill with": (
        lambda: initializer(initializers.Constant("wrong"), (2,)).init_data(),
        ValueError, "For 'Constant', ",
    ),
    "a deviation": (
        lambda: initializer(initializers.Normal("wrong"), (2,)).init_data(),
        TypeError, "For 'Normal', .*'sigma' 'wrong'",
    ),
    "a mode": (
        lambda: initializer(initializers.HeNormal(mode="wrong"), (2, 2)).init_data(),
        ValueError, "For 'HeNormal', .*'mode' must be one of fan_in, fan_out",
    ),
    "an axis": (
        lambda: ops.mean(ROWS, "rows"), TypeError, "'ReduceMean', 'axis' must be an int or a tuple",
    ),
    "a flag": (
        lambda: ops.mean(ROWS, 1, "no"), TypeError, "'ReduceMean', 'keep_dims' must be a bool, but",
    ),
    "groups": (
        lambda: ops.conv2d(IMAGES, WEIGHT, groups=1.5), TypeError,
        "'groups?' must be an int, but got 1.5",
    ),
    "no tensors to stack": (lambda: ops.stack([]), ValueError, "'Stack', .* at least one Tensor"),
    "no tensors to join": (lambda: ops.cat(()), ValueError, "'Concat', .* at least one Tensor"),
    "a first axis": (
        lambda: nn.Flatten(3)(ops.ones((2, 3))), ValueError, r"'start_dim' must be .*\[-2, 2\).* 3",
    ),
    "the name of no initializer": (
        lambda: Tensor(shape=(2,), dtype=sporax.float32, init="some"), ValueError,
        "'init' must name an initializer, but got 'some'",
    ),
}  # fmt: skip


def sgd(rate=0.1):
    return optim.SGD([Parameter(Tensor([1.0]), name="w")], rate)


@pytest.mark.parametrize("what", MADE)
def test_what_is_made_of_a_wrong_argument_is_refused_too(what):
    make, kind, words = MADE[what]
    assert leak(make, {}) is None
    with pytest.raises(kind, match=words):
        make()


class Mine(initializers.Initializer):
    def _initialize(self, arr):
        raise LookupError("mine")


def broken(x):
    raise LookupError("mine")


@pytest.mark.parametrize("call", [
    lambda: ops.vmap(broken)(ROWS), lambda: ops.grad(broken)(ROWS),
    lambda: initializer(Mine(), (2,)).init_data(),
], ids=["vmap", "grad", "initializer"])  # fmt: skip
def test_an_error_of_the_user_stays_its_own(call):
    with pytest.raises(LookupError, match=r"^mine$"):
        call()
