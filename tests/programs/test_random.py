"""Random Cells give one outcome in all ways to run them, which NumPy in float64 gives too.

Each program is run dynamically and in one more way of those in `ways`, in turn; with
`-m slow --programs 10000 --seed 1` that many programs are run in all ways, which `python -m
tests.programs.random` does too, and goes on after failures. The seed makes a run repeatable. A
failing program is shrunk to a few lines, which become a row here.
"""

import warnings

import pytest

from tests.programs.random import batches, writer
from tests.programs.random.agreement import check

IN_MAKE_TEST = 20  # batches


@pytest.fixture(scope="module", autouse=True)
def interpreted(request):
    if request.config.getoption("--compiled"):
        yield
        return
    with batches.interpreted(), batches.small_heap():
        yield


@pytest.mark.parametrize("number", range(IN_MAKE_TEST))
def test_programs(number):
    equal, narrow = batches.run(number, every_way=False)
    assert equal > narrow


# programs that failed once, shrunk, and their traits
FOUND = {
    "a loop writes to what has an expanded view": ("branch kink", """
        v1 = ops.relu(x)
        v2 = v1.expand(2, *v1.shape)
        v3 = ops.mean(ops.abs(x)) + 0.5
        while v3 < 4:
            v1[0] = 2
            v3 = v3 * 2
        return v1, v2
"""),
    "another thread computes, which a captured function took for a constant": ("thread", """
        v1b = []
        v1t = threading.Thread(target=lambda: v1b.append(y * y))
        v1t.start()
        v1t.join()
        v1 = v1b[0]
        return v1
"""),
    "a view is kept by the error of a recording that is done again": ("branch", """
        x[...] = x[...] * 1.25
        v1 = x.unsqueeze(0)
        v2 = ops.mean(ops.abs(x)) + 0.5
        while v2 < 4:
            v2 = v2 * 2
        return self.w0
"""),
    "a derivative by a Tensor with a hook, of which one is taken": ("custom", """
        v1 = ops.sqrt(x * x + 0.5)
        v1.register_hook(lambda g: g * 2)
        v2 = grad(lambda t: ops.sum(t * t * 2))(v1)
        return v2
"""),
    "a loop that cannot be an operation, told with a Tensor that has no numbers": ("branch", """
        v2 = ops.mean(ops.abs(x)) + 0.5
        while v2 < 4:
            for i, part in enumerate(self.table.values()):
                v4 = ops.sqrt(self.w1 * self.w1 + 0.5)
                v5 = ops.prod(v4, 0)
            v2 = v2 * 2
        v7 = ops.gather(self.w1, INDEX, -1)
        return v7
"""),
    "stop_gradient in a Cell that is recomputed": ("custom", """
        v1 = ops.stop_gradient(x) * 1
        return v1
"""),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_programs_that_failed(name):
    traits, source = FOUND[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # what runs dynamically, says so
        assert check(writer.Program(source, set(traits.split())))


@pytest.mark.slow
def test_many_programs(request):
    first, count = request.config.getoption("--seed"), request.config.getoption("--programs")
    for number in range(first, first + -(-count // batches.AT_ONCE)):
        batches.run(number)
