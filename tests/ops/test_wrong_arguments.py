"""Public calls with one wrong argument at a time (`tests/wrong_arguments`): each is accepted, or
refused in the one voice. No error of JAX, and none of Python from within, reaches the caller.
"""

import jax.numpy as jnp
import numpy as np
import pytest

import sporax
from sporax import initializers, nn, ops, optim
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.initializers import initializer
from sporax._src.runtime.engine.recorder import Recorder, run_pending
from tests.wrong_arguments import judge, sweep, valid_calls

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # NumPy's, where a complex number becomes a real one
    pytest.mark.skipif(Recorder.immediate, reason="the rules are the same"),
    pytest.mark.usefixtures("on_numpy"),
]
QUICK = {"operations": 40, "layers": 40, "optimizers": 40, "transforms": 60}
WHOLE = dict.fromkeys(valid_calls.CLASSES, 3_000)


def leaks(kind, count):
    ends = [(str(call), *sweep.outcome(call)) for call in sweep.sample(kind, count)]
    assert len(ends) >= count / 2
    return [end for end in ends if end[1] == "leaks"]


@pytest.mark.parametrize("kind", QUICK)
def test_wrong_arguments(kind):
    assert not leaks(kind, QUICK[kind])


@pytest.mark.slow
@pytest.mark.parametrize("kind", WHOLE)
def test_many_wrong_arguments(kind):
    assert not leaks(kind, WHOLE[kind])


def raised(call):
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


def said_by_jax():
    try:
        jnp.zeros((2, 3)) @ jnp.zeros((4, 5))
    except TypeError as error:
        raise TypeError(f"For 'matmul', 'x' must fit, but got 3. {error}") from None


def fail(error):
    raise error


# what an error says -> the judge's verdict; None: it teaches
VERDICTS = {
    "ours": (lambda: ops.softmax(ops.ones((2, 3)), "a"), None),
    "a keyword": (lambda: ops.softmax(ops.ones((2, 3)), dim=1), None),
    "an argument twice": (lambda: ops.softmax(1, -1, axis=1), None),
    "JAX's": (lambda: jnp.zeros((2, 3)) @ jnp.zeros((4, 5)), "no operation named"),
    "JAX's behind a head": (said_by_jax, "words from below: dot_general"),
    "of an array": (lambda: fail(ValueError("For 'f', 'x' must be ShapedArray, but got 1")),
                    "words from below: ShapedArray"),
    "of NumPy's, repeated": (lambda: repeated("For 'f', 'x' must fit, but got: {}"),
                             "words from below: array split does not result in an equal division"),
    "from within": (lambda: None.shape, "a AttributeError"),
    "without an argument": (lambda: fail(ValueError("For 'f', must fit, but got 3")),
                            "no argument named"),
    "without a rule": (lambda: fail(ValueError("For 'f', 'x' is bad, but got 3")), "no rule named"),
    "without what came": (lambda: fail(ValueError("For 'f', 'x' must be an int.")),
                          "no what came named"),
    "after the memory": (lambda: fail(MemoryError("For 'f', 'x' must be small, but got 3")),
                         "it was found when memory was asked for"),
    "raised elsewhere": (lambda: fail(ValueError("For 'f', 'x' must be an int, but got 3")),
                         "raised at "),
}  # fmt: skip


def repeated(words):
    try:
        np.array_split  # noqa: B018
        np.split(np.arange(3), 2)
    except ValueError as error:
        raise ValueError(words.format(error)) from None


@pytest.mark.parametrize("what", VERDICTS)
def test_the_judge(what):
    call, verdict = VERDICTS[what]
    found = judge.fault(raised(call))
    assert found == verdict if verdict is None else found.startswith(verdict)


def leak(function, options):
    """What is wrong with the error that a call raises; None if nothing is, or there is none."""
    try:
        function(**options)
    except Exception as error:  # noqa: BLE001 - it is what is looked at
        return judge.fault(error)
    finally:
        run_pending()
    return None


