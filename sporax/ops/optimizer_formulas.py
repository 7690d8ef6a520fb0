"""Optimizer steps: a formula on arrays each, and the Primitives that compute it.

A formula takes the variables, `grad`, scalars, and after `*` the static arguments; it returns the
new variables. `sporax._src.optim` uses the same formulas.
"""

import jax.numpy as jnp

from sporax._src.core.errors import describe
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, op
from sporax.ops.operand_checks import require_number
from sporax.ops.optimizer_updates import update


def moments(m, v, grad, beta1, beta2):
    return m + (grad - m) * (1 - beta1), v + (grad * grad - v) * (1 - beta2)


_ADAM = (
    "(use_locking=False, use_nesterov: nesterov = False)(var, m, v, beta1_power, beta2_power, lr, "
    "beta1, beta2, epsilon, gradient: grad"
)


def _adam_step(m, v, grad, lr, beta1_power, beta2_power, beta1, beta2, epsilon, nesterov):
    m, v = moments(m, v, grad, beta1, beta2)
    ahead = beta1 * m + (1 - beta1) * grad if nesterov else m
    lr = lr * jnp.sqrt(1 - beta2_power) / (1 - beta1_power)
    return lr * ahead / (jnp.sqrt(v) + epsilon), m, v


@update(
    f"Adam{_ADAM})",
    rows=[f"FusedSparseLazyAdam{_ADAM}, indices)"],
    scattered=[f"FusedSparseAdam{_ADAM}, indices)"],
)
def adam(
    var, m, v, grad, lr, beta1_power, beta2_power, beta1, beta2, epsilon, *, nesterov=False
):  # fmt: skip
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$,
    $w \leftarrow w - \eta \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m}{\sqrt{v} + eps}$.

    `use_nesterov`: $\beta_1 m + (1 - \beta_1) g$ in place of $m$. `indices`: the rows in
    `gradient`; repeated ones are summed. FusedSparseLazyAdam changes only these rows,
    FusedSparseAdam all.

    >>> var, m, v = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0))
    >>> var, m, v = ops.Adam()(var, m, v, 0.5, 0.75, 0.1, 0.5, 0.75, 0.0, Tensor([4.0]))
    >>> var.asnumpy(), m.asnumpy(), v.asnumpy()
    (array([0.9], dtype=float32), array([2.], dtype=float32), array([4.], dtype=float32))
    """
    step, m, v = _adam_step(
        m, v, grad, lr, beta1_power, beta2_power, beta1, beta2, epsilon, nesterov
    )
    return var - step, m, v


@update(f"AdamNoUpdateParam{_ADAM.replace('var, ', '')}) -> change")
def adam_change(
    m, v, grad, lr, beta1_power, beta2_power, beta1, beta2, epsilon, *, nesterov=False
):  # fmt: skip
    """Return the change that `Adam` adds to the weights, which are not changed; `m` and `v` are.

    >>> m, v = (Parameter(Tensor([x])) for x in (0.0, 0.0))
    >>> adam = ops.AdamNoUpdateParam()
    >>> adam(m, v, 0.5, 0.75, 0.1, 0.5, 0.75, 0.0, Tensor([4.0])).asnumpy()
    array([-0.1], dtype=float32)
    """
    step, m, v = _adam_step(
        m, v, grad, lr, beta1_power, beta2_power, beta1, beta2, epsilon, nesterov
    )
    return -step, m, v


@update(
    "ApplyAdamWithAmsgrad(beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False)"
    "(var, m, v, vhat, beta1_power, beta2_power, lr, grad)",
    "ApplyAdamWithAmsgradV2(use_locking=False)"
    "(var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad)",
)
def amsgrad(var, m, v, vhat, grad, lr, beta1_power, beta2_power, beta1, beta2, epsilon):
    r"""`Adam` with $\hat v \leftarrow \max(\hat v, v)$ in place of $v$ under the root.

    >>> var, m, v, top = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0, 16.0))
    >>> amsgrad = ops.ApplyAdamWithAmsgrad(0.5, 0.75, 0.0)
    >>> amsgrad(var, m, v, top, 0.5, 0.75, 0.1, Tensor([4.0]))[0].asnumpy()
    array([0.95], dtype=float32)
    """
    m, v = moments(m, v, grad, beta1, beta2)
    vhat = jnp.maximum(vhat, v)
    lr = lr * jnp.sqrt(1 - beta2_power) / (1 - beta1_power)
    return var - lr * m / (jnp.sqrt(vhat) + epsilon), m, v, vhat


_DECAYED = "(use_locking=False)(var, m, v, lr, beta1, beta2, epsilon, decay, gradient: grad"


@update(f"AdamWeightDecay{_DECAYED})")
def adam_weight_decay(var, m, v, grad, lr, beta1, beta2, epsilon, decay):
    r"""$m$, $v$ as in `Adam`, $w \leftarrow w - \eta (\frac{m}{\sqrt{v} + eps} + \lambda w)$.

    $\lambda$ is `decay`. The gradient may have a different dtype than the variables.

    >>> var, m, v = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0))
    >>> decayed = ops.AdamWeightDecay()
    >>> decayed(var, m, v, 0.1, 0.5, 0.75, 1e-6, 0.5, Tensor([0.0]))[0].asnumpy()
    array([0.95], dtype=float32)
    """
    m, v = moments(m, v, grad, beta1, beta2)
    return var - lr * (m / (jnp.sqrt(v) + epsilon) + decay * var), m, v


@update(f"FusedCastAdamWeightDecay{_DECAYED}, global_norm)")
def adam_weight_decay_of_norm(var, m, v, grad, lr, beta1, beta2, epsilon, decay, global_norm):
    """`AdamWeightDecay` with the gradient divided by `global_norm`.

    >>> var, m, v = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0))
    >>> decayed = ops.FusedCastAdamWeightDecay()
    >>> decayed(var, m, v, 0.1, 0.5, 0.75, 0.0, 0.0, Tensor([8.0]), 2.0)[1].asnumpy()
    array([2.], dtype=float32)
    """
    return adam_weight_decay(var, m, v, grad / global_norm, lr, beta1, beta2, epsilon, decay)


@update("ApplyAdaMax()(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad)")
def ada_max(var, m, v, grad, lr, beta1_power, beta1, beta2, epsilon):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \max(\beta_2 v, |g|)$,
    $w \leftarrow w - \frac{\eta}{1 - \beta_1^t} \frac{m}{v + eps}$.

    >>> var, m, v = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0))
    >>> ops.ApplyAdaMax()(var, m, v, 0.5, 0.25, 0.5, 0.5, 0.0, Tensor([4.0]))[0].asnumpy()
    array([0.75], dtype=float32)
    """
    m = beta1 * m + (1 - beta1) * grad
    v = jnp.maximum(beta2 * v, jnp.abs(grad))
    return var - lr / (1 - beta1_power) * m / (v + epsilon), m, v


