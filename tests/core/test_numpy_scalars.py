"""A NumPy scalar is a Python number everywhere: dtypes as MindSpore 2.10 gives them, dynamically
and captured, and integers wherever an int is taken.

`tests/recorded/numpy_scalars.json` comes from MindSpore, by `tools.record numpy_scalars`. Where
MindSpore refuses, or leaves the work to NumPy (`np.float64(2) * x`), the rule is its own: what the
Python number gives.
"""

import functools
import re

import numpy as np
import pytest

import sporax
from sporax import amp, data, mint, nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.initializers import Normal, One, initializer
from sporax.train import CheckpointConfig, Model
from tests import records
from tests.core import numpy_literals
from tests.core import numpy_scalar_calls as calls
from tests.nn import layer_cases, mint_layer_cases
from tests.ops import parity_rows

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("numpy_scalars")
FUNCTIONS = calls.functions(sporax)
KINDS = [*calls.NUMBERS]

# rows whose dtypes are not MindSpore's; docs/differences.md says why
DIFFERENT = {
    "ops.xlogy(x, s)", "ops.xlogy(s, x)", "ops.addcmul(x, x, x, s)", "ops.clip_by_value(x, s, 3)",
    "ops.full((2,), s) + x",
}  # fmt: skip
IN_GRAPH_MODE = {"x.add_(s)", "x.mul_(s)"}  # whose dtypes there are not those of dynamic mode


@functools.cache
def letters(row, dtype, kind):
    """What it gives here, inferred and not computed; `-` where it is refused."""
    try:
        return calls.letter(FUNCTIONS[row], sporax, dtype, kind)
    except (TypeError, ValueError, AttributeError):
        return "-"


def wanted(row, dtype, kind, mode="dynamic"):
    """MindSpore's letter, that of the Python number where it has none, or None."""
    recorded = RECORDED[mode][row].split()[calls.TENSORS.index(dtype)]
    for one in (kind, calls.PLAIN.get(kind, kind)):
        place = KINDS.index(one)
        if place < len(recorded) and recorded[place] not in "-a":
            return recorded[place]
    return None


@pytest.mark.parametrize("dtype", calls.TENSORS)
def test_dtypes_are_mindspores_and_those_of_python_numbers(dtype):
    wrong, differ = [], set()
    for row in calls.ROWS:
        actual = {kind: letters(row, dtype, kind) for kind in KINDS}
        for kind, result in actual.items():
            expected = wanted(row, dtype, kind)
            if result != actual[calls.PLAIN.get(kind, kind)]:
                wrong.append(f"{row}: {kind} gives {result}, a Python number otherwise")
            if expected is not None and result != expected:
                differ.add(row)
                if row not in DIFFERENT:
                    wrong.append(f"{row}: {kind} gives {result}, MindSpore {expected}")
    assert not wrong, "\n".join(wrong)
    assert differ <= DIFFERENT


def test_no_difference_is_listed_in_vain():
    assert set(DIFFERENT) <= {
        row for row in calls.ROWS for dtype in calls.TENSORS for kind in KINDS
        if wanted(row, dtype, kind) not in (None, letters(row, dtype, kind))
    }  # fmt: skip


def letter_when_captured(result, row, x, s):
    result[row] = calls.LETTERS[str(getattr(FUNCTIONS[row](x.copy(), s), "dtype", "array"))]


@pytest.mark.parametrize("dtype", calls.TENSORS)
def test_captured_dtypes_are_those_of_dynamic_code(dtype):
    wrong = []
    for kind in ("float", "np.float32", "np.float64", "np.int64", "np.bool_", "array of float64"):
        possible = [row for row in calls.ROWS if letters(row, dtype, kind) != "-"]
        result = {}

        def every(x, s, result=result, possible=possible):
            for row in possible:
                letter_when_captured(result, row, x, s)
            return x

        jit(every).prepare(Tensor([1, 2], getattr(sporax, dtype)), calls.NUMBERS[kind])
        for row in possible:
            expected = wanted(row, dtype, kind, "jit")
            if result[row] != letters(row, dtype, kind):
                wrong.append(f"{row}: {result[row]}, dynamically {letters(row, dtype, kind)}")
            if expected not in (None, result[row]) and row not in DIFFERENT | IN_GRAPH_MODE:
                wrong.append(
                    f"{row}: {kind} gives {result[row]}, MindSpore's graph mode {expected}"
                )
    assert not wrong, "\n".join(wrong)


VALUES = """
    x + s; s - x; x * s; s / x; x // s; x % s; x < s; ops.clamp(x, s, 3);
    ops.where(x > 1, x, s); ops.lerp(x, x + 1, s); mint.add(x, 2, alpha=s); x.masked_fill(x > 1, s)
    """


