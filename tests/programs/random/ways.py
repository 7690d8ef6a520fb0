"""The ways to run a random program: all give the same results, and the same derivatives."""

import linecache
import tempfile
import threading

import numpy as np

import sporax
from sporax import Parameter, Tensor, nn, ops
from tests.programs.random import reference
from tests.programs.random.writer import CONSTANTS, INPUTS, values

TOLERANCE = 2e-4  # float32 against float64, of the largest element
_CALLS = 2  # of one Cell: its state goes on, and a capture is used again


def _built(program, names, own):
    """The Cell of a program, in the names of one library; `own(array)`: a constant of it."""
    constants = {name: values(name, shape) for name, shape in CONSTANTS.items()}
    space = {
        **names,
        "CONST": {k: own(v) for k, v in constants.items()},
        "__name__": "random_program",
    }
    space["INDEX"] = own(np.array([1, 0, 0]))
    file = f"<random program {id(program)}>"
    linecache.cache[file] = len(program.source), None, program.source.splitlines(True), file
    exec(compile(program.source, file, "exec"), space)
    return space["Net"]()


def leaves(result):
    """The Tensors of a result in order."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in leaves(item)]
    return [result]


def arguments(turn):
    """The inputs of a call; each call has others."""
    return [values(name, shape) * (1 - 0.25 * turn) for name, shape in INPUTS.items()]


def state(net):
    """What the calls have left in the Cell."""
    tensors = [net.w0, net.w1, net.kept, net.inner.weight, net.layers[0].weight]
    return tensors, (net.count, net.scale, list(net.factors), dict(net.table))


# by NumPy -----------------------------------------------------------------------------------------


def expected(program):
    """[(results of a call, state after it)], by NumPy."""
    net = _built(program, reference.names(), lambda array: array)
    history = []
    for turn in range(_CALLS):
        results = leaves(net(*map(reference._own, arguments(turn))))
        tensors, plain = state(net)
        history.append(
            ([r.array.copy() for r in results], [t.array.copy() for t in tensors], plain)
        )
    return history


def writes_state(program):
    """Whether a call leaves the Cell, or its arguments, in another state."""
    net = _built(program, reference.names(), lambda array: array)
    inputs = [reference._own(x) for x in arguments(0)]

    tensors, plain = state(net)
    reference.written.clear()
    net(*inputs)
    after, others = state(net)
    held = [reference.memory(x.array) for x in (*tensors, *inputs)]
    is_written = any(x is y for x in held for y in reference.written)
    return (
        is_written
        or plain != others
        or any(x is not y for x, y in zip(tensors, after, strict=True))
    )


def loss(results, own=np.asarray):
    """A number of all elements, each with a factor of its own; `own(array)`: the factors."""
    total = 0
    for k, result in enumerate(results):
        count = int(np.prod(result.shape))
        factors = np.cos(np.arange(count) + k).reshape(result.shape)
        total = total + (result * own(factors)).sum()
    return total


def differences(program, order=1):
    """The derivative of `loss` by `x` and by `inner.weight`, by central differences; of order 2,
    that of the sum of its derivatives by `x`. None where it depends on the step."""
    x, weight = values("x", INPUTS["x"]), values("inner", ())
    ways = [(e, 0) for e in _units(x.shape)] + [(0 * x, 1)]

    def slopes(x, weight, h):
        def at(sign, e, w):
            return _loss_at(program, x + sign * h * e, weight + sign * h * w)

        return np.array([(at(1, e, w) - at(-1, e, w)) / (2 * h) for e, w in ways])

    if order == 1:
        fine, coarse = slopes(x, weight, 1e-5), slopes(x, weight, 8e-5)
    else:
        fine, coarse = (
            (slopes(x + h, weight, h) - slopes(x - h, weight, h)) / (2 * h) for h in (2e-4, 8e-4)
        )
    return fine if np.allclose(fine, coarse, rtol=1e-3, atol=1e-4) else None


def _loss_at(program, x, weight):
    net = _built(program, reference.names(), lambda array: array)
    net.inner.weight.array[...] = weight
    results = leaves(net(reference._own(x), reference._own(values("y", INPUTS["y"]))))
    return loss([r.array for r in results])


def _units(shape):
    for index in np.ndindex(shape):
        unit = np.zeros(shape)
        unit[index] = 1
        yield unit


# by sporax ----------------------------------------------------------------------------------------


def _names():
    return {"ops": ops, "nn": nn, "Parameter": Parameter, "Tensor": Tensor}


def cell(program):
    def own(array):
        return Tensor(array) if array.dtype.kind == "i" else array.astype(np.float32)

    return _built(program, _names(), own)


def tensors(turn):
    return [Tensor(x.astype(np.float32)) for x in arguments(turn)]


def _dynamic(net):
    return net


def _jit(net):
    return sporax.jit(lambda x, y: net(x, y))


def _graph_mode(net):
    def run(x, y):
        sporax.set_context(mode=sporax.GRAPH_MODE)
        try:
            return net(x, y)
        finally:
            sporax.set_context(mode=sporax.PYNATIVE_MODE)

    return run


def _in_thread(net):
    def run(x, y):
        results, errors = [], []

        def work():
            try:
                results.append([leaf.asnumpy() for leaf in leaves(net(x, y))])
            except Exception as error:  # noqa: BLE001 (raised in the main thread)
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if errors:
            raise errors[0]
        return [Tensor(r) for r in results[0]]

    return run


def _recompute(net):
    net.recompute()
    return net


def _vmapped(net):
    run = sporax.vmap(lambda x, y: tuple(leaves(net(x, y))))
    return lambda x, y: [leaf[0] for leaf in leaves(run(x.unsqueeze(0), y.unsqueeze(0)))]


def _exported(net):
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/net.mindir"
        sporax.export(net, *tensors(0), file_name=file, file_format="MINDIR")
        return nn.GraphCell(sporax.load(file))


WAYS = {"dynamic": _dynamic, "jit": _jit, "graph mode": _graph_mode, "thread": _in_thread,
        "recompute": _recompute}  # fmt: skip
PURE = {"vmap": _vmapped, "export": _exported}  # ways for programs that leave no state


def history(program, way):
    """As `expected`, by sporax."""
    net = cell(program)
    run, out = way(net), []
    for turn in range(_CALLS):
        results = leaves(run(*tensors(turn)))
        held, plain = state(net)
        out.append(([r.asnumpy() for r in results], [t.asnumpy() for t in held], plain))
    return out


def gradients(program, captured, order=1):
    """The derivative of `loss` by `x` and `inner.weight`, in one array; of order 2: that of the
    sum of the first one's elements."""
    net = cell(program)
    x, y = tensors(0)

    def number(x):
        return loss(leaves(net(x, y)), lambda factors: Tensor(factors.astype(np.float32)))

    weights = [net.inner.weight]
    derivative = sporax.grad(number, grad_position=0, weights=weights)
    if order == 2:
        first = sporax.grad(number)
        derivative = sporax.grad(lambda x: first(x).sum(), grad_position=0, weights=weights)
    if captured:
        derivative = sporax.jit(derivative)
    by_x, by_weight = derivative(x)
    by_weight = by_weight[0] if isinstance(by_weight, (tuple, list)) else by_weight
    return np.append(by_x.asnumpy().ravel(), by_weight.asnumpy())
