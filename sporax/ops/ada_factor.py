"""AdaFactor's step: its formula, and the Primitives that compute it."""

import jax.numpy as jnp

from sporax._src.core.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op
from sporax.ops.indexing.assignment import put
from sporax.ops.operand_checks import require_number


def _rms(x):
    return jnp.sqrt(jnp.mean(x * x))


def ada_factor(
    param, mean, row, col, square, grad, rate, beta2, beta1, clip, least, smallest, *,
    weight_decay, scales, averages,
):  # fmt: skip
    """Return the new parameter and its four means; unused means are returned unchanged."""
    squares = grad * grad + least
    if param.ndim > 1:
        row = beta2 * row + (1 - beta2) * squares.mean(-1)
        col = beta2 * col + (1 - beta2) * squares.mean(-2)
        share = row / row.mean(-1, keepdims=True)
        change = grad / jnp.sqrt(share[..., None] * col[..., None, :])
    else:
        square = beta2 * square + (1 - beta2) * squares
        change = grad / jnp.sqrt(square)
    if scales:
        rate = rate * jnp.maximum(smallest, _rms(param))
    change = rate * change / jnp.maximum(1, _rms(change) / clip)
    if averages:
        change = mean = beta1 * mean + (1 - beta1) * change
    return param * (1 - rate * weight_decay) - change, mean, row, col, square


def _shapes(
    gradient, param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, epsilon, *numbers,
):  # fmt: skip
    """Raise ValueError if operand shapes do not match; unused means may have any shape."""
    shape = param.shape
    wanted = {"gradient": (gradient, shape), "epsilon": (epsilon, (2,))}
    if len(shape) > 1:
        wanted["exp_avg_sq_row"] = exp_avg_sq_row, shape[:-1]
        wanted["exp_avg_sq_col"] = exp_avg_sq_col, (*shape[:-2], shape[-1])
    else:
        wanted["exp_avg_sq"] = exp_avg_sq, shape
    for name, (aval, size) in wanted.items():
        fits, given = aval.shape == size, {"argument": name, "got": describe(aval)}
        require(fits, "shape-shape-size", "FusedAdaFactor", shape=size, **given)
    names = (
        "clip_threshold", "beta1", "beta2", "weight_decay", "learning_rate", "global_norm"
    )  # fmt: skip
    require_number("FusedAdaFactor", **dict(zip(names, numbers, strict=True)))


@op(function=(), name="FusedAdaFactor", differentiable=False, converts=False, check=_shapes)
def ada_factor_step(
    gradient: Array, param: Array, exp_avg: Array, exp_avg_sq_row: Array, exp_avg_sq_col: Array,
    exp_avg_sq: Array, epsilon: Array, clip_threshold: Array, beta1: Array, beta2: Array,
    weight_decay: Array, learning_rate: Array, global_norm: Array, scales=False, averages=False,
    decays=False,
) -> tuple:  # fmt: skip
    """Return the new parameter and its four means; unused means are returned unchanged."""
    wide = jnp.promote_types(param.dtype, jnp.float32)
    kept = param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq
    x, mean, row, col, square = [each.astype(wide) for each in kept]
    numbers = clip_threshold, beta1, beta2, weight_decay, learning_rate, global_norm
    clip, beta1, beta2, decay, rate, norm = [n.astype(wide).reshape(()) for n in numbers]
    least, smallest = epsilon.astype(wide)
    new = ada_factor(
        x, mean, row, col, square, gradient.astype(wide) / norm, rate, beta2, beta1, clip, least,
        smallest, weight_decay=decay if decays else 0, scales=scales, averages=averages,
    )  # fmt: skip
    return tuple(n.astype(k.dtype) for n, k in zip(new, kept, strict=True))


_ATTRIBUTES = "(enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False)"
_INPUTS = (
    "(epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, "
    "exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq"
)


@composite(
    primitive=(
        f"FusedAdaFactor{_ATTRIBUTES}{_INPUTS})",
        f"FusedAdaFactorWithGlobalNorm{_ATTRIBUTES}{_INPUTS}, global_norm)",
    ),
    function=(), op="ada_factor_step", name="FusedAdaFactor",
)  # fmt: skip
def fused_ada_factor(
    epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, exp_avg,
    exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, global_norm=1.0, enable_scale_parameter=False,
    enable_first_moment=False, enable_weight_decay=False,
):  # fmt: skip
    r"""AdaFactor's step (Shazeer and Stern, 2018), with $g$ divided by `global_norm`. For a matrix,
    it keeps only the means $R$ and $C$ of the rows and columns of $g^2 + \epsilon_1$:

    $\hat V = \frac{R C}{\operatorname{mean}(R)}$, $U = g / \sqrt{\hat V}$, $\hat U = U / \max(1,
    \operatorname{RMS}(U) / d)$, $w \leftarrow w - \eta \hat U$; $d$ is `clip_threshold`. For a
    vector, it keeps $\hat V$, `exp_avg_sq`, itself. Updates `param` and the means in use in place;
    returns the new `param`.

    `epsilon`: the pair $\epsilon_1, \epsilon_2$. `enable_scale_parameter`: $\eta$ is multiplied by
    $\max(\epsilon_2, \operatorname{RMS}(w))$; `enable_first_moment`: $w$ changes by the mean
    `exp_avg` of the changes; `enable_weight_decay`: $w$ is multiplied by $1 - \eta \lambda$ before.

    >>> w, mean, row, col, square = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0, 0.0, 0.0))
    >>> step = ops.FusedAdaFactor()
    >>> numbers = (1e-30, 1e-3), 1.0, 0.9, 0.0, 0.0, 0.5
    >>> step(*numbers, Tensor([4.0]), w, mean, row, col, square).asnumpy()
    array([0.5], dtype=float32)
    """
    variables = {
        "param": param, "exp_avg": exp_avg, "exp_avg_sq_row": exp_avg_sq_row,
        "exp_avg_sq_col": exp_avg_sq_col, "exp_avg_sq": exp_avg_sq,
    }  # fmt: skip
    for name, variable in variables.items():
        fits, given = isinstance(variable, Tensor), {"argument": name, "got": variable}
        require(fits, "parameter-tensor-gets-new", "FusedAdaFactor", **given)
    if isinstance(epsilon, (tuple, list)):
        epsilon = Tensor([float(e) for e in epsilon])
    results = ada_factor_step(
        gradient, *variables.values(), epsilon, clip_threshold, beta1, beta2, weight_decay,
        learning_rate, global_norm, enable_scale_parameter, enable_first_moment,
        enable_weight_decay,
    )  # fmt: skip
    new, *_ = [
        put("FusedAdaFactor", *each) for each in zip(variables.values(), results, strict=True)
    ]
    return new
