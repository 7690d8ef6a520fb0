"""Gradient Primitives: `mindspore.ops.operations._grad_ops`, a private module.

A row of `_ROWS` maps the signature of a class, attributes and inputs, to its computation. Most rows
are the VJP of the operation of that name (`_pull`); some are formulas in its result, and some of
the poolings use the indices of the largest elements (`_spread`, `_chosen`).
"""

import math
from typing import Any

import numpy as np

from sporax import ops
from sporax._src.core.dtype import bool_ as ms_bool
from sporax._src.core.tensor import Tensor
from sporax._src.mindspore.compat.inner_primitives import declared, sizes
from sporax._src.transforms.autodiff.jacobian import jvp, vjp


def _pull(forward, cotangent, *inputs):
    """Compute the VJP with respect to the inputs: a Tensor, or a tuple for several inputs."""
    gradients = vjp(forward, *inputs)[1](cotangent)
    return gradients[0] if len(inputs) == 1 else gradients


def _pull_to(shape, forward, cotangent):
    """Compute the VJP of a function that is linear in an input of this shape."""
    return _pull(forward, cotangent, ops.zeros(sizes(shape), cotangent.dtype))


def _last(sizes) -> Any:
    """Return the last three (depth, height, width) of five sizes, other sizes unchanged."""
    return sizes[2:] if isinstance(sizes, tuple) and len(sizes) == 5 else sizes


def _spread(like, values, indices, n_dims):
    """Add values to zeros of `like`'s shape, at indices within the last `n_dims` dimensions."""
    rows = math.prod(like.shape[:-n_dims])
    flat = ops.zeros((rows, math.prod(like.shape[-n_dims:])), values.dtype)
    indices = indices.reshape((rows, -1)).astype("int64")
    added = ops.tensor_scatter_elements(flat, indices, values.reshape((rows, -1)), 1, "add")
    return added.reshape(like.shape)


def _chosen(values, indices, n_dims):
    """Gather the values at indices within the last `n_dims` dimensions."""
    rows = math.prod(values.shape[:-n_dims])
    flat = indices.reshape((rows, -1)).astype("int64")
    return ops.gather_elements(values.reshape((rows, -1)), 1, flat).reshape(indices.shape)


def _batch_norm(
    is_training, epsilon, data_format, dout, x, scale, saved_mean, saved_variance, reserve
):
    """Return (dx, dscale, dbias) for the given mean and variance."""
    channel = x.ndim - 1 if data_format == "NHWC" else 1
    axes = tuple(axis for axis in range(x.ndim) if axis != channel)
    shape = [n if axis == channel else 1 for axis, n in enumerate(x.shape)]
    given = (scale, saved_mean, saved_variance)
    scale, mean, variance = (vector.reshape(shape) for vector in given)
    inverse = ops.rsqrt(variance + epsilon)
    normal = (x - mean) * inverse
    dx = dout
    if is_training:
        dx = dout - dout.mean(axes, True) - normal * (dout * normal).mean(axes, True)
    return dx * scale * inverse, (dout * normal).sum(axes), dout.sum(axes)


def _layer_norm(begin_norm_axis, begin_params_axis, x, dy, variance, mean, gamma):
    """Return (dx, dgamma, dbeta) for the given mean and variance."""
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    rows = tuple(range(begin_params_axis % x.ndim))
    inverse = ops.rsqrt(variance + 1e-7)
    normal, scaled = (x - mean) * inverse, dy * gamma
    centred = scaled - scaled.mean(axes, True) - normal * (scaled * normal).mean(axes, True)
    return centred * inverse, (dy * normal).sum(rows), dy.sum(rows)