@pytest.mark.executors
@pytest.mark.parametrize("kind", ["np.float32", "np.float64", "np.int64"])
def test_values_are_those_of_python_numbers_also_captured_for_other_numbers(kind):
    rows = [row.strip() for row in VALUES.split(";")]
    functions = [eval(f"lambda x, s: {row}", {"ops": ops, "mint": mint}) for row in rows]
    x = Tensor([1.0, 2.0, 5.0])
    captured = jit(lambda x, s: [f(x, s) for f in functions])
    for scalar in (calls.NUMBERS[kind], type(calls.NUMBERS[kind])(3)):
        python = scalar.item()
        for row, function, again in zip(rows, functions, captured(x, scalar), strict=True):
            expected = function(x, python)
            for out in (function(x, scalar), again):
                assert out.dtype == expected.dtype, row
                np.testing.assert_allclose(out.asnumpy(), expected.asnumpy(), 1e-6, err_msg=row)
    assert captured.captures == 1


def test_a_captured_function_sees_the_numpy_scalar_it_is_given():
    seen = jit(lambda x, s: (x * s, s.dtype, isinstance(s, np.generic), s * 2))
    out, dtype, is_numpy, twice = seen(Tensor([1.0]), np.float32(1.5))
    assert (float(out), dtype, is_numpy) == (1.5, np.float32, True)
    assert twice == np.float32(3) and type(twice) is np.float32
    signs = jit(lambda x, s: x / s)
    assert float(signs(Tensor([1.0]), np.float64(0.0))) == np.inf
    assert float(signs(Tensor([1.0]), np.float64(-0.0))) == -np.inf
    branch = jit(lambda x, s: x + 1 if s > 2 else x - 1)
    assert [float(branch(Tensor([0.0]), np.float32(n))) for n in (3, 1, 4)] == [1, -1, 1]


SCALE = np.float64(0.5)


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = np.float32(0.5)

    def construct(self, x):
        return x * self.scale / np.sqrt(4) * SCALE


def test_constants_of_a_captured_cell(monkeypatch):
    net, x = Scaled(), Tensor([1, 2], sporax.float16)
    function = jit(net)
    for _ in range(2):
        assert str(function(x).dtype) == "Float16" and function(x).asnumpy().tolist() == [
            net(x).asnumpy()[0], net(x).asnumpy()[1],
        ]  # fmt: skip
        monkeypatch.setattr(f"{__name__}.SCALE", np.float64(2))
        net.scale = np.float32(4)
    assert function(x).asnumpy().tolist() == [4, 8]


# wherever a number is taken -------------------------------------------------------------------


def described(call, names):
    """Dtypes and shapes of what a call gives, or the error."""
    try:
        out = eval(call, names)
    except (TypeError, ValueError, RuntimeError, IndexError) as error:
        return f"{type(error).__name__}: {error}"
    return [(t.dtype, t.shape) for t in tensors_of(out)] or repr(out)


def sampled(rows):
    for row in rows:
        names = {"ms": sporax, "ops": ops, "mint": mint, "mnp": sporax.numpy, "np": np}
        for call in row.calls:
            new = numpy_literals.rewritten(call)
            if new is not None and "<<" not in call:
                yield call, new, names | {k: Tensor(v) for k, v in row.named.items()}


def differing(rows):
    rows = [(call, new, names, {**names}) for call, new, names in rows]
    assert len(rows) > 100
    result = [(new, described(new, a), described(call, b)) for call, new, a, b in rows]
    return [f"{new}: {actual}, a Python number gives {expected}" for new, actual, expected in result
            if actual != expected]  # fmt: skip


@pytest.mark.parametrize(
    "calls_of_rows",
    [parity_rows.of_calls, pytest.param(parity_rows.of_samples, marks=pytest.mark.slow)],
)
def test_operations_take_numpy_scalars_for_all_their_numbers(calls_of_rows):
    wrong = differing(sampled(calls_of_rows()))
    assert not wrong, "\n".join(wrong)


def test_layers_take_numpy_scalars_for_all_their_numbers():
    wrong, count = [], 0
    rows = [(case.make, {"nn": nn, "ms": sporax}) for case in layer_cases.CASES]
    rows += [(make, {"nn": mint.nn}) for make, _ in mint_layer_cases.ROWS]
    for make, names in rows:
        new = numpy_literals.rewritten(make)
        if new is None:
            continue
        count += 1
        actual, expected = eval(new, {"np": np, **names}), eval(make, {"np": np, **names})
        shown = [re.sub(r" at 0x\w+", "", repr(m)) for m in (actual, expected)]
        if shown[0] != shown[1]:
            wrong.append(f"{new}: {shown[0]}, not {shown[1]}")
        shapes = [[(p.shape, p.dtype) for p in m.get_parameters()] for m in (actual, expected)]
        if shapes[0] != shapes[1]:
            wrong.append(f"{new}: Parameters {shapes[0]}, not {shapes[1]}")
    assert not wrong and count > 150, "\n".join(wrong)


