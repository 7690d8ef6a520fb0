"""`_Grad` and `_Vmap`: transforms as objects, as MindSpore's own functions construct them."""

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.transforms import autodiff
from sporax._src.transforms.batching import vmap
from sporax.ops.declare import FUNCTIONS


class _Grad:
    """A factory of gradient functions: `_Grad(...)(fn, weights, grad_position)`.

    `get_by_position`: as `grad`; `get_value`: as `value_and_grad`; else as `GradOperation` with
    `get_all`, `get_by_list` and `sens_param`. `merge_forward`: ignored.

    >>> ops._Grad(get_by_position=True)(lambda x, y: x * y, None, 1)(
    ...     Tensor([3.0]), Tensor([2.0])).asnumpy()
    array([3.], dtype=float32)
    """

    get_all = get_by_list = sens_param = get_by_position = False
    has_aux = get_value = return_ids = False

    def __init__(
        self, get_all=False, get_by_list=False, sens_param=False, get_by_position=False,
        has_aux=False, get_value=False, return_ids=False, merge_forward=False,
    ):  # fmt: skip
        flags = dict(locals())
        del flags["self"]
        kinds.BOOL("_Grad", **flags)
        self.__dict__.update(flags)

    def __call__(self, fn, weights=None, grad_position=0):
        if not (self.get_by_position or self.has_aux or self.get_value or self.return_ids):
            maker = autodiff.GradOperation(self.get_all, self.get_by_list, self.sens_param)
            return maker(fn, weights) if self.get_by_list else maker(fn)
        transform = autodiff.value_and_grad if self.get_value else autodiff.grad
        weights = weights if self.get_by_list else None
        return transform(fn, grad_position, weights, self.has_aux, self.return_ids, self.sens_param)


class _Vmap:
    """A factory of batched functions: `_Vmap()(fn, in_axes, out_axes)`; see `vmap`.

    >>> ops._Vmap()(lambda x: x.sum(), 1)(Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
    array([4., 6.], dtype=float32)
    """

    def __call__(self, fn, in_axes=0, out_axes=0):
        return vmap(fn, in_axes, out_axes)


FUNCTIONS.update(_Grad=_Grad, _Vmap=_Vmap)