@update(
    "ApplyAdadelta()(var, accum, accum_update, lr, rho, epsilon, grad)",
    rows=[
        "SparseApplyAdadelta(epsilon, use_locking=False)"
        "(var, accum, accum_update, lr, rho, grad, indices)"
    ],
)
def adadelta(var, accum, accum_update, grad, lr, rho, epsilon):
    r"""$s \leftarrow \rho s + (1 - \rho) g^2$, $d = \sqrt{\frac{u + \epsilon}{s + \epsilon}} g$,
    $u \leftarrow \rho u + (1 - \rho) d^2$, $w \leftarrow w - \eta d$.

    $s$ is `accum`, $u$ `accum_update`. `indices`: the rows to change; repeated ones are summed.

    >>> var, accum, accum_update = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0))
    >>> step = ops.ApplyAdadelta()
    >>> step(var, accum, accum_update, 1.0, 0.75, 1.0, Tensor([2.0]))[1].asnumpy()
    array([1.], dtype=float32)
    """
    accum = rho * accum + (1 - rho) * grad * grad
    change = jnp.sqrt((accum_update + epsilon) / (accum + epsilon)) * grad
    accum_update = rho * accum_update + (1 - rho) * change * change
    return var - lr * change, accum, accum_update


@update(
    "ApplyAdagrad(update_slots=True)(var, accum, lr, grad)",
    "ApplyAdagradV2(epsilon, update_slots=True)(var, accum, lr, grad)",
    rows=[
        "SparseApplyAdagrad(lr, update_slots=True, use_locking=False)(var, accum, grad, indices)",
        "SparseApplyAdagradV2(lr, epsilon, use_locking=False, update_slots=True)"
        "(var, accum, grad, indices)",
    ],
)
def adagrad(var, accum, grad, lr, epsilon=0.0, *, update_slots=True):
    r"""$s \leftarrow s + g^2$ (if `update_slots`), $w \leftarrow w - \frac{\eta g}{\sqrt{s} +
    eps}$; $s$ is `accum`.

    `indices`: the rows to change; repeated ones are summed.

    >>> var, accum = (Parameter(Tensor([x])) for x in (1.0, 0.0))
    >>> ops.ApplyAdagrad()(var, accum, 0.5, Tensor([4.0]))[0].asnumpy()
    array([0.5], dtype=float32)
    """
    if update_slots:
        accum = accum + grad * grad
    return var - lr * grad / (jnp.sqrt(accum) + epsilon), accum


