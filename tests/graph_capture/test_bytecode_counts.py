"""What `get_code_extra` says of functions captured in the mode 'bytecode', as MindSpore does."""

import pytest

from sporax import Tensor, jit, nn
from sporax._src.mindspore.compat.bytecode_capture import (
    PIJitCaptureContext,
    get_code_extra,
)
from sporax._src.mindspore.compat.bytecode_capture import jit_mode_pi_disable as pi_disable
from sporax._src.mindspore.compat.bytecode_capture import jit_mode_pi_enable as pi_enable

X, OTHER = Tensor([2.0]), Tensor([1, 2])


class Net(nn.Cell):
    @jit(capture_mode="bytecode")
    def construct(self, x):
        return x * 3


def broken(x):
    y = x * 2
    return y + y.asnumpy().size


# the calls -> (captures, graph breaks, calls since the last capture): MindSpore's of 2.10
@pytest.mark.parametrize(
    "arguments, counts",
    [((X,), (1, 0, 1)), ((X, X), (1, 0, 2)), ((X, X, OTHER), (2, 0, 1))],
)
def test_counts(arguments, counts):
    function = eval(f"lambda x: x + {len(arguments)}")  # counts belong to the code
    captured = PIJitCaptureContext(fullgraph=True)(function)
    assert get_code_extra(captured.__wrapped__) is None
    for argument in arguments:
        captured(argument)
    found = get_code_extra(captured.__wrapped__)
    assert found["stat"] == "GRAPH_CALLABLE" and found["code"]["phase_"]
    calls = found["code"]["call_count_"]
    assert (found["compile_count_"], found["break_count_"], calls) == counts


def test_counts_of_methods_breaks_and_other_functions():
    net = Net()
    assert net(X).tolist() == net(X).tolist() == [6.0]
    assert get_code_extra(Net.construct.__wrapped__)["code"]["call_count_"] == 2
    captured = jit(broken, capture_mode="bytecode")
    with pytest.warns(RuntimeWarning, match="runs dynamically"):
        captured(X)
    assert get_code_extra(broken)["break_count_"] == 1
    plain = jit(lambda x: x)
    plain(X)
    assert get_code_extra(plain.__wrapped__) is None


def test_counts_outlive_the_captured_function():
    def add(x):
        return x + 1

    jit(add, capture_mode="bytecode")(X)
    assert get_code_extra(add)["compile_count_"] == 1


def test_mode_reports_changes():
    switches = (pi_disable, pi_enable, pi_enable, pi_disable)
    assert [switch() for switch in switches] == [False, True, False, True]
