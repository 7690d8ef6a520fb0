"""`profile`: shares of instructions, time lines, a planted slow Cell; nothing is changed."""

import json
import re
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, insight, nn, parallel
from sporax._src.runtime.recompute.flops import WITHOUT_PADDING, count
from sporax._src.runtime.xla_kernels import rewrite
from sporax.insight import peak, step_profile
from sporax.insight.hlo_scopes import shares
from sporax.insight.named_program import NamedProgram
from sporax.insight.recording import Recording
from sporax.insight.timeline import MARK, Span, runs_by_length, wall_seconds
from tests.insight.browser import document_of
from tests.insight.networks import WithSlowPart

HLO = """
%fused (p0: f32[8,4]) -> f32[8] {
  %p0 = f32[8,4]{1,0} parameter(0)
  %zero = f32[] constant(0), NAMED(9, x)
  %tanh = f32[8,4]{1,0} tanh(%p0), NAMED(1, tanh)
  ROOT %sum = f32[8]{0} reduce(%tanh, %zero), to_apply=%add, NAMED(2, sum)
}

ENTRY %main (a: f32[8,4]) -> f32[8] {
  %a = f32[8,4]{1,0} parameter(0), metadata={op_name="a"}
  %copy.1 = f32[8,4]{0,1} copy(%a)
  %fusion.2 = f32[8]{0} fusion(%copy.1), kind=kLoop, calls=%fused, NAMED(2, sum)
  %dot.3 = f32[4]{0} dot(%fusion.2, %copy.1), NAMED(3, while/body/dot)
  %call.4 = f32[4]{0} call(%dot.3), to_apply=%other
  ROOT %copy.5 = f32[4]{0} copy(%dot.3)
}
"""
HLO = re.sub(r"NAMED\((\d), (.*?)\)", r'metadata={op_name="jit(f)/sporax_operation_\1_/\2"}', HLO)


def test_shares_of_instructions():
    found, containers = shares(HLO, [0] * 10)
    assert containers == {"call.4"}
    assert found["fusion.2"] == {1: 0.5, 2: 0.5}  # 32 elements computed, 32 read
    assert found["dot.3"] == {3: 1.0}
    assert found["copy.1"] == {2: 1.0}  # for what uses it
    assert found["copy.5"] == {3: 1.0}  # of what it uses


@pytest.mark.parametrize(
    ("spans", "seconds", "busy"),
    [
        ([("a", 0, 2), ("b", 3, 4)], {"a": 2, "b": 1}, 3),
        ([("a", 0, 2), ("b", 1, 3)], {"a": 1.5, "b": 1.5}, 3),
        ([("a", 0, 1), ("a", 2, 3)], {"a": 2}, 2),
        ([("a", 0, 2), ("a", 1, 3), ("b", 1, 2)], {"a": 2 + 2 / 3, "b": 1 / 3}, 3),
        ([("while", 0, 4), ("a", 1, 2), ("b", 2, 3)], {"while": 2, "a": 1, "b": 1}, 4),
        ([], {}, 0),
    ],
)
def test_time_is_counted_once(spans, seconds, busy):
    spans = [Span(name, k, begin, end) for k, (name, begin, end) in enumerate(spans)]
    found, total = wall_seconds(spans, {"while"})
    assert found == pytest.approx(seconds) and total == pytest.approx(busy)


def test_a_product_has_the_share_of_its_operations():
    text = HLO.replace("%tanh = f32[8,4]{1,0} tanh(", "%tanh = f32[8,4]{1,0} dot(")
    found, _ = shares(text, [0, 96, 5, 0, 0, 0, 0, 0, 0, 0])
    assert found["fusion.2"] == {1: 0.75, 2: 0.25}  # 96 operations, 32 elements read


def test_runs_are_sorted_by_their_length():
    def event(name, ts, dur, **args):
        return {"ph": "X", "pid": 1, "tid": 2, "name": name, "ts": ts, "dur": dur, "args": args}

    events = [event(MARK, 0, 90), event(MARK, 100, 10), event(MARK, 200, 30)]
    events += [event("a", 201, 2, hlo_op="a", hlo_module="m"), event("end: a", 212, 1)]
    events += [event("b", 215, 99, hlo_op="b", hlo_module="m")]
    events += [event("c", 216, 1, hlo_op="c", hlo_module="other"), event("Record", 217, 1)]
    runs = runs_by_length(events, "m")
    assert [seconds for seconds, _ in runs] == pytest.approx([10e-6, 30e-6, 90e-6])
    _, spans = runs[1]
    times = [(s.name, s.begin * 1e6, s.end * 1e6) for s in spans]
    assert times == [("a", 1, pytest.approx(12)), ("b", 15, pytest.approx(30))]


@pytest.fixture(scope="module")
def trained():
    """(net, its Parameters before, the profile of a training step)."""
    net = WithSlowPart(4096)
    optimizer = nn.Momentum(net.trainable_params(), 1e-2, 0.9)
    derive = ms.value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)

    def step(x):
        loss, gradients = derive(x)
        optimizer(gradients)
        return loss

    before = [p.asnumpy().copy() for p in (*net.get_parameters(), *optimizer.get_parameters())]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_profile, "measured_peak", lambda: 1e12)
        found = insight.profile(step, Tensor(np.ones((128, 64), np.float32)), runs=5)
    after = [p.asnumpy() for p in (*net.get_parameters(), *optimizer.get_parameters())]
    return before, after, found


def test_nothing_is_changed(trained):
    before, after, _ = trained
    assert all(map(np.array_equal, before, after))