def _layer_norm_twice(
    begin_norm_axis, begin_params_axis, x, dy, variance, mean, gamma, d_dx, d_dg, d_db
):
    """Compute the VJP of `_layer_norm` with respect to x, dy and gamma, with the moments of x."""
    axes = tuple(range(begin_norm_axis % x.ndim, x.ndim))

    def first(x, dy, gamma):
        mean = x.mean(axes, True)
        variance = ((x - mean) ** 2).mean(axes, True)
        return _layer_norm(begin_norm_axis, begin_params_axis, x, dy, variance, mean, gamma)

    return vjp(first, x, dy, gamma)[1](d_dx, d_dg, d_db)


def _segments(power, x, indices, segment_ids, output_dim0):
    """Add rows of `x` by segment, divided by the segment sizes to a power, at `indices`."""
    ids = segment_ids.astype("int64")
    counts = ops.zeros((x.shape[0],), x.dtype).index_add(0, ids, ops.ones(ids.shape, x.dtype))
    rows = x[ids] / (counts[ids] ** power).reshape((-1,) + (1,) * (x.ndim - 1))
    out = ops.zeros((sizes(ops.flatten(output_dim0))[0], *x.shape[1:]), x.dtype)
    return out.index_add(0, indices.astype("int64"), rows)


def _unpadded(shape, paddings):
    paddings = paddings.asnumpy() if isinstance(paddings, Tensor) else np.array(paddings)
    return tuple((np.array(shape) - paddings.sum(-1)).tolist())


def _padded(mode, paddings_contiguous, x, paddings):
    """Compute the VJP of padding; the first pair is of the last axis."""
    widths = np.reshape(sizes(paddings), (-1, 2) if paddings_contiguous else (2, -1))
    totals = widths.sum(1 if paddings_contiguous else 0)[::-1]
    n_kept = x.ndim - len(totals)
    shape = (*x.shape[:n_kept], *np.subtract(x.shape[n_kept:], totals).tolist())
    pad = ops.PadV3(mode, paddings_contiguous)
    return _pull_to(shape, lambda v: pad(v, paddings), x)


def _fractional_mean(
    overlapping, orig_input_tensor_shape, out_backprop, row_pooling_sequence, col_pooling_sequence
):
    """Spread each element over its cell of the input, in equal parts; channels are last."""
    dy = out_backprop
    for axis, starts in [(1, row_pooling_sequence), (2, col_pooling_sequence)]:
        indices = ops.arange(sizes(orig_input_tensor_shape)[axis])
        ends = starts[1:] + 1 if overlapping else starts[1:]
        cells = (indices >= starts[:-1, None]) & (indices < ends[:, None])
        share = cells.astype(dy.dtype if dy.is_floating_point() else "float64")
        share = share / share.sum(1, keepdims=True)
        dy = ops.tensor_dot(dy.astype(share.dtype), share, ((axis,), (0,))).moveaxis(-1, axis)
    return dy.astype(out_backprop.dtype)


def _fractional_max(
    overlapping, orig_input, orig_output, out_backprop, row_pooling_sequence, col_pooling_sequence
):
    """Add each element to the first maximum of its cell of the input; channels are last."""
    inside = []
    for n, starts in zip(orig_input.shape[1:3], (row_pooling_sequence, col_pooling_sequence),
                         strict=True):  # fmt: skip
        indices = ops.arange(n)
        ends = starts[1:] + 1 if overlapping else starts[1:]
        inside.append((indices >= starts[:-1, None]) & (indices < ends[:, None]))
    cells = inside[0][:, None, :, None] & inside[1][None, :, None, :]
    x, dy = (t.moveaxis(-1, 1) for t in (orig_input, out_backprop))
    floating = x.is_floating_point()
    least = -math.inf if floating else int(np.iinfo(x._value.aval.dtype).min)
    seen = ops.where(cells, x[:, :, None, None], least)
    return _spread(x, dy, seen.reshape((*dy.shape, -1)).argmax(-1), 2).moveaxis(1, -1)


def _resized(forward, grads, size):
    """Compute the VJP of resizing an input of this size."""
    return _pull_to((*grads.shape[:2], *sizes(size)), forward, grads)


