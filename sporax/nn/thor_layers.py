"""Layers that record the Kronecker factors of their Fisher matrices for the optimizer `thor`."""

import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine.recorder import apply
from sporax.nn.convolution import Conv2d
from sporax.nn.dense import Dense
from sporax.nn.embedding import Embedding, EmbeddingLookup
from sporax.ops.nn import kronecker_factors as factors
from sporax.ops.nn.convolution import same_padding, sides


def _kept(name, start):
    """Return a Parameter without gradient."""
    return Parameter(Tensor(start.astype(np.float32)), name=name, requires_grad=False)


class DenseThor(Dense):
    r"""`Dense` that records $A = E[x x^\top]$ and $G = E[d d^\top]$ for the optimizer `thor`.

    $x$ `(N, in)` is the input, $d$ `(N, out)` the gradient with respect to $x W^\top + b$. While
    `thor` is True (`add_flags_recursive(thor=False)` stops it), a call sets `matrix_a`
    `(in, in)`, and the backward pass `matrix_g` `(out, out)`; both are means over N. `weight`
    starts normal with standard deviation 0.01, `bias` at 0. Arguments: see `Dense`.

    >>> net = nn.DenseThor(3, 4, weight_init="ones")
    >>> net(Tensor([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])).asnumpy()
    array([[ 6.,  6.,  6.,  6.],
           [12., 12., 12., 12.]], dtype=float32)
    >>> net.matrix_a.asnumpy()[0]
    array([5., 7., 9.], dtype=float32)
    """

    def __init__(
        self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True,
        activation=None,
    ):  # fmt: skip
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self.thor = True
        self.matrix_a = _kept("matrix_a", np.eye(in_channels))
        self.matrix_g = _kept("matrix_g", np.eye(out_channels))
        self.getG = ops.InsertGradientOf(self.save_gradient)

    def save_gradient(self, dout):
        """Set `matrix_g` from the gradient of the affine map's output."""
        self.matrix_g = apply(factors.factor_of_rows, dout)
        return dout

    def _affine(self, x):
        y = super()._affine(x)
        if not self.thor:
            return y
        self.matrix_a = apply(factors.factor_of_rows, x)
        return self.getG(y)


class Conv2dThor(Conv2d):
    r"""`Conv2d` that records $A = E[a a^\top]$ and $G = E[d d^\top]$ for the optimizer `thor`.

    $a$ are the windows `(C kh kw / group)` of the input, $d$ `(O / group)` the gradients of the
    output, at each position of each example. While `thor` is True, a call sets `matrix_a_cov`, and
    the backward pass `matrix_g_cov`, one matrix per group if there are several; both are means over
    examples and positions; the number of positions is `a_normalizer` and `g_normalizer`. `weight`
    starts normal with standard deviation 0.01, `bias` at 0. Arguments: see `Conv2d`.

    >>> net = nn.Conv2dThor(3, 8, 3)
    >>> net(ops.ones((1, 3, 5, 5))).shape, net.matrix_a_cov.shape, net.matrix_g_cov.shape
    ((1, 8, 5, 5), (27, 27), (8, 8))
    """

    _formats = ("NCHW",)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_init="normal", bias_init="zeros",
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init,
        )  # fmt: skip
        self.thor = True
        self.matrix_a_dim = in_channels // group * self.kernel_size[0] * self.kernel_size[1]
        self.matrix_g_dim = out_channels // group
        of_groups = (group,) if group > 1 else ()
        for side, size in (("a", self.matrix_a_dim), ("g", self.matrix_g_dim)):
            start = np.zeros((*of_groups, size, size))
            setattr(self, f"matrix_{side}_cov", _kept(f"matrix_{side}", start))
            setattr(self, f"{side}_normalizer", _kept(f"{side}_normalizer", np.ones(1)))
        self.getG = ops.InsertGradientOf(self.save_gradient)

    def save_gradient(self, dout):
        """Set `matrix_g_cov` and `g_normalizer` from the gradient of the convolution's output."""
        self.matrix_g_cov = apply(factors.factor_of_planes(self.group), dout)
        self.g_normalizer = _position_count(dout)
        return dout

    def construct(self, x):
        y = super().construct(x)
        if not self.thor:
            return y
        factor = factors.factor_of_windows(
            self.kernel_size, self.stride, self.dilation, self._around(x), self.group
        )
        self.matrix_a_cov = apply(factor, x)
        self.a_normalizer = _position_count(y)
        return self.getG(y)

    def _around(self, x):
        """Return the zero padding before and after each axis of an image."""
        if self.pad_mode == "same":
            sizes = zip(x.shape[2:], self.kernel_size, self.stride, self.dilation, strict=True)
            return tuple(same_padding(*each) for each in sizes)
        top, bottom, left, right = sides(self.padding) if self.pad_mode == "pad" else (0,) * 4
        return (top, bottom), (left, right)