def test_times_add_up(trained):
    *_, found = trained
    own = sum(cell.seconds for cell in found.cells)
    assert own + found.idle_seconds == pytest.approx(found.seconds)
    assert sum(row.seconds for row in found.operations) == pytest.approx(own, rel=0.05)
    assert found.flops == sum(cell.flops for cell in found.cells)


def test_no_row_is_above_the_peak(trained):
    *_, found = trained
    assert found.spread[0] <= found.seconds <= found.spread[1]
    for row in (*found.cells, *found.operations):
        least, most = row.spread
        spent = getattr(row, "total_seconds", None)
        assert least <= (row.seconds if spent is None else spent) <= most
        shown = found.of_peak(row)
        assert shown == "-" or int(shown.removesuffix("%")) <= 100
        if row.seconds >= 0.01 * found.seconds:
            assert shown != "-"


class Padded(nn.Cell):
    """On one pixel, eight of the nine products of a 3 x 3 convolution are with padding."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 16, 3)

    def construct(self, x):
        return self.conv(x)


def test_products_with_padding_are_not_work():
    net, x = Padded(), Tensor(np.ones((4, 8, 1, 1), np.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_profile, "measured_peak", lambda: 1e12)
        found = insight.profile(net, x, runs=1)
    assert found.flops == 2 * 4 * 8 * 16
    assert insight.summary(net, x).flops == 9 * found.flops


@pytest.mark.parametrize("stride, padding, dilation", [(1, 1, 1), (2, 3, 2), (3, 0, 1)])
@pytest.mark.parametrize("derived", [0, 1, None])
def test_products_with_padding_by_counting(stride, padding, dilation, derived):
    """Of a convolution of ones, each element is the number of products that are not padding."""
    image, kernel = jnp.ones((2, 3, 9, 7)), jnp.ones((4, 3, 3, 2))

    def convolve(x, w):
        return jax.lax.conv_general_dilated(
            x, w, (stride, 1), ((padding, padding), (1, 0)), rhs_dilation=(dilation, 1)
        )

    run = convolve
    if derived is not None:  # a convolution of the cotangent, or with spread elements
        result = jnp.ones_like(convolve(image, kernel))
        run = lambda x, w: jax.vjp(convolve, x, w)[1](result)[derived]  # noqa: E731
    jaxpr = jax.make_jaxpr(run)(image, kernel).jaxpr
    products = float(run(image, kernel).sum())
    assert count(jaxpr, WITHOUT_PADDING) == 2 * products


def test_names_the_slow_cell(trained):
    *_, found = trained
    cells = {cell.path: cell for cell in found.cells}
    parts = [cells[f"net.{name}"].total_seconds for name in ("first", "slow", "last")]
    assert max(parts) == parts[1] > 0.5 * cells["net"].total_seconds
    assert cells["net.slow.up"].forward > 0 and cells["net.slow.up"].backward > 0
    assert cells["optimizer"].cls == "Momentum"
    longest = next(row for row in found.operations if row.path.startswith("net"))
    assert longest.path.startswith("net.slow")


def test_files(trained, tmp_path):
    *_, found = trained
    events = json.loads(found.write_trace(tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"net.slow.up Dense", "net.slow.down Dense.grad"} <= {e["name"] for e in events}
    page = found.write_html(tmp_path / "profile.html").read_text("utf8")
    assert "net.slow.up" in page and not re.findall("(?:src|href)=", page)
    assert "Dense.grad" in str(found) and "of the measured peak" in str(found)


@pytest.mark.slow
def test_in_a_browser(trained, tmp_path):
    document, console = document_of(trained[2].write_html(tmp_path / "profile.html"))
    assert console == [] and 'data-theme="light"' in document


@pytest.mark.slow
def test_measured_peak():
    side = 512
    matrix = jnp.ones((side, side))
    run = jax.jit(jnp.matmul)
    run(matrix, matrix).block_until_ready()
    begin = time.perf_counter()
    run(matrix, matrix).block_until_ready()
    assert peak.measured_peak() > 0.3 * 2 * side**3 / (time.perf_counter() - begin)


def test_measured_programs_are_those_that_run(monkeypatch):
    """With this package's kernels for a CPU: once the profiler measured others, unseen."""
    seen = []
    monkeypatch.setattr(rewrite, "PASSES", (lambda jaxpr: seen.append(jaxpr) or jaxpr,))
    peak._best(jnp.sin, jnp.ones(4))
    found = Recording("profile", Padded(), [Tensor(np.ones((1, 8, 4, 4), np.float32))])
    (image,), (_, *rest) = found.arguments, found.listing.inputs
    NamedProgram(found.listing, [image.read(), *(i.read() for i in rest)])
    assert len(seen) == 2


def reads(x):
    return x * float(x.sum().asnumpy())


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: insight.profile(nn.Dense, x), TypeError, "but got type Dense"),
        (lambda x: insight.profile(3, x), TypeError, "must be a function or a Cell, but got int"),
        (
            lambda x: insight.profile(nn.ReLU(), x, runs=0),
            ValueError,
            "an int of at least 1, but got 0",
        ),
        (lambda x: insight.profile(reads, x), RuntimeError, "must not need a number"),
        (lambda x: insight.profile(nn.ReLU()), TypeError, "missing a required argument"),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match="For '") as caught:
        call(Tensor(np.ones(3, np.float32)))
    assert words in str(caught.value)


def test_no_mesh():
    with parallel.DescribedMesh(data=1), pytest.raises(RuntimeError, match="no Mesh must be"):
        insight.profile(nn.ReLU(), Tensor(np.ones(3, np.float32)))