@update(
    "ApplyAdagradDA(use_locking=False)(var, gradient_accumulator, gradient_squared_accumulator, "
    "grad, lr, l1, l2, global_step) -> var"
)
def adagrad_da(
    var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step
):  # fmt: skip
    r"""$a \leftarrow a + g$, $s \leftarrow s + g^2$, $w \leftarrow \frac{-\eta
    \operatorname{sign}(a) \max(|a| - l_1 t, 0)}{l_2 t \eta + \sqrt{s}}$; $t$ is `global_step`.

    Dual averaging (Duchi et al., 2011).

    >>> var, a, s = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0))
    >>> ops.ApplyAdagradDA()(var, a, s, Tensor([4.0]), 0.5, 1.0, 0.0, 2).asnumpy()
    array([-0.25], dtype=float32)
    """
    total = gradient_accumulator + grad
    squares = gradient_squared_accumulator + grad * grad
    divisor = l2 * global_step * lr + jnp.sqrt(squares)
    return -lr * shrunk(total, l1 * global_step) / divisor, total, squares


def shrunk(x, by):
    """Soft thresholding of `x`, by `by`."""
    return jnp.where(jnp.abs(x) > by, x - jnp.sign(x) * by, 0)


_FTRL_ATTRIBUTES = "lr_power, use_locking=False)(var, accum, linear, grad, indices)"


@update(
    "ApplyFtrl(use_locking=False)(var, accum, linear, grad, lr, l1, l2, lr_power) -> var",
    rows=[
        f"SparseApplyFtrl(lr, l1, l2, {_FTRL_ATTRIBUTES}",
        f"SparseApplyFtrlV2(lr, l1, l2, l2_shrinkage, {_FTRL_ATTRIBUTES}",
        f"FusedSparseFtrl(lr, l1, l2, {_FTRL_ATTRIBUTES}",
    ],
)
def ftrl(var, accum, linear, grad, lr, l1, l2, lr_power, *, l2_shrinkage=0):
    r"""$s' = s + g^2$, $z \leftarrow z + g - \frac{s'^{-q} - s^{-q}}{\eta} w$, then
    $w \leftarrow \frac{\operatorname{sign}(z) l_1 - z}{s'^{-q} / \eta + 2 l_2}$ where
    $|z| > l_1$ and 0 elsewhere; $s$ is `accum`, $z$ `linear`, $q$ `lr_power`.

    `l2_shrinkage`: $2 w$ times it is added to the $g$ of $z$. `indices`: the rows to change;
    repeated ones are summed.

    >>> var, accum, linear = (Parameter(Tensor([x])) for x in (0.0, 0.0, 0.0))
    >>> ops.ApplyFtrl()(var, accum, linear, Tensor([4.0]), 1.0, 0.0, 0.0, -0.5).asnumpy()
    array([-1.], dtype=float32)
    """
    grown = accum + grad * grad
    strength, before = grown**-lr_power, accum**-lr_power
    if l2_shrinkage:
        grad = grad + 2 * l2_shrinkage * var
    linear = linear + grad - (strength - before) / lr * var  # in MindSpore's order of rounding
    return shrunk(-linear, l1) / (strength / lr + 2 * l2), grown, linear


@update("ApplyGradientDescent()(var, alpha: lr, delta: grad)")
def gradient_descent(var, grad, lr):
    r"""$w \leftarrow w - \alpha \delta$.

    >>> ops.ApplyGradientDescent()(Parameter(Tensor([1.0])), 0.5, Tensor([4.0])).asnumpy()
    array([-1.], dtype=float32)
    """
    return (var - lr * grad,)