def _grid_sampled(
    interpolation_mode, padding_mode, align_corners, output_mask, grad, input_x, grid
):
    def forward(x, grid):
        return ops.grid_sample(x, grid, interpolation_mode, padding_mode, align_corners)

    both = _pull(forward, grad, input_x, grid)
    return tuple(g for g, wanted in zip(both, output_mask, strict=True) if wanted)


def _nll_loss(reduction, ignore_index, logits, loss_grad, labels, weight, total_weight):
    forward = ops.NLLLoss(reduction, ignore_index)
    return _pull(lambda x: forward(x, labels, weight)[0], loss_grad, logits)


def _strided_slice(
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask, dy, shapex, begin, end,
    strides,
):  # fmt: skip
    prim = ops.StridedSlice(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    limits = [sizes(limit) for limit in (begin, end, strides)]

    def taken(x):  # MindSpore's kernel takes any shape of `dy` with this number of elements
        return prim(x, *limits).reshape(dy.shape)

    if dy.dtype == ms_bool:
        return _pull_to(shapex, taken, dy.astype("float32")).astype(ms_bool)
    return _pull_to(shapex, taken, dy)


def _roi_align(pooled_height, pooled_width, spatial_scale, sample_num, dy, rois, xdiff_shape):
    forward = ops.ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num)
    return _pull_to(xdiff_shape, lambda x: forward(x, rois), dy)


def _average_pooling_3d(
    kernel_size, strides, pads, ceil_mode, count_include_pad, divisor_override, data_format,
    pad_mode, origin_input_shape, grads,
):  # fmt: skip
    forward = ops.AvgPool3D(
        kernel_size, strides, pad_mode, pads, ceil_mode, count_include_pad, divisor_override,
        data_format,
    )  # fmt: skip
    return _pull_to(origin_input_shape, forward, grads)


def _filters(
    out_channel, kernel_size, pad_mode, pad, pad_list, mode, stride, dilation, group, data_format,
    out_backprop, input, filter_sizes,
):  # fmt: skip
    n_filters, _, *window = sizes(filter_sizes)  # MindSpore's kernel reads only these
    forward = ops.Conv2D(
        n_filters, tuple(window), mode, pad_mode, pad, stride, dilation, group, data_format
    )
    return _pull_to(filter_sizes, lambda weight: forward(input, weight), out_backprop)


def _filters_3d(
    out_channel, kernel_size, mode, pad_mode, pad, stride, dilation, group, data_format, x,
    out_backprop, filter_size,
):  # fmt: skip
    forward = ops.Conv3D(
        out_channel, kernel_size, mode, pad_mode, pad, _last(stride), _last(dilation), group,
        data_format=data_format,
    )  # fmt: skip
    return _pull_to(filter_size, lambda weight: forward(x, weight), out_backprop)


def _deformable_offsets(
    strides, pads, kernel_size, dilations, data_format, deformable_groups, modulated, out_backprop,
    input, offsets,
):  # fmt: skip
    """Take the number of windows from the offsets, as MindSpore's kernel does."""
    first, pads = 1 if data_format == "NHWC" else 2, list(pads)
    for i, (n, size) in enumerate(zip(offsets.shape[first:], input.shape[first:], strict=False)):
        if i < 2:
            reach = (n - 1) * strides[first + i] + dilations[first + i] * (kernel_size[i] - 1) + 1
            pads[2 * i + 1] = reach - size - pads[2 * i]
    forward = ops.DeformableOffsets(
        strides, pads, kernel_size, dilations, data_format, deformable_groups, modulated
    )
    return _pull(forward, out_backprop, input, offsets)


def _log_of_softmax(axis, logits, grad):
    return grad - ops.exp(logits) * grad.sum(axis, keepdims=True)


def _softmax(dout, out, dim):
    return out * (dout - (dout * out).sum(dim, keepdims=True))