def _position_count(plane):
    return Tensor([plane.shape[2] * plane.shape[3]], dtypes.float32)


def _keep_table_factors(layer):
    """Create the factors of an embedding: the diagonal of A, and G."""
    layer.thor = True
    layer.matrix_a = _kept("matrix_a", np.zeros(layer.vocab_size))
    layer.matrix_g = _kept("matrix_g", np.zeros((layer.embedding_size,) * 2))
    layer.getG = ops.InsertGradientOf(layer.save_gradient)


def _with_table_factors(layer, ids, rows):
    """Return `rows`; set the factors from the indices and from the gradient of the rows."""
    if not layer.thor:
        return rows
    layer.matrix_a = apply(factors.counts_of_indices(layer.vocab_size), ids)
    return layer.getG(rows)


class EmbeddingThor(Embedding):
    r"""`Embedding` that records $A$ and $G = E[d d^\top]$ for the optimizer `thor`.

    While `thor` is True, a call sets `matrix_a` `(vocab_size,)`, the count of each index (the
    diagonal of $A$ times the number of examples), and the backward pass `matrix_g`
    `(embedding_size, embedding_size)`, the mean over all rows $d$ of the incoming gradient.
    Arguments: see `Embedding`.

    >>> net = nn.EmbeddingThor(5, 2)
    >>> net(Tensor([[1, 0], [3, 1]])).shape, net.matrix_a.asnumpy().tolist()
    ((2, 2, 2), [1.0, 2.0, 0.0, 1.0, 0.0])
    """

    def __init__(
        self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal",
        dtype=dtypes.float32, padding_idx=None,
    ):  # fmt: skip
        super().__init__(
            vocab_size, embedding_size, use_one_hot, embedding_table, dtype, padding_idx
        )
        _keep_table_factors(self)

    def save_gradient(self, dout):
        """Set `matrix_g` from the gradient of the rows."""
        self.matrix_g = apply(factors.factor_of_rows, dout)
        return dout

    def construct(self, ids):
        return _with_table_factors(self, ids, super().construct(ids))


class EmbeddingLookupThor(EmbeddingLookup):
    """`EmbeddingLookup` that records factors for the optimizer `thor`, like `EmbeddingThor`.

    The table is Float16. Arguments: see `EmbeddingLookup`; both values of `target` record factors.

    >>> net = nn.EmbeddingLookupThor(5, 2)
    >>> net(Tensor([[1, 0], [3, 1]])).shape, net.matrix_a.asnumpy().tolist()
    ((2, 2, 2), [1.0, 2.0, 0.0, 1.0, 0.0])
    """

    def __init__(
        self, vocab_size, embedding_size, param_init="normal", target="CPU",
        slice_mode="batch_slice", manual_shapes=None, max_norm=None, sparse=True,
    ):  # fmt: skip
        super().__init__(
            vocab_size, embedding_size, param_init, target, slice_mode, manual_shapes, max_norm,
            sparse, dtypes.float16,
        )  # fmt: skip
        _keep_table_factors(self)

    save_gradient = EmbeddingThor.save_gradient

    def _rows(self, indices):
        return _with_table_factors(self, indices, super()._rows(indices))