def test_parameters_optimizers_and_losses():
    weight = Parameter(Tensor([1.0, 2.0], sporax.float16), name="w")
    ops.assign(weight, np.float64(2))
    assert str(weight.dtype) == "Float16" and weight.asnumpy().tolist() == [2, 2]
    scalar = Parameter(np.float64(1), name="s")
    scalar.set_data(np.float32(3))
    assert str(scalar.dtype) == "Float32" and float(scalar) == 3
    assert str(Parameter(np.int64(1)).dtype) == "Int32"
    for kind in (np.float32, np.float64):
        weights = [Parameter(Tensor([1.0]), name=f"w{i}") for i in range(2)]
        groups = [{"params": weights[:1], "lr": kind(0.5)}, {"params": weights[1:]}]
        step = nn.SGD(groups, kind(0.25), weight_decay=kind(0))
        step((Tensor([1.0]), Tensor([1.0])))
        assert [float(w) for w in weights] == [0.5, 0.75]
    grad = sporax.grad(lambda x: (x * np.float64(3)).sum() * np.float32(2), np.int64(0))
    assert grad(Tensor([1.0, 2.0])).asnumpy().tolist() == [6, 6]
    loss = nn.CrossEntropyLoss(ignore_index=np.int64(-100), label_smoothing=np.float32(0.5))
    assert str(loss(Tensor([[1.0, 2.0]]), Tensor([1])).dtype) == "Float32"


TAKEN = """
    sporax.set_seed(i(3)); sporax.manual_seed(i(3)); sporax.Generator().manual_seed(i(3))
    nn.CellList([nn.ReLU(), nn.Tanh()])[i(1)]; nn.SequentialCell([nn.ReLU()])[i(-1)]
    Tensor(shape=i(2), dtype=sporax.float32, init=One())
    sporax.vmap(lambda a: a * 2, i(0), i(0))(x)
    x.reshape(i(3), -1); x.view(i(3), i(2)); x.permute(i(1), i(0)); x.repeat(i(2), i(0))
    x.expand(i(2), i(2), i(3)); x.split(i(1)); ops.rand(i(2), i(3)); ops.randperm(i(5))
    ops.zeros((i(2), i(3))); ops.ones(i(2)); ops.one_hot(Tensor([1]), i(3)); x[i(0):i(2):i(1), i(1)]
    x.item(i(0)); ops.ForiLoop()(i(0), i(3), lambda k, v: v * f(2), x)
    list(rows.batch(i(5))); list(rows.repeat(i(2))); list(rows.take(i(4))); list(rows.skip(i(4)))
    list(data.NumpySlicesDataset([*range(9)], num_samples=i(3), num_shards=i(2), shard_id=i(0)))
    nn.piecewise_constant_lr([i(2), i(4)], [f(0.1), f(0.2)]); CheckpointConfig(i(2))
    nn.cosine_decay_lr(f(0.01), f(0.1), i(4), i(2), i(2)); initializer(f(0.5), (i(2),))
    amp.DynamicLossScaler(f(1024), i(2), i(10)); amp.FixedLossScaleManager(f(1024)); Normal(f(0.5))
    nn.Adam(weights, f(0.1), f(0.9), f(0.99), f(1e-8)); nn.Momentum(weights, f(0.1), f(0.9))
    nn.TransformerEncoderLayer(i(4), i(2), dim_feedforward=i(8), dropout=f(0.1))
    nn.LSTM(i(3), i(4), num_layers=i(2), bidirectional=np.bool_(True))
    Model(nn.Dense(3, 1), nn.MSELoss(), nn.SGD(weights, f(0.1)))
    """


@pytest.mark.parametrize(
    "call", [row.strip() for row in TAKEN.replace("\n", ";").split(";") if row.strip()]
)
def test_integers_and_floats_are_taken(call):
    names = {
        "sporax": sporax, "ops": ops, "nn": nn, "data": data, "amp": amp, "np": np,
        "Tensor": Tensor,
        "One": One, "Normal": Normal, "initializer": initializer, "Model": Model,
        "CheckpointConfig": CheckpointConfig, "i": np.int64, "f": np.float32,
        "x": Tensor(np.ones((2, 3), np.float32)),
        "rows": data.NumpySlicesDataset([*range(9)], shuffle=False),
        "weights": [Parameter(Tensor([1.0]), name="w")],
    }  # fmt: skip
    eval(call, names)  # which raises nothing