@update("ApplyProximalGradientDescent()(var, alpha: lr, l1, l2, delta: grad)")
def proximal_gradient_descent(var, grad, lr, l1, l2):
    r"""$p = w - \alpha \delta$, $w \leftarrow \frac{\operatorname{sign}(p)}{1 + \alpha l_2}
    \max(|p| - \alpha l_1, 0)$.

    >>> step = ops.ApplyProximalGradientDescent()
    >>> step(Parameter(Tensor([1.0])), 0.5, 1.0, 2.0, Tensor([4.0])).asnumpy()
    array([-0.25], dtype=float32)
    """
    return (shrunk(var - lr * grad, lr * l1) / (1 + lr * l2),)


_PROXIMAL = "ProximalAdagrad(use_locking=False)(var, accum, lr, l1, l2, grad"


@update(
    f"Apply{_PROXIMAL})",
    rows=[f"SparseApply{_PROXIMAL}, indices)", f"FusedSparse{_PROXIMAL}, indices)"],
)
def proximal_adagrad(var, accum, grad, lr, l1, l2):
    r"""$s \leftarrow s + g^2$, $p = w - \frac{\eta}{\sqrt{s}} g$, $w \leftarrow
    \frac{\operatorname{sign}(p)}{1 + \eta l_2 / \sqrt{s}} \max(|p| - \eta l_1 / \sqrt{s}, 0)$.

    `indices`: the rows to change; repeated ones are summed.

    >>> var, accum = (Parameter(Tensor([x])) for x in (1.0, 0.0))
    >>> ops.ApplyProximalAdagrad()(var, accum, 0.5, 0.0, 0.0, Tensor([4.0]))[0].asnumpy()
    array([0.5], dtype=float32)
    """
    accum = accum + grad * grad
    lr = lr / jnp.sqrt(accum)
    return shrunk(var - lr * grad, lr * l1) / (1 + lr * l2), accum


@update(
    "ApplyRMSProp(use_locking=False)(var, mean_square, moment, learning_rate: lr, grad, decay, "
    "momentum, epsilon) -> var"
)
def rmsprop(var, mean_square, moment, grad, lr, decay, momentum, epsilon):
    r"""$s \leftarrow \rho s + (1 - \rho) g^2$, $m \leftarrow u m + \eta g / \sqrt{s + eps}$,
    $w \leftarrow w - m$; $\rho$ is `decay`, $u$ `momentum`.

    >>> var, square, moment = (Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0))
    >>> ops.ApplyRMSProp()(var, square, moment, 0.5, Tensor([4.0]), 0.75, 0.0, 0.0).asnumpy()
    array([0.], dtype=float32)
    """
    mean_square = decay * mean_square + (1 - decay) * grad * grad
    moment = momentum * moment + lr * grad / jnp.sqrt(mean_square + epsilon)
    return var - moment, mean_square, moment


@update(
    rows=[
        "SparseApplyRMSProp(rho: decay, momentum, epsilon, use_locking=False)"
        "(var, ms: mean_square, mom: moment, lr, grad, indices)"
    ]
)
def sparse_rmsprop(var, mean_square, moment, grad, lr, decay, momentum, epsilon):
    r"""`ApplyRMSProp` for the rows at `indices`, repeated ones summed; $s$ is kept where the
    gradient is 0.

    >>> kept = [Parameter(Tensor([x, 1.0])) for x in (1.0, 0.0, 0.0)]
    >>> step = ops.SparseApplyRMSProp(0.75, 0.0, 1e-9)
    >>> step(*kept, 0.5, Tensor([4.0]), Tensor([0]))[0].asnumpy()
    array([0., 1.], dtype=float32)
    """
    grown = decay * mean_square + grad * grad * (1 - decay)
    mean_square = jnp.where(jnp.abs(grad) > jnp.finfo(jnp.float32).eps, grown, mean_square)
    moment = momentum * moment + lr * grad / jnp.sqrt(mean_square + epsilon)
    return var - moment, mean_square, moment


@update(
    "ApplyCenteredRMSProp(use_locking=False)(var, mean_gradient, mean_square, moment, grad, "
    "learning_rate: lr, decay, momentum, epsilon) -> var"
)
def centered_rmsprop(
    var, mean_gradient, mean_square, moment, grad, lr, decay, momentum, epsilon
):  # fmt: skip
    """`ApplyRMSProp` with the square of the gradient's running mean subtracted under the root.

    >>> kept = [Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0, 0.0)]
    >>> ops.ApplyCenteredRMSProp()(*kept, Tensor([4.0]), 0.5, 0.5, 0.0, 0.0).asnumpy()
    array([0.], dtype=float32)
    """
    mean_gradient = decay * mean_gradient + (1 - decay) * grad
    mean_square = decay * mean_square + (1 - decay) * grad * grad
    variance = mean_square - mean_gradient * mean_gradient
    moment = momentum * moment + lr * grad / jnp.sqrt(variance + epsilon)
    return var - moment, mean_gradient, mean_square, moment


