"""Small cases of what libraries for MindSpore rely on: a row for each cause of a failed test.

`tools.record library_cases` records MindSpore's results. The functions are run by both.
"""

import numpy as np

from tests.case_results import result_or_error


def _cell(ms, construct):
    class Net(ms.nn.Cell):
        def construct(self, *inputs):
            return construct(*inputs)

    return Net()


def _x(ms):
    return ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def graph_extremes(ms):
    """MindYOLO's losses: `max` with an axis by position has indices in dynamic mode only."""
    x = _x(ms)
    found = [x.max(1), x.max((0, 1)), x.max(axis=1), x.min(0, True)]
    return found + list(ms.jit(_by_position)(x))


def _by_position(x):
    return x.max(1), x.max(-1, True), x.min(0), x.max(dim=1)[1]


CASES = {
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
