"""AdaFactor."""

import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.initializers import initializer
from sporax._src.optim.optimizer import Optimizer, advance
from sporax._src.optim.update_rule import rule
from sporax._src.runtime.engine.recorder import apply
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.ops import ada_factor as formulas


@rule("AdaFactor", states=4, decoupled=True)
def ada_factor(
    param, mean, row, col, square, grad, rate, step, decay_rate, beta1, clip, least, smallest, *,
    weight_decay, relative, by_size, averages,
):  # fmt: skip
    """`relative`: an upper bound of the rate, constant or times the step (None: rate as given)."""
    step = step + 1
    if relative is not None:
        at_most, warms_up = relative
        rate = jnp.minimum(at_most * step if warms_up else at_most, 1 / jnp.sqrt(step))
    return formulas.ada_factor(
        param, mean, row, col, square, grad, rate, 1 - step**-decay_rate, beta1, clip, least,
        smallest, weight_decay=weight_decay, scales=by_size, averages=averages,
    )  # fmt: skip


class AdaFactor(Optimizer):
    r"""$U = g / \sqrt{\hat V}$, $p \leftarrow (1 - \alpha \lambda) p - \alpha U / \max(1,
    \operatorname{RMS}(U) / d)$, with a second moment $\hat V$ that is factored for matrices.

    Shazeer and Stern, 2018. $\hat V = R C / \operatorname{mean}(R)$, where $R$ and $C$ are running
    means of $g^2 + \epsilon_1$ over columns and rows with $\hat\beta_2 = 1 - t^{-c}$; for vectors
    it is the running mean itself. `eps`: $\epsilon_1$, $\epsilon_2$; `clip_threshold`: $d$;
    `decay_rate`: $c$; `beta1`: the decay of a running mean of the updates (None or 0: not
    averaged). $\alpha$ is the learning rate or, with `relative_step`, $\min(10^{-2}, 1 / \sqrt t)$
    ($10^{-6} t$ in place of $10^{-2}$ with `warmup_init`), times $\max(\epsilon_2,
    \operatorname{RMS}(p))$ with `scale_parameter`, unless the learning rate is dynamic.
    `compression`: store $\hat V$ of vectors as Float16. Other arguments: see `Optimizer`; $\lambda$
    is `weight_decay`.

    >>> p = Parameter(Tensor([1.0]), name="w")
    >>> done = AdaFactor([p], 0.5, beta1=None, relative_step=False)((Tensor([4.0]),))
    >>> print(p.asnumpy())
    [0.5]
    """

    supports_memory_efficient_fp16, supports_flat_params = True, False

    def __init__(
        self, params, learning_rate=None, eps=(1e-30, 1e-3), clip_threshold=1.0, decay_rate=0.8,
        beta1=0.9, weight_decay=0.0, scale_parameter=True, relative_step=True, warmup_init=False,
        compression=False, loss_scale=1.0,
    ):  # fmt: skip
        kinds.BOOL(
            "AdaFactor", scale_parameter=scale_parameter, relative_step=relative_step,
            warmup_init=warmup_init, compression=compression,
        )  # fmt: skip
        _check_rate(learning_rate, relative_step, warmup_init)
        super().__init__(
            0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale
        )
        beta1 = 0.0 if beta1 is None else beta1
        least, smallest = _checked_numbers(eps, clip_threshold, decay_rate, beta1)
        if not self.is_group:
            self.decay_flags = (True,) * self.param_length
        self.relative_step, self.warmup_init = relative_step, warmup_init
        self.compression, self.use_first_moment = compression, beta1 > 0
        self.scale_lr = learning_rate is None or isinstance(learning_rate, (int, float))
        self.scale_parameter = scale_parameter and self.scale_lr
        self.eps = Tensor(least, dtypes.float32), Tensor(smallest, dtypes.float32)
        self.clip_threshold = Tensor(clip_threshold, dtypes.float32)
        self.decay_rate = Tensor(decay_rate, dtypes.float32)
        self.beta1 = Tensor(beta1, dtypes.float32)
        self.step = Parameter(initializer(0, [1], dtypes.float32), name="afactor_step")
        self._keep_means()
        self._set_rule(
            ada_factor, self.exp_avg, self.exp_avg_sq_row, self.exp_avg_sq_col, self.exp_avg_sq,
            relative=((1e-6 if warmup_init else 1e-2), warmup_init) if relative_step else None,
            by_size=self.scale_parameter, averages=self.use_first_moment,
        )  # fmt: skip

    def _keep_means(self):
        """Create the running means of each parameter; unused ones hold a single 0."""

        def means(name, shape_of, squeezed=False):
            return ParameterTuple([
                Parameter(
                    initializer(0, shape_of(p.shape), dtypes.float16 if squeezed else p.dtype),
                    name=f"{name}_{p.name}",
                )
                for p in self.parameters
            ])  # fmt: skip

        if self.use_first_moment:
            self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        else:
            self.exp_avg = (Tensor(0.0, dtypes.float32),) * self.param_length
        one = (1,)
        self.exp_avg_sq_row = means("exp_avg_sq_row", lambda s: s[:-1] if len(s) > 1 else one)
        self.exp_avg_sq_col = means(
            "exp_avg_sq_col", lambda s: s[:-2] + s[-1:] if len(s) > 1 else one
        )
        self.exp_avg_sq = means(
            "exp_avg_sq", lambda s: one if len(s) > 1 else s, squeezed=self.compression
        )

    def construct(self, gradients):
        scalars = self.step, self.decay_rate, self.beta1, self.clip_threshold, *self.eps
        return self._apply_rule(gradients, *scalars, also=[(self.step, apply(advance, self.step))])


def _check_rate(learning_rate, relative_step, warmup_init):
    """Raise ValueError unless exactly one of a learning rate and `relative_step` is given."""
    is_given = learning_rate is not None
    rule = "none-with-relative-step" if relative_step else "given-without-relative-step"
    require(is_given != relative_step, rule, "AdaFactor", learning_rate=learning_rate)
    fits = not warmup_init or relative_step
    require(fits, "true-warmup-init", "AdaFactor", argument="relative_step")


def _checked_numbers(eps, clip_threshold, decay_rate, beta1):
    """Check the ranges of these arguments; returns the two numbers of `eps`."""
    kinds.sequence_of(kinds.NOT_NEGATIVE, 2)("AdaFactor", eps=eps)
    least, smallest = eps
    kinds.POSITIVE("AdaFactor", clip_threshold=clip_threshold)
    kinds.INSIDE_ONE("AdaFactor", decay_rate=decay_rate)
    kinds.NOT_NEGATIVE("AdaFactor", beta1=beta1)
    return float(least), float(smallest)


__all__ = ["AdaFactor"]
