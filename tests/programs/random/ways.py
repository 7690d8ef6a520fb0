"""The ways to run a random program: all give the same results and derivatives."""

import copy
import functools
import linecache
import re
import tempfile
import threading

import numpy as np

import sporax
from sporax import Parameter, Tensor, nn, ops
from tests.programs.random import declared, reference
from tests.programs.random.vocabulary import CONSTANTS, HEAD, INPUTS, values

TOLERANCE = 2e-4  # float32 against float64, of the largest element
PLANNED = "planned"  # in the text of an error that a program raises on purpose
SEED = 5
_CALLS = 2  # of one Cell: its state goes on, and a capture is used again


@functools.cache
def _code(source):
    file = f"<random program {hash(source)}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    return compile(source, file, "exec")


def head(names, own):
    """Return the global names of programs, from one library; `own(array)`: a constant of it."""
    space = {
        **names,
        "CONST": {name: own(values(name, shape)) for name, shape in CONSTANTS.items()},
        "RAMP": names["Tensor"](own(values("ramp", (declared.LARGEST,)))),
        "INDEX": own(np.array([1, 0, 0])),
        "__name__": "random_program",
    }
    exec(_code(HEAD), space)
    return space


def variables():
    """Return the global variables that a program changes."""
    return {"COUNTER": 1, "TALLY": {"calls": 1}}


def _built(program, space, own):
    """Return the Cell of a program, with the names of `head`."""
    given = re.findall(r'GIVEN\["(.*?)"\]', program.source)
    space = {**space, "GIVEN": {name: own(declared.GIVEN[name]) for name in given}, **variables()}
    exec(_code(program.source), space)
    return space["Net"]()


