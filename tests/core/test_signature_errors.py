"""Calls with unknown, missing, doubled or too many arguments: a TypeError that names what was
called as the user wrote it, the argument, and how it is called. One from a user's code stays.
"""

import inspect

import numpy as np
import pytest

import sporax
from sporax import amp, initializers, mint, nn, ops
from sporax import numpy as mnp
from sporax._src.core.tensor import Tensor
from sporax.ops.declare import FUNCTIONS, MINT, NUMPY, PRIMITIVES

X = Tensor(np.ones((2, 3), np.float32))


class Net(nn.Cell):
    def construct(self, x, scale=1):
        return x * scale


def adam(*args, **kwargs):
    return nn.Adam([sporax.Parameter(Tensor([1.0]), name="w")], *args, **kwargs)


DIM = "a keyword argument must be one of its parameters, but got 'dim'. Did you mean 'axis'?"
# what is called: (the call, what its error begins with, how it says that it is called)
CALLS = {
    "softmax(dim=)": (
        lambda: ops.softmax(X, dim=1), f"For 'softmax', {DIM}",
        "softmax(input, axis=-1, *, dtype=None)",
    ),
    "softmax()": (
        lambda: ops.softmax(), "For 'softmax', 'input' must be given, but got no arguments.",
        "softmax(input, axis=-1, *, dtype=None)",
    ),
    "softmax(5)": (
        lambda: ops.softmax(X, 1, 2, 3, 4),
        "For 'softmax', there must be at most 2 arguments by position, but got 5.",
        "softmax(input, axis=-1, *, dtype=None)",
    ),
    "matmul(x)": (
        lambda: ops.matmul(X), "For 'matmul', 'other' must be given, but got 'input' only.",
        "matmul(input, other)",
    ),
    "hstack(dim=)": (
        lambda: ops.hstack((X, X), tensor=X),
        "For 'hstack', a keyword argument must be one of its parameters, but got 'tensor'. "
        "Did you mean 'tensors'?", "hstack(tensors)",
    ),
    "Softmax(dim=)": (lambda: ops.Softmax(dim=1), f"For 'Softmax', {DIM}", "Softmax(axis=-1)"),
    "Softmax()()": (
        lambda: ops.Softmax()(), "For 'Softmax()', 'input' must be given", "Softmax()(input)",
    ),
    "Tensor.abs(1)": (
        lambda: X.abs(1), "For 'Tensor.abs', there must be no arguments by position, but got 1.",
        "abs()",
    ),
    "Tensor(dtyp=)": (
        lambda: Tensor(1.0, dtyp=None), "For 'Tensor', a keyword argument must be one of its "
        "parameters, but got 'dtyp'. Did you mean 'dtype'?", "Tensor(input_data=None, dtype=None",
    ),
    "mint.sum(axis=)": (
        lambda: mint.sum(X, axis=1), "For 'mint.sum', a keyword argument must be one of its "
        "parameters, but got 'axis'. Did you mean 'dim'?", "sum(input, dim=None, keepdim=False",
    ),
    "numpy.sum(dim=)": (lambda: mnp.sum(X, dim=1), f"For 'numpy.sum', {DIM}", "sum(a, axis=None"),
    "grad(positions=)": (
        lambda: ops.grad(Net(), positions=0), "For 'grad', a keyword argument must be one of its "
        "parameters, but got 'positions'. Did you mean 'grad_position'?", "grad(fn, grad_position",
    ),
    "Dense(bias=)": (
        lambda: nn.Dense(3, 4, bias=True), "For 'Dense', a keyword argument must be one of its "
        "parameters, but got 'bias'. Did you mean 'has_bias'?", "Dense(in_channels, out_channels",
    ),
    "Dense(in_channels twice)": (
        lambda: nn.Dense(3, 4, in_channels=3),
        "For 'Dense', 'in_channels' must be given once, but got it by position and by name. Leave "
        "one of them out.", "Dense(in_channels, out_channels",
    ),
    "Conv2d": (
        lambda: nn.Conv2d(3, 4), "For 'Conv2d', 'kernel_size' must be given, but got "
        "'in_channels', 'out_channels' only.", "Conv2d(in_channels",
    ),
    "ReLU(True)": (
        lambda: nn.ReLU(True), "For 'ReLU', there must be no arguments by position", "ReLU()",
    ),
    "Dense()()": (lambda: nn.Dense(3, 4)(), "For 'Dense', 'x' must be given", "Dense(x)"),
    "Net(x, 1, 2)": (
        lambda: Net()(X, 1, 2), "For 'Net', there must be at most 2 arguments by position, but "
        "got 3.", "Net(x, scale=1)",
    ),
    "Net(foo=)": (lambda: Net(wrong=1), "For 'Net', a keyword argument must", "Net(auto_prefix="),
    "Adam()": (lambda: nn.Adam(), "For 'Adam', 'params' must be given", "Adam(params"),
    "Adam()()": (lambda: adam()(), "For 'Adam', 'gradients' must be given", "Adam(gradients)"),
    "ExponentialDecayLR": (
        lambda: nn.ExponentialDecayLR(0.1, 0.9), "For 'ExponentialDecayLR', 'decay_steps' must",
        "ExponentialDecayLR(learning_rate",
    ),
    "piecewise_constant_lr": (
        lambda: nn.piecewise_constant_lr([1]), "For 'piecewise_constant_lr', 'learning_rates'",
        "piecewise_constant_lr(milestone",
    ),
    "Accuracy": (
        lambda: sporax.Accuracy(foo=1), "For 'Accuracy', a keyword argument must", "Accuracy(eval_",
    ),
    "Normal": (
        lambda: initializers.Normal(sigm=1), "For 'Normal', a keyword argument must be one of its "
        "parameters, but got 'sigm'. Did you mean 'sigma'?", "Normal(sigma=0.01",
    ),
    "Parameter": (
        lambda: sporax.Parameter(), "For 'Parameter', 'default_input' must", "Parameter(default_",
    ),
    "DynamicLossScaleManager": (
        lambda: amp.DynamicLossScaleManager(1, 2, 3, 4), "For 'DynamicLossScaleManager', there",
        "DynamicLossScaleManager(init_loss_scale=",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_does_not_fit_is_refused_by_name_and_shown_how_to_be(name):
    call, begins, called = CALLS[name]
    with pytest.raises(TypeError) as caught:
        call()
    text = str(caught.value)
    assert text.startswith(begins), text
    assert f"It is called as {called}" in text


def test_every_face_refuses_an_unknown_keyword_in_its_own_name():
    faces = [*FUNCTIONS.items(), *vars(Tensor).items(), *PRIMITIVES.items()]
    faces += [(f"mint.{n}", f) for n, f in MINT.items()]
    faces += [(f"numpy.{n}", getattr(mnp, n)) for n in NUMPY]
    declared = [(n, f) for n, f in faces if hasattr(f, "declaration") and n[0] != "_"]
    declared.remove(("ComplexAbs", PRIMITIVES["ComplexAbs"]))  # which is Abs in all but its name
    declared.remove(("einsum_ext", FUNCTIONS["einsum_ext"]))  # which is mint.einsum itself
    assert len(declared) > 1000
    for name, face in declared:
        parameters = inspect.signature(face).parameters.values()
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            continue
        needed = [X for p in parameters if p.default is p.empty]
        with pytest.raises(TypeError, match=r"^For '.*', a keyword .*'wrongly_named'") as caught:
            face(*needed, wrongly_named=1)
        assert str(caught.value).split("'")[1].rpartition(".")[2] == name.rpartition(".")[2]


@pytest.mark.parametrize("mode", [sporax.GRAPH_MODE, sporax.PYNATIVE_MODE])
def test_a_cells_call_is_refused_in_both_modes_and_under_a_derivative(mode):
    net = nn.Dense(3, 4)
    sporax.set_context(mode=mode)
    try:
        for call in (net, sporax.jit(net), ops.grad(net), sporax.value_and_grad(net, 0)):
            with pytest.raises(TypeError, match=r"For 'Dense', .* called as Dense\(x\)"):
                call(X, X)
    finally:
        sporax.set_context(mode=sporax.PYNATIVE_MODE)


def test_an_error_of_the_users_own_code_stays_as_it_is():
    class Wrong(nn.Cell):
        def construct(self, x):
            return self.part(x, 3)

        def part(self, x):
            return x

    class Called(nn.Cell):
        def construct(self, x):
            return len(3)

    for net, words in ((Wrong(), r"part\(\) takes 2 positional"), (Called(), "has no len")):
        with pytest.raises(TypeError, match=words):
            net(X)


def test_adam_says_which_keyword_was_meant():
    with pytest.raises(KeyError, match=r"but got lr\. Did you mean learning_rate\?"):
        adam(lr=0.1)


def test_signatures_and_pickles_of_functions_are_as_before():
    import pickle

    assert str(inspect.signature(ops.softmax)) == "(input, axis=-1, *, dtype=None)"
    assert str(inspect.signature(ops.Softmax)) == "(axis=-1)"
    assert str(inspect.signature(nn.ReLU)) == "()"
    assert pickle.loads(pickle.dumps(ops.softmax)) is ops.softmax


def test_pythons_words_are_read_as_a_rule_and_an_operations_own_are_not():
    with pytest.raises(TypeError, match=r"'shape' must be an int or a tuple of ints, but got 1\.5"):
        ops.reshape(X, 1.5)  # 'float' object is not iterable
    with pytest.raises(ValueError, match="'input' must be of real numbers, but is complex64"):
        ops.rfft(ops.ones(3, sporax.complex64))
