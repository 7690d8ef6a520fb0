"""Small cases of what libraries for MindSpore rely on: a row for each cause of a failed test.

`tools.record library_cases` records MindSpore's results. The functions are run by both.
"""

import inspect
import time

import numpy as np

from tests.case_results import result_or_error


def _x(ms):
    return ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def graph_extremes(ms):
    """MindYOLO's losses: `max` with an axis by position has indices in dynamic mode only."""
    x = _x(ms)
    found = [x.max(1), x.max((0, 1)), x.max(axis=1), x.min(0, True)]
    return found + list(ms.jit(_by_position)(x))


def _by_position(x):
    return x.max(1), x.max(-1, True), x.min(0), x.max(dim=1)[1]


def version_of_the_module(_ms):
    """MindOCR's recurrent neck: `from mindspore import version`."""
    from mindspore import version

    return version.__version__.split(".")[0]


def signature_of_an_optimizer(ms):
    """MindOCR's optimizers: arguments are chosen by the signature of the decorated class."""
    from mindspore.nn.optim.optimizer import opt_init_args_register

    class Own(ms.nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params, learning_rate=0.1, clip=False):
            super().__init__(learning_rate, params)

    own = Own([ms.Parameter(_x(ms), name="w")], 0.2, clip=True)
    return [list(inspect.signature(Own.__init__).parameters), dict(own.init_args)["clip"]]


def latest_summaries(ms):
    """MindArmour's coverage of neurons: what `TensorSummary` was given, with no record open."""
    from mindspore.train.summary.summary_record import _get_summary_tensor_data

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.tensor, self.scalar = ms.ops.TensorSummary(), ms.ops.ScalarSummary()

        def construct(self, x):
            self.tensor("doubled", x * 2)
            self.scalar("sum", x.sum())
            return x

    net = Net()
    _get_summary_tensor_data()  # those of other tests
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for i in range(2):
            net(_x(ms) + i).asnumpy()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    time.sleep(0.1)  # MindSpore writes them in another thread
    found = sorted(_get_summary_tensor_data().items())
    return [[name, value] for name, value in found] + [len(_get_summary_tensor_data())]


def is_numpy(ms):
    """MindArmour's noise and blur: a helper of MindSpore's images."""
    from mindspore.dataset.vision.py_transforms_util import is_numpy

    return [is_numpy(np.ones(1)), is_numpy(_x(ms))]


def pruned_weight(ms):
    """Golden Stick's pruner: `init = None`, and a value of another shape and dtype."""
    p = ms.Parameter(_x(ms), name="p")
    p.init = None
    p.assign_value(ms.Tensor([1.5], ms.float16))
    return [p.init is None, list(p.shape), str(p.dtype), p]


def quantization_parameters(_ms):
    """Golden Stick's converters: `QuantDtype`, and the operation that has a scale for export."""
    from mindspore import QuantDtype
    from mindspore.ops.operations._quant_ops import FakeQuantParam

    kind = QuantDtype.UINT4
    attrs = FakeQuantParam.linear_quant_param(kind, 0.5, 1, group=3).attrs
    scale, zero = attrs["linear_quant_scale"], attrs["linear_quant_zero_point"]
    own = [attrs[name] for name in ("quant_dtype", "quant_algo_name", "group")]
    return [str(kind), kind.value(), scale, zero, *own]


CASES = {
    "golden_stick: a pruned weight": pruned_weight,
    "golden_stick: quantization parameters": quantization_parameters,
    "mindarmour: values of summaries": latest_summaries,
    "mindarmour: is_numpy": is_numpy,
    "mindocr: signature of an optimizer": signature_of_an_optimizer,
    "mindocr: version": version_of_the_module,
    "mindyolo: max with an axis in graphs": graph_extremes,
}


def result(case, ms):
    """Return the numbers of a case's result, or the type of the error it raises."""
    return result_or_error(lambda ms: _numbers(case(ms)), ms)


def _numbers(found):
    if isinstance(found, tuple | list):
        return [_numbers(item) for item in found]
    found = found.asnumpy() if hasattr(found, "asnumpy") else found
    return found.tolist() if hasattr(found, "tolist") else found