HUGE = 10**12
ALLOCATING = {
    "zeros": lambda: ops.zeros((HUGE,)), "ones": lambda: ops.ones(HUGE, sporax.int8),
    "eye": lambda: ops.eye(HUGE), "arange": lambda: ops.arange(HUGE),
    "full": lambda: ops.full((10**6, 10**6), 1.0), "tile": lambda: ops.tile(ROWS, (HUGE, 1)),
    "broadcast_to": lambda: ops.broadcast_to(Tensor([1.0]), (HUGE,)),
    "one_hot": lambda: ops.one_hot(Tensor([1]), HUGE), "pad": lambda: ops.pad(ROWS, (HUGE, 0)),
    "Dense": lambda: nn.Dense(HUGE, 4), "numpy.ones": lambda: sporax.numpy.ones(HUGE),
    "numpy.arange": lambda: sporax.numpy.arange(HUGE), "Tensor": lambda: initializer("ones", HUGE),
    "nn.Upsample": lambda: nn.Upsample((HUGE, HUGE))(ops.ones((1, 1, 2, 2))),
    "random": lambda: ops.standard_normal((HUGE,)), "repeat": lambda: ROWS.repeat(HUGE),
    "pool": lambda: nn.AdaptiveAvgPool1d(HUGE)(ops.ones((1, 2, 7))),
    "pool, an axis kept": lambda: nn.AdaptiveAvgPool3d((HUGE, None, 2))(ops.ones((1, 2, 4, 5, 4))),
    "tril_indices": lambda: ops.TrilIndices(4, HUGE)(), "window": lambda: ops.hann_window(HUGE),
    "dilation": lambda: ops.Dilation2D((2, 1), HUGE, "SAME")(IMAGES, ops.ones((2, 2, 3))),
    "repeat_elements": lambda: ops.repeat_elements(ROWS, (1, 0, HUGE), 1),
    "layers": lambda: nn.LSTM(3, 4, num_layers=HUGE),
    "stft": lambda: ops.stft(ops.ones((12,)), HUGE),
    "polyint": lambda: sporax.numpy.polyint([1.0], HUGE),
    "numpy.triu_indices": lambda: sporax.numpy.triu_indices(HUGE, 1, 4),
    "rates": lambda: nn.cosine_decay_lr(0.0, 0.1, HUGE, 1, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", ALLOCATING)
def test_a_huge_result_is_refused_before_memory_is_asked_for(name):
    with (
        pytest.raises(ValueError, match=r"must fit into memory, but got the shape .* Give smaller"),
        sweep.bounded(),
    ):
        sweep.settle(ALLOCATING[name]())


IMAGES, WEIGHT, ROWS = ops.ones((1, 2, 4, 4)), ops.ones((2, 2, 1, 1)), ops.ones((2, 3))

# what a function written in operations says of something else in the place of its Tensors
COMPOSITES = {
    "hstack": lambda: ops.hstack("wrong"),
    "interpolate": lambda: ops.interpolate(None, 2),
    "dropout1d": lambda: ops.dropout1d({}),
    "shuffle": lambda: ops.shuffle(Tensor([1.0, 2.0]), seed="wrong"),
    "view_as": lambda: Tensor([1.0]).view_as("wrong"),
    "tril_indices": lambda: ops.TriuIndices(4, 3, 2j)(),
    "UpdateState": lambda: ops.UpdateState()(1, strange=3),
    "UpdateState's constructor": lambda: ops.UpdateState(strange=3),
    "max pooling": lambda: ops.MaxPoolWithArgmax((HUGE, 1), 1, "same")(IMAGES),
    "StopGradient": lambda: ops.StopGradient()(),
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
        ValueError, "For 'HeNormal', .*'mode' must be one of .'fan_in', 'fan_out'",
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


def test_triangles_beyond_the_matrix():
    assert ops.TriuIndices(5, 4, 2**70)().shape == ops.TrilIndices(5, 4, -(2**70))().shape == (2, 0)
    assert (
        ops.TriuIndices(5, 4, -(2**70))().shape == ops.TrilIndices(5, 4, 2**70)().shape == (2, 20)
    )


def test_differences_taken_more_often_than_there_are_elements():
    assert ops.diff(Tensor([1.0, 4.0, 9.0]), HUGE).shape == (0,)
    assert sporax.numpy.diff(ROWS, HUGE, 0, append=ROWS).shape == (0, 3)