def _starts(N, axis, x):
    """Return the index of each Tensor's first element in their concatenation."""
    starts = np.zeros((len(x), x[0].ndim), np.int64)
    starts[1:, axis] = np.cumsum([t.shape[axis] for t in x[:-1]])
    return Tensor(starts)


def _masked(input, mask, grad):
    wide = ops.zeros(np.broadcast_shapes(input.shape, mask.shape), grad.dtype)
    spread = wide.masked_scatter(ops.broadcast_to(mask, wide.shape), grad)
    return _pull_to(input.shape, lambda x: ops.broadcast_to(x, wide.shape), spread)


_POOL = "kernel_size=1, strides=1, pad_mode='VALID'"
_RESIZE = "align_corners=False, half_pixel_centers=False"
_GRID = (
    "interpolation_mode='bilinear', padding_mode='zeros', align_corners=False, output_mask=(1, 1)"
)
_MASKS = "begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0"
_CONV = (
    "out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=(0, 0, 0, 0), mode=1, "
    "stride=(1, 1), dilation=(1, 1, 1, 1), group=1, data_format='NCHW'"
)
_CONV_3D = (
    "out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=(1, 1, 1, 1, 1), "
    "dilation=(1, 1, 1, 1, 1), group=1, data_format='NCDHW'"
)
_OFFSETS = (
    "strides, pads, kernel_size, dilations=(1, 1, 1, 1), data_format='NCHW', "
    "deformable_groups=1, modulated=True"
)