def leaves(result):
    """Return the Tensors of a result, in order."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in leaves(item)]
    return [result]


def arguments(turn):
    """Return the inputs of call `turn`; every call has different ones."""
    return [values(name, shape) * (1 - 0.25 * turn) for name, shape in INPUTS.items()]


def state(net):
    """Return the state of the Cell after the calls."""
    tensors = [net.w0, net.w1, net.kept, net.inner.weight, net.layers[0].weight]
    space = type(net).construct.__globals__
    plain = net.count, net.scale, net.factors, net.table, space["COUNTER"], space["TALLY"]
    return tensors, copy.deepcopy(plain)


# by NumPy -----------------------------------------------------------------------------------------

IN_NUMPY = head(reference.NAMES, np.asarray)


class Raised:
    """An error that a program raises on purpose, as the outcome of a call."""

    def __init__(self, error):
        self.what = type(error).__name__, str(error)


def _histories(call, look):
    """Return [(results of a call, state after it) or Raised]; an error ends the history."""
    history = []
    for turn in range(_CALLS):
        try:
            history.append((call(turn), *look()))
        except Exception as error:
            if PLANNED not in str(error):
                raise
            return [*history, Raised(error)]
    return history


def expected(program):
    """Return [(results of a call, state after it)], by NumPy."""
    sporax.manual_seed(SEED)
    net = _built(program, IN_NUMPY, np.asarray)

    def call(turn):
        results = leaves(net(*map(reference._own, arguments(turn))))
        return [r.array.copy() for r in results]

    def look():
        tensors, plain = state(net)
        return [*[t.array.copy() for t in tensors], sporax.get_rng_state().asnumpy()], plain

    return _histories(call, look)


def writes_state(program):
    """Return True if a call changes the state of the Cell or its arguments."""
    net = _built(program, IN_NUMPY, np.asarray)
    inputs = [reference._own(x) for x in arguments(0)]

    tensors, plain = state(net)
    reference.written.clear()
    try:
        net(*inputs)
    except (ValueError, AssertionError, reference.Uncertain):
        return True
    after, others = state(net)
    held = [reference.memory(x.array) for x in (*tensors, *inputs)]
    is_written = any(x is y for x in held for y in reference.written)
    return (
        is_written
        or plain != others
        or any(x is not y for x, y in zip(tensors, after, strict=True))
    )


def loss(results, own=np.asarray):
    """Return a weighted sum of all elements, with a separate weight for each; `own(array)`: the
    weights."""
    total = 0
    for k, result in enumerate(results):
        count = int(np.prod(result.shape))
        factors = np.cos(np.arange(count) + k).reshape(result.shape)
        total = total + (result * own(factors)).sum()
    return total


_DIRECTIONS = np.random.default_rng(0).uniform(-1, 1, (3, np.prod(INPUTS["x"]) + 1))


def differences(program, order=1):
    """Return the derivative of `loss` with respect to `x` and `inner.weight` in some directions, by
    central differences; for order 2, the derivative of the sum of its derivatives with respect to
    `x`. None if it depends on the step."""
    x, weight = values("x", INPUTS["x"]), values("inner", ())
    with reference.repeating() as found:
        _loss_at(program, x, weight)

    def slopes(x, h):
        def at(sign, direction):
            step = sign * h * direction
            with reference.repeating(found):
                return _loss_at(program, x + step[:-1].reshape(x.shape), weight + step[-1])

        return np.array([(at(1, d) - at(-1, d)) / (2 * h) for d in _DIRECTIONS])

    try:
        if order == 1:
            fine, coarse = slopes(x, 1e-5), slopes(x, 8e-5)
        else:
            fine, coarse = ((slopes(x + h, h) - slopes(x - h, h)) / (2 * h) for h in (2e-4, 8e-4))
    except reference.Uncertain:
        return None
    return fine if np.allclose(fine, coarse, rtol=1e-3, atol=1e-4) else None


def _loss_at(program, x, weight):
    sporax.manual_seed(SEED)
    net = _built(program, IN_NUMPY, np.asarray)
    net.inner.weight.array[...] = weight
    results = leaves(net(reference._own(x), reference._own(values("y", INPUTS["y"]))))
    return loss([r.array for r in results])


# by sporax ----------------------------------------------------------------------------------------


_NAMES = reference.SHARED | {
    "ops": ops, "nn": nn, "Parameter": Parameter, "Tensor": Tensor, "Function": sporax._Function,
    "grad": sporax.grad, "value_and_grad": sporax.value_and_grad, "vmap": sporax.vmap,
    "jit": sporax.jit, "recompute": sporax.recompute,
}  # fmt: skip


def _own(array):
    return Tensor(array) if array.dtype.kind in "ib" else Tensor(array.astype(np.float32))


_IN_SPORAX = head(_NAMES, _own)


def cell(program):
    return _built(program, _IN_SPORAX, _own)


def tensors(turn):
    return [Tensor(x.astype(np.float32)) for x in arguments(turn)]


def _within(function, **settings):
    """Wrap the function to run with other context settings."""
    usual = {"mode": sporax.PYNATIVE_MODE, "pynative_synchronize": False}

    def run(*inputs):
        sporax.set_context(**settings)
        try:
            return function(*inputs)
        finally:
            sporax.set_context(**{name: usual[name] for name in settings})

    return run


def _in_threads(*nets):
    """Call each Cell in a separate thread, concurrently; all must agree up to rounding."""

    def run(x, y):
        results, errors = {}, []

        def work(net):
            try:
                results[net] = [leaf.asnumpy() for leaf in leaves(net(x.copy(), y.copy()))]
            except Exception as error:  # noqa: BLE001 (raised in the main thread)
                errors.append(error)

        threads = [threading.Thread(target=work, args=(net,)) for net in nets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        first, *others = (results[net] for net in nets)
        for other in others:
            for one, two in zip(first, other, strict=True):
                # traces end elsewhere where the other thread has captured a function before
                np.testing.assert_allclose(one, two, TOLERANCE, TOLERANCE)
        return [Tensor(r) for r in first]

    return run


def _recomputed(net, program=None):
    net.recompute()
    return net


def _vmapped(net, program):
    run = sporax.vmap(lambda x, y: tuple(leaves(net(x, y))))
    return lambda x, y: [leaf[0] for leaf in leaves(run(x.unsqueeze(0), y.unsqueeze(0)))]


def _exported(net, program):
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/net.mindir"
        sporax.export(net, *tensors(0), file_name=file, file_format="MINDIR")
        return nn.GraphCell(sporax.load(file))


# of a pure program the result depends on its inputs alone
PURE = {"state", "branch", "random", "error", "thread"}
# way -> (Cell, program -> what is called; traits of programs that it cannot run)
WAYS = {
    "dynamic": (lambda net, program: net, ()),
    "jit": (lambda net, program: sporax.jit(lambda x, y: net(x, y)), ()),
    "graph mode": (lambda net, program: _within(net, mode=sporax.GRAPH_MODE), ()),
    "immediate": (lambda net, program: _within(net, pynative_synchronize=True), ()),
    "thread": (lambda net, program: _in_threads(net), ()),
    "threads": (lambda net, program: _in_threads(net, cell(program)), {"random"}),
    "recompute": (_recomputed, {"thread"}),
    "vmap": (_vmapped, PURE),
    "export": (_exported, PURE),
}


def history(program, way):
    """As `expected`, by sporax."""
    sporax.manual_seed(SEED)
    net = cell(program)
    run = way(net, program)

    def look():
        held, plain = state(net)
        return [*[t.asnumpy() for t in held], sporax.get_rng_state().asnumpy()], plain

    return _histories(lambda turn: [r.asnumpy() for r in leaves(run(*tensors(turn)))], look)


# derivatives ----------------------------------------------------------------------------------


# way -> (what is done to the Cell, and to the derivative)
SLOPES = {
    "dynamic": (lambda net: net, lambda derivative: derivative),
    "jit": (lambda net: net, sporax.jit),
    "of jit": (lambda net: sporax.jit(lambda x, y: net(x, y)), lambda derivative: derivative),
    "recompute": (_recomputed, lambda derivative: derivative),
    "recompute, jit": (_recomputed, sporax.jit),
    "graph mode": (
        lambda net: net,
        lambda derivative: _within(derivative, mode=sporax.GRAPH_MODE),
    ),
}


def gradients(program, way, order=1):
    """As `differences`, by sporax."""
    sporax.manual_seed(SEED)
    net = cell(program)
    of_net, of_derivative = SLOPES[way]
    (x, y), run = tensors(0), of_net(net)

    def number(x):
        return loss(leaves(run(x, y)), lambda factors: Tensor(factors.astype(np.float32)))

    weights = [net.inner.weight]
    derivative = sporax.grad(number, grad_position=0, weights=weights)
    if order == 2:
        first = sporax.grad(number)
        derivative = sporax.grad(lambda x: first(x).sum(), grad_position=0, weights=weights)
    by_x, by_weight = of_derivative(derivative)(x)
    by_weight = by_weight[0] if isinstance(by_weight, (tuple, list)) else by_weight
    return _DIRECTIONS @ np.append(by_x.asnumpy().ravel(), by_weight.asnumpy())
