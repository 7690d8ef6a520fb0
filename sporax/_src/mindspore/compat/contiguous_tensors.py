"""`mindspore.hal.contiguous_tensors_handle`: Tensors concatenated in one array."""

import itertools

from sporax import Tensor, ops
from sporax._src.diagnosis.rules import require


class ContiguousTensorsHandle:
    """The flattened elements of Tensors of one dtype, concatenated.

    `handle[i]` and `handle[i:j]` are elements, `slice_by_tensor_index(i, j)` the elements of
    Tensors `i` to `j - 1`. `enable_mem_align` has no effect.

    >>> from sporax._src.mindspore.compat.contiguous_tensors import ContiguousTensorsHandle
    >>> ContiguousTensorsHandle([Tensor([1, 2]), Tensor([3])]).slice_by_tensor_index(1, 2).tolist()
    [3]
    """

    def __init__(self, tensor_list, enable_mem_align=True):
        for one in tensor_list:
            require(
                isinstance(one, Tensor), "hold-tensors", "ContiguousTensorsHandle", tensor_list=one
            )
        self.total_size = sum(one.size for one in tensor_list)
        self._ends = [0, *itertools.accumulate(one.size for one in tensor_list)]
        self._all = ops.concat([one.reshape(-1) for one in tensor_list])

    def __getitem__(self, item):
        return self._all[item : item + 1] if isinstance(item, int) else self._all[item]

    def slice_by_tensor_index(self, start=None, end=None):
        """Return the elements of Tensors `start` to `end - 1`."""
        last = len(self._ends) - 1
        start, end, _ = slice(start, end).indices(last)
        return self._all[self._ends[start] : self._ends[end]]


def combine_tensor_list_contiguous(tensor_list, enable_mem_align=True):
    """Return a `ContiguousTensorsHandle` of the Tensors."""
    return ContiguousTensorsHandle(tensor_list, enable_mem_align)