@update(
    "ApplyMomentum(use_nesterov: nesterov = False, use_locking=False, gradient_scale=1.0)"
    "(variable: var, accumulation: accum, learning_rate: lr, gradient: grad, momentum) -> variable"
)
def momentum_step(var, accum, grad, lr, momentum, gradient_scale=1.0, *, nesterov=False):
    r"""$v \leftarrow u v + g$, $w \leftarrow w - \eta v$, $u$ being `momentum`, $v$ `accumulation`.

    `use_nesterov`: $w \leftarrow w - \eta (g + u v)$. `gradient_scale`: $g$ is multiplied by it.

    >>> var, accum = (Parameter(Tensor([x])) for x in (1.0, 2.0))
    >>> ops.ApplyMomentum()(var, accum, 0.5, Tensor([4.0]), 0.5).asnumpy()
    array([-1.5], dtype=float32)
    """
    grad = grad * gradient_scale
    accum = momentum * accum + grad
    step = grad + momentum * accum if nesterov else accum
    return var - lr * step, accum


@update(
    "FusedWeightScaleApplyMomentum()(weight_decay, loss_scale, variable: var, "
    "accumulation: accum, learning_rate: lr, gradient: grad, momentum) -> variable"
)
def scaled_momentum(var, accum, grad, lr, momentum, weight_decay, loss_scale):
    r"""`ApplyMomentum` with the gradient $(g + \lambda w) s$; $\lambda$ is `weight_decay`, $s$
    `loss_scale`, a factor.

    >>> var, accum = (Parameter(Tensor([x])) for x in (1.0, 2.0))
    >>> step = ops.FusedWeightScaleApplyMomentum()
    >>> step(0.0, 0.25, var, accum, 0.5, Tensor([4.0]), 0.5).asnumpy()
    array([0.], dtype=float32)
    """
    return momentum_step(var, accum, (grad + weight_decay * var) * loss_scale, lr, momentum)


@update(
    "ApplyKerasMomentum(use_locking=False, use_nesterov: nesterov = False)"
    "(var, accum, lr, grad, momentum)"
)
def keras_momentum(var, accum, grad, lr, momentum, *, nesterov=False):
    r"""$v \leftarrow u v - \eta g$, $w \leftarrow w + v$; `use_nesterov`: $w \leftarrow w + u v -
    \eta g$.

    >>> var, accum = (Parameter(Tensor([x])) for x in (1.0, 2.0))
    >>> ops.ApplyKerasMomentum()(var, accum, 0.5, Tensor([4.0]), 0.5)[0].asnumpy()
    array([0.], dtype=float32)
    """
    accum = momentum * accum - lr * grad
    return var + (momentum * accum - lr * grad if nesterov else accum), accum


@update("ApplyAddSign()(var, m, lr, alpha, sign_decay, beta, grad)")
def add_sign(var, m, grad, lr, alpha, sign_decay, beta):
    r"""$m \leftarrow \beta m + (1 - \beta) g$, $w \leftarrow w - \eta (\alpha + d \operatorname{
    sign}(g) \operatorname{sign}(m)) g$; $d$ is `sign_decay`.

    >>> var, m = (Parameter(Tensor([x])) for x in (1.0, 0.0))
    >>> ops.ApplyAddSign()(var, m, 0.5, 1.0, 0.5, 0.5, Tensor([4.0]))[0].asnumpy()
    array([-2.], dtype=float32)
    """
    m = beta * m + (1 - beta) * grad
    return var - lr * (alpha + sign_decay * jnp.sign(grad) * jnp.sign(m)) * grad, m


@update("ApplyPowerSign()(var, m, lr, logbase, sign_decay, beta, grad)")
def power_sign(var, m, grad, lr, logbase, sign_decay, beta):
    r"""$m \leftarrow \beta m + (1 - \beta) g$, $w \leftarrow w - \eta e^{b d \operatorname{sign}(g)
    \operatorname{sign}(m)} g$; $b$ is `logbase`, $d$ `sign_decay`.

    >>> var, m = (Parameter(Tensor([x])) for x in (1.0, 0.0))
    >>> ops.ApplyPowerSign()(var, m, 0.5, 0.0, 0.5, 0.5, Tensor([4.0]))[0].asnumpy()
    array([-1.], dtype=float32)
    """
    m = beta * m + (1 - beta) * grad
    return var - lr * jnp.exp(logbase * sign_decay * jnp.sign(grad) * jnp.sign(m)) * grad, m