_ROWS = {
    # elementwise, in terms of the input
    "AbsGrad()(x, dout)": lambda x, dout: _pull(ops.abs, dout, x),
    "ACosGrad()(x, dout)": lambda x, dout: _pull(ops.acos, dout, x),
    "AsinGrad()(x, dout)": lambda x, dout: _pull(ops.asin, dout, x),
    "AtanGrad()(x, dout)": lambda x, dout: _pull(ops.atan, dout, x),
    "ReluGrad()(y_backprop, x)": lambda y_backprop, x: _pull(ops.relu, y_backprop, x),
    "ReLU6Grad()(y_backprop, x)": lambda y_backprop, x: _pull(ops.relu6, y_backprop, x),
    "HSwishGrad()(y_grad, x)": lambda y_grad, x: _pull(ops.hardswish, y_grad, x),
    "HSigmoidGrad()(grads, input_x)": lambda grads, input_x: _pull(
        ops.hardsigmoid, grads, input_x
    ),
    "SiLUGrad()(dout, x)": lambda dout, x: _pull(ops.silu, dout, x),
    "GeLUGrad()(dy, x, y)": lambda dy, x, y: _pull(ops.GeLU(), dy, x),
    "FastGeLUGrad()(dy, x)": lambda dy, x: _pull(ops.FastGeLU(), dy, x),
    "SoftplusGrad()(gradients, features)": lambda gradients, features: _pull(
        ops.Softplus(), gradients, features
    ),
    "HShrinkGrad(lambd=0.5)(gradients, features)": lambda lambd, gradients, features: _pull(
        ops.HShrink(lambd), gradients, features
    ),
    "SoftShrinkGrad(lambd=0.5)(input_grad, input_x)": lambda lambd, input_grad, input_x: _pull(
        ops.SoftShrink(lambd), input_grad, input_x
    ),
    "LogitGrad(eps=-1.0)(grad, input)": lambda eps, grad, input: _pull(
        ops.Logit(eps), grad, input
    ),
    "MvlgammaGrad(p)(y_grad, x)": lambda p, y_grad, x: _pull(ops.Mvlgamma(p), y_grad, x),
    "IgammaGradA()(a, x)": lambda a, x: _pull(
        lambda a: ops.igamma(a, x), ops.ones(np.broadcast_shapes(a.shape, x.shape), a.dtype), a
    ),
    "GluGrad(axis)(grads, x)": lambda axis, grads, x: _pull(ops.GLU(axis), grads, x),
    "PReLUGrad()(dy, x, weight)": lambda dy, x, weight: _pull(ops.PReLU(), dy, x, weight),
    "DropoutGrad(keep_prob=0.5)(dy, mask)": lambda keep_prob, dy, mask: (
        dy * mask / keep_prob
    ).astype(dy.dtype),
    # elementwise, in terms of the result
    "AcoshGrad()(out, dout)": lambda out, dout: dout / ops.sinh(out),
    "AsinhGrad()(out, dout)": lambda out, dout: dout / ops.cosh(out),
    "ReciprocalGrad()(y, dy)": lambda y, dy: -dy * y * y,
    "InvGrad()(x, grad)": lambda x, grad: -grad * x * x,
    "RsqrtGrad()(y_backprop, x)": lambda y_backprop, x: x * y_backprop**3 / -2,
    "SqrtGrad()(dy, y)": lambda dy, y: y / (dy * 2),
    "TanhGrad()(y, dy)": lambda y, dy: dy * (1 - y * y),
    "SigmoidGrad()(y, dy)": lambda y, dy: dy * y * (1 - y),
    "EluGrad()(dout, out)": lambda dout, out: ops.where(out > 0, dout, dout * (out + 1)),
    "LogSoftmaxGrad(axis=-1)(logits, grad)": _log_of_softmax,
    "SoftmaxBackward()(dout, out, dim=-1)": _softmax,
    # maximum and minimum
    "MaximumGrad(grad_x=True, grad_y=True)(x, y, grads)": (
        lambda grad_x, grad_y, x, y, grads: _pull(ops.maximum, grads, x, y)
    ),
    "MinimumGrad(grad_x=True, grad_y=True)(x1, x2, grads)": (
        lambda grad_x, grad_y, x1, x2, grads: _pull(ops.minimum, grads, x1, x2)
    ),
    "MaximumGradGrad(grad_x=True, grad_y=True)(x, y, dx, dy)": (
        lambda grad_x, grad_y, x, y, dx, dy: (
            ops.zeros_like(x), ops.zeros_like(y), ops.where(x >= y, dx, dy),
        )
    ),
    "MinimumGradGrad()(x1, x2, grad_y1, grad_y2)": lambda x1, x2, grad_y1, grad_y2: (
        ops.zeros_like(x1), ops.zeros_like(x2), ops.where(x1 <= x2, grad_y1, grad_y2),
    ),
    # losses and distances
    "BinaryCrossEntropyGrad(reduction='mean')(input, target, grad_output, weight=None)": (
        lambda reduction, input, target, grad_output, weight: _pull(
            lambda x: ops.BinaryCrossEntropy(reduction)(x, target, weight), grad_output, input
        )
    ),
    "SigmoidCrossEntropyWithLogitsGrad()(x, y, dout)": lambda x, y, dout: _pull(
        lambda x: ops.SigmoidCrossEntropyWithLogits()(x, y), dout, x
    ),
    "KLDivLossGrad(reduction='mean')(dout, x, y)": lambda reduction, dout, x, y: _pull(
        lambda x: ops.KLDivLoss(reduction)(x, y.abs()), dout, x
    ) * y.sign(),
    "SmoothL1LossGrad(beta=1.0, reduction='none')(prediction, target, dout)": (
        lambda beta, reduction, prediction, target, dout: _pull(
            lambda x: ops.SmoothL1Loss(beta, reduction)(x, target), dout, prediction
        )
    ),
    "NLLLossGrad(reduction='mean', ignore_index=-100)(logits, loss_grad, labels, weight, "
    "total_weight)": _nll_loss,
    "MultiMarginLossGrad(p=1, margin=1.0, reduction='mean')(y_grad, x, target, weight=None)": (
        lambda p, margin, reduction, y_grad, x, target, weight: _pull(
            lambda x: ops.MultiMarginLoss(p, margin, reduction)(x, target, weight), y_grad, x
        )
    ),
    "CdistGrad(p=2.0)(grad, input_x, input_y, cdist)": lambda p, grad, input_x, input_y, cdist: (
        _pull(lambda x: ops.cdist(x, input_y, p), grad, input_x)
    ),
    "PdistGrad(p=2.0)(y_grad, x, y)": lambda p, y_grad, x, y: _pull(
        lambda x: ops.pdist(x, p), y_grad, x
    ),
    # normalization
    "BatchNormGrad(is_training=False, epsilon=1e-05, data_format='NCHW')(dout, x, scale, "
    "saved_mean, saved_variance, reserve)": _batch_norm,
    "LayerNormGrad(begin_norm_axis=1, begin_params_axis=1)(x, dy, variance, mean, gamma)": (
        _layer_norm
    ),
    "LayerNormGradGrad(begin_norm_axis=1, begin_params_axis=1)(x, dy, variance, mean, gamma, d_dx, "
    "d_dg, d_db)": _layer_norm_twice,
    "L2NormalizeGrad(axis=0, epsilon=0.0001)(x, y, dy)": lambda axis, epsilon, x, y, dy: _pull(
        ops.L2Normalize(axis, epsilon), dy, x
    ),
    "LRNGrad(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5)(grads, x, y)": (
        lambda depth_radius, bias, alpha, beta, grads, x, y: _pull(
            ops.LRN(depth_radius, bias, alpha, beta), grads, x
        )
    ),
    "BiasAddGrad(data_format='NCHW')(dout)": lambda data_format, dout: dout.sum(
        tuple(i for i in range(dout.ndim) if i != (dout.ndim - 1 if data_format == "NHWC" else 1))
    ),
    # slices, padding, shapes
    "SliceGrad()(dy, x, begin, size)": lambda dy, x, begin, size: _pull(
        lambda x: ops.slice(x, begin, size), dy, x
    ),
    f"StridedSliceGrad({_MASKS})(dy, shapex, begin, end, strides)": _strided_slice,
    "MirrorPadGrad(mode='REFLECT')(dy, paddings)": lambda mode, dy, paddings: _pull_to(
        _unpadded(dy.shape, paddings), lambda x: ops.MirrorPad(mode)(x, paddings), dy
    ),
    "PadV3Grad(mode='reflect', paddings_contiguous=True)(x, paddings)": _padded,
    "FractionalAvgPoolGrad(overlapping=False)(orig_input_tensor_shape, out_backprop, "
    "row_pooling_sequence, col_pooling_sequence)": _fractional_mean,
    "GatherDGradV2()(x, dim, index, dout)": lambda x, dim, index, dout: _pull(
        lambda x: ops.gather_elements(x, int(dim), index), dout, x
    ),
    "MaskedSelectGrad()(input, mask, grad)": _masked,
    "ConcatOffset(N=2, axis=0)(x)": _starts,
    "FlattenGrad()(x, shape)": lambda x, shape: ops.reshape(x, sizes(shape)),
    "TraceGrad()(y_grad, x_shape)": lambda y_grad, x_shape: _pull_to(x_shape, ops.trace, y_grad),
    "TraceV2Grad()(dout, shape, offset=0, axis1=1, axis2=0)": (
        lambda dout, shape, offset, axis1, axis2: _pull_to(
            shape, lambda x: x.trace(offset, axis1, axis2), dout
        )
    ),
    "SparseSegmentMeanGrad()(x, indices, segment_ids, output_dim0)": (
        lambda x, indices, segment_ids, output_dim0: _segments(
            1, x, indices, segment_ids, output_dim0
        )
    ),
    "SparseSegmentSqrtNGrad()(x, indices, segment_ids, output_dim0)": (
        lambda x, indices, segment_ids, output_dim0: _segments(
            0.5, x, indices, segment_ids, output_dim0
        )
    ),
    # images
    f"ResizeBilinearGrad({_RESIZE})(grads, image)": (
        lambda align_corners, half_pixel_centers, grads, image: _pull(
            lambda x: ops.ResizeBilinearV2(align_corners, half_pixel_centers)(x, grads.shape[2:]),
            grads, image,
        )
    ),
    f"ResizeBicubicGrad({_RESIZE})(grads, image)": (
        lambda align_corners, half_pixel_centers, grads, image: _pull(
            lambda x: ops.ResizeBicubic(align_corners, half_pixel_centers)(x, grads.shape[2:]),
            grads, image,
        )
    ),
    "ResizeLinear1DGrad(coordinate_transformation_mode='align_corners')(grads, x)": (
        lambda coordinate_transformation_mode, grads, x: _pull(
            lambda x: ops.ResizeLinear1D(coordinate_transformation_mode)(x, grads.shape[2:]),
            grads, x,
        )
    ),
    f"ResizeNearestNeighborGrad({_RESIZE})(grads, size)": (
        lambda align_corners, half_pixel_centers, grads, size: _resized(
            ops.ResizeNearestNeighbor(grads.shape[2:], align_corners, half_pixel_centers),
            grads, size,
        )
    ),
    f"ResizeNearestNeighborV2Grad({_RESIZE})(grads, size)": (
        lambda align_corners, half_pixel_centers, grads, size: _resized(
            lambda x: ops.ResizeNearestNeighborV2(align_corners, half_pixel_centers)(
                x, grads.shape[2:]
            ),
            grads, size,
        )
    ),
    "UpsampleNearest3DGrad()(dy, input_size, output_size=None, scales=None)": (
        lambda dy, input_size, output_size, scales: _pull_to(
            input_size, lambda x: ops.UpsampleNearest3D()(x, output_size, scales), dy
        )
    ),
    "UpsampleTrilinear3DGrad(align_corners=False)(dy, input_size, output_size=None, scales=None)": (
        lambda align_corners, dy, input_size, output_size, scales: _pull_to(
            input_size,
            lambda x: ops.UpsampleTrilinear3D(align_corners)(x, output_size, scales), dy,
        )
    ),
    f"GridSampler2DGrad({_GRID})(grad, input_x, grid)": _grid_sampled,
    f"GridSampler3DGrad({_GRID})(grad, input_x, grid)": _grid_sampled,
    "ROIAlignGrad(pooled_height, pooled_width, spatial_scale, sample_num=2)(dy, rois, "
    "xdiff_shape)": _roi_align,
    # poolings
    f"AvgPoolGrad({_POOL}, data_format='NCHW')(x, out, dout)": (
        lambda kernel_size, strides, pad_mode, data_format, x, out, dout: _pull(
            ops.AvgPool(kernel_size, strides, pad_mode, data_format), dout, x
        )
    ),
    f"MaxPoolGrad({_POOL}, data_format='NCHW')(x, out, grad)": (
        lambda kernel_size, strides, pad_mode, data_format, x, out, grad: _pull(
            ops.MaxPool(kernel_size, strides, pad_mode, data_format), grad, x
        )
    ),
    "AvgPool3DGrad(kernel_size=1, strides=1, pads=0, ceil_mode=False, count_include_pad=True, "
    "divisor_override=0, data_format='NCDHW', pad_mode='pad')(origin_input_shape, grads)": (
        _average_pooling_3d
    ),
    "MaxPool3DGrad(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, data_format='NCDHW')(x, "
    "out, grad)": lambda kernel_size, strides, pad_mode, pad_list, data_format, x, out, grad: _pull(
        ops.MaxPool3D(
            _last(kernel_size), _last(strides), pad_mode, pad_list, None, data_format), grad, x
    ),
    f"MaxPoolGradGrad({_POOL})(x, out, grad)": (
        lambda kernel_size, strides, pad_mode, x, out, grad: jvp(
            ops.MaxPool(kernel_size, strides, pad_mode), x, grad
        )[1]
    ),
    f"MaxPool3DGradGrad({_POOL}, data_format='NCDHW')(x, out, grad)": (
        lambda kernel_size, strides, pad_mode, data_format, x, out, grad: jvp(
            ops.MaxPool3D(
                _last(kernel_size), _last(strides), pad_mode, data_format=data_format), x, grad
        )[1]
    ),
    "AdaptiveAvgPool2DGrad()(input_grad, orig_input_shape)": lambda input_grad, orig_input_shape: (
        _pull_to(orig_input_shape, ops.AdaptiveAvgPool2D(input_grad.shape[-2:]), input_grad)
    ),
    "AdaptiveAvgPool3DGrad()(y_grad, orig_input_shape)": lambda y_grad, orig_input_shape: _pull_to(
        orig_input_shape, ops.AdaptiveAvgPool3D(y_grad.shape[-3:]), y_grad
    ),
    # poolings, by the indices of the largest elements
    f"MaxPoolGradWithArgmax({_POOL}, data_format='NCHW')(x, grad, argmax)": (
        lambda kernel_size, strides, pad_mode, data_format, x, grad, argmax: _spread(
            x, grad, argmax, 3
        )
    ),
    "MaxPoolGradWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, "
    "argmax_type=None)(x, grad, argmax)": (
        lambda kernel_size, strides, pads, dilation, ceil_mode, argmax_type, x, grad, argmax: (
            _spread(x, grad, argmax, 2)
        )
    ),
    "MaxPool3DGradWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, "
    "data_format='NCDHW')(x, grads, argmax)": (
        lambda ksize, strides, pads, dilation, ceil_mode, data_format, x, grads, argmax: _spread(
            x, grads, argmax, 3
        )
    ),
    f"MaxPoolGradGradWithArgmax({_POOL})(x, grad, argmax)": (
        lambda kernel_size, strides, pad_mode, x, grad, argmax: _chosen(grad, argmax, 3)
    ),
    "AdaptiveMaxPool2DGrad()(y_grad, x, argmax)": lambda y_grad, x, argmax: _spread(
        x, y_grad, argmax, 2
    ),
    "AdaptiveMaxPool3DGrad()(input_grad, x, argmax)": lambda input_grad, x, argmax: _spread(
        x, input_grad, argmax, 3
    ),
    "FractionalMaxPoolGrad(overlapping=False)(orig_input, orig_output, out_backprop, "
    "row_pooling_sequence, col_pooling_sequence)": _fractional_max,
    "FractionalMaxPoolGradWithFixedKsize(data_format='NCHW')(origin_input, out_backprop, argmax)": (
        lambda data_format, origin_input, out_backprop, argmax: _spread(
            origin_input, out_backprop, argmax, 2
        )
    ),
    "FractionalMaxPool3DGradWithFixedKsize(data_format='NCDHW')(origin_input, out_backprop, "
    "argmax)": lambda data_format, origin_input, out_backprop, argmax: _spread(
        origin_input, out_backprop, argmax, 3
    ),
    "MaxUnpool2DGrad(ksize, strides=0, pads=0, output_shape=(), data_format='NCHW')(x, grads, "
    "argmax)": lambda ksize, strides, pads, output_shape, data_format, x, grads, argmax: _chosen(
        grads, argmax, 2
    ),
    "MaxUnpool3DGrad(ksize, strides=0, pads=0, output_shape=(), data_format='NCDHW')(x, grads, "
    "argmax)": lambda ksize, strides, pads, output_shape, data_format, x, grads, argmax: _chosen(
        grads, argmax, 3
    ),
    # convolutions
    f"Conv2DBackpropFilter({_CONV})(out_backprop, input, filter_sizes)": _filters,
    f"Conv3DBackpropFilter({_CONV_3D})(x, out_backprop, filter_size)": _filters_3d,
    f"DeformableOffsetsGrad({_OFFSETS})(out_backprop, input, offsets)": _deformable_offsets,
}  # fmt: skip


_CLASSES = declared(_ROWS, __name__)
__all__ = list(_CLASSES)
globals().update(_CLASSES)