@update(
    "SGD(dampening=0.0, weight_decay=0.0, nesterov=False)(parameters: var, gradient: grad, "
    "learning_rate: lr, accum, momentum, stat) -> parameters"
)
def sgd(var, accum, stat, grad, lr, momentum, *, dampening=0.0, weight_decay=0.0, nesterov=False):
    r"""$v \leftarrow u v + (1 - dampening) g$, $w \leftarrow w - \eta v$; $u$ is `momentum`, $v$
    `accum`. Without momentum $w \leftarrow w - \eta g$.

    `stat` is 1 until the first step, which uses $v = g$, and then 0. `nesterov`: $w \leftarrow w -
    \eta (g + u v)$; `weight_decay` times $w$ is added to $g$.

    >>> var, accum, stat = (Parameter(Tensor([x])) for x in (1.0, 0.0, 1.0))
    >>> ops.SGD()(var, Tensor([4.0]), 0.5, accum, 0.5, stat).asnumpy()
    array([-1.], dtype=float32)
    """
    if weight_decay:
        grad = grad + weight_decay * var
    moving = momentum > 0
    first = stat > 0
    mean = jnp.where(first, grad, momentum * accum + (1 - dampening) * grad)
    step = jnp.where(moving, grad + momentum * mean if nesterov else mean, grad)
    accum = jnp.where(moving, mean, accum)
    stat = jnp.where(moving & first, 0, stat)
    return var - lr * step, accum, stat


def lars_gradient(
    param, grad, norm, grad_norm, decay, rate, *, epsilon, coefficient, use_clip
):  # fmt: skip
    """Return the gradient that LARS passes on; `norm`, `grad_norm`: of `param` and `grad`."""
    factor = coefficient * norm / (grad_norm + decay * norm + epsilon)
    if use_clip:
        factor = jnp.minimum(factor / rate, 1)
    return factor * (grad + decay * param)


def _one_shape(weight, gradient, *numbers):
    shapes = {"gradient": describe(gradient), "other": "weight", "value": describe(weight)}
    fits = weight.shape == gradient.shape
    require(fits, "shape-shape-size-assignment", "LARSUpdate", **shapes)
    names = "norm_weight", "norm_gradient", "weight_decay", "learning_rate"
    require_number("LARSUpdate", **dict(zip(names, numbers, strict=True)))


@op(
    primitive="LARSUpdate(epsilon=1e-05, hyperpara=0.001, use_clip=False)"
    "(weight, gradient, norm_weight, norm_gradient, weight_decay, learning_rate)",
    function=(), check=_one_shape, differentiable=False, converts=False,
)  # fmt: skip
def lars_update(
    weight: Array, gradient: Array, norm_weight: Array, norm_gradient: Array,
    weight_decay: Array, learning_rate: Array, epsilon=1e-05, hyperpara=0.001, use_clip=False,
):  # fmt: skip
    r"""$c \frac{\|w\|}{\|g\| + \lambda \|w\| + \epsilon} (g + \lambda w)$; $c$ is `hyperpara`,
    $\lambda$ `weight_decay`.

    `norm_weight`, `norm_gradient`: $\|w\|^2$ and $\|g\|^2$, the sums of squares. `use_clip`: the
    factor of $g + \lambda w$ is divided by the learning rate and at most 1.

    >>> lars = ops.LARSUpdate(epsilon=0.0, hyperpara=0.5)
    >>> lars(Tensor([3.0, 4.0]), Tensor([0.0, 2.0]), Tensor(25.0), Tensor(4.0), 0.0, 1.0).asnumpy()
    array([0. , 2.5], dtype=float32)
    """
    wide = jnp.promote_types(weight.dtype, jnp.float32)
    numbers = norm_weight, norm_gradient, weight_decay, learning_rate
    squares, grad_squares, decay, rate = [x.astype(wide).reshape(()) for x in numbers]
    return lars_gradient(
        weight.astype(wide), gradient.astype(wide), jnp.sqrt(squares), jnp.sqrt(grad_squares),
        decay, rate, epsilon=epsilon, coefficient=hyperpara, use_clip=use_clip,
    ).astype(gradient.dtype)  # fmt: skip
