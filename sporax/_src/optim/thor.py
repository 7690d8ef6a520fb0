"""Natural gradient descent with Kronecker factors: `thor`."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.devices.distributed.groups import Group, world
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.initializers import initializer
from sporax._src.optim import parameter_groups as groups
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import operation, rule
from sporax._src.runtime.engine.recorder import apply
from sporax.nn.layer_inputs import TENSOR
from sporax.nn.normalization import LayerNorm
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.nn.thor_conversion import ConvertNetUtils
from sporax.nn.thor_layers import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor
from sporax.nn.training_cells import is_data_parallel
from sporax.ops import optimizer_formulas as formulas
from sporax.ops.communication import collectives
from sporax.ops.nn import kronecker_factors as factors

MATRICES, TABLES = (DenseThor, Conv2dThor), (EmbeddingThor, EmbeddingLookupThor)

_damping_of_step = operation(
    "Damping", lambda damping, step: damping.reshape(-1).at[step.reshape(())].get(mode="clip")
)


@rule("Thor", states=1, decoupled=True)
def thor_step(param, moment, grad, rate, momentum, *, weight_decay, nesterov, clips):
    """`clips`: clip the norm of the gradient to 1."""
    grad = grad + weight_decay * param
    if clips:
        grad = grad / jnp.maximum(1, jnp.sqrt(jnp.sum(grad * grad)))
    return formulas.momentum_step(param, moment, grad, rate, momentum, nesterov=nesterov)


class Thor(Optimizer):
    """The optimizer returned by `thor`, for a network whose layers record Kronecker factors.

    `thor`: True in steps that invert the factors. In dynamic mode it and the layers' `thor` follow
    `frequency` automatically; in captured steps only with the Model from `ConvertModelUtils`.
    """

    def __init__(
        self, net, learning_rate, damping, momentum, weight_decay, loss_scale, batch_size,
        use_nesterov, decay_filter, enable_clip_grad, frequency,
    ):  # fmt: skip
        TENSOR("thor", learning_rate=learning_rate)
        _check_numbers(momentum, frequency, batch_size, loss_scale)
        kinds.BOOL("thor", use_nesterov=use_nesterov, enable_clip_grad=enable_clip_grad)
        super().__init__(learning_rate, net.trainable_params(), weight_decay)
        self.net, self.frequency, self.thor = net, frequency, True
        self.loss_scale, self.use_nesterov = float(loss_scale), use_nesterov
        self.factor_scale = Tensor((batch_size / loss_scale) ** 2, dtypes.float32)
        self.batch_size = Tensor(batch_size, dtypes.float32)
        self.damping = _checked_damping(damping)
        self.momentum = Parameter(Tensor(momentum, dtypes.float32), name="momentum")
        self.params = self.parameters
        self.moments = self.parameters.clone(prefix="moments", init="zeros")
        self.decay_flags = tuple(bool(decay_filter(p)) for p in self.parameters)
        self._layers = _layers_of(net, self.parameters)
        self._collecting = [c for _, c in self._layers.values() if hasattr(c, "thor")]
        self._keep_inverses()
        self._ranks = world() if is_data_parallel() else Group.intern([0])
        self._steps: Any = None  # step count; None before the first step of this process
        self._set_rule(thor_step, self.moments, nesterov=use_nesterov, clips=enable_clip_grad)

    def get_frequency(self):
        """Return the number of steps between factor inversions."""
        return self.frequency

    def _keep_inverses(self):
        """Create a Parameter for the inverse of each factor."""
        self._inverse_index, a_inverses, g_inverses = {}, [], []
        for i, (kind, layer) in self._layers.items():
            if kind == "scale":
                continue
            self._inverse_index[i] = n = len(a_inverses)
            a, g = _factors(layer)
            kept = ((a_inverses, "matrix_a_inv", a), (g_inverses, "matrix_g_inv", g))
            for inverses, name, factor in kept:
                shape = factor.shape
                if kind == "matrix":
                    count, size = factors.blocks_of(shape[-1])
                    shape = (*shape[:-2], count, size, size)
                start = initializer(0, shape, dtypes.float32)
                inverses.append(Parameter(start, name=f"{name}_{n}", requires_grad=False))
        self.matrix_a, self.matrix_g = ParameterTuple(a_inverses), ParameterTuple(g_inverses)

    def choose(self, step):
        """Set the step number, from 0, for the next call of the network and of this optimizer."""
        due = step % self.frequency == 0
        if due != self.thor:
            for cell in (self, *self._collecting):
                cell.add_flags(thor=due)

    def construct(self, gradients):
        gradients = groups.counted("thor", gradients, self.parameters)
        groups.refuse_shapes("thor", gradients, self.parameters)
        dynamic = thread.recorder.tracer is None
        if dynamic and self._steps is None:
            self._steps = int(self.global_step.asnumpy()[0])
            self.choose(self._steps)
        damping = apply(_damping_of_step, self.damping, self.global_step)
        if self.thor:
            self._invert(damping)
        gradients = self.scale_grad(gradients)
        natural = [self._natural(i, g, damping) for i, g in enumerate(gradients)]
        done = self._apply_rule(tuple(natural), self.momentum)
        if dynamic:
            self._steps += 1
            self.choose(self._steps)
        return done

    def scale_grad(self, gradients):
        if self.loss_scale == 1.0:
            return gradients
        return tuple([g / self.loss_scale for g in gradients])

    def _invert(self, damping):
        """Invert the factors recorded by the layers, with the damping added to their diagonals."""
        each = [_factors(self._layers[i][1]) for i in self._inverse_index]
        if self._ranks.size > 1:
            means = collectives.all_reduce_together(sum(each, ()), "avg", self._ranks)
            each = list(zip(means[::2], means[1::2], strict=True))
        for i, n in self._inverse_index.items():
            kind, layer = self._layers[i]
            if kind == "matrix":
                positions = getattr(layer, "a_normalizer", 1.0)
                invert, number = factors.invert_factors, positions
            else:
                invert, number = factors.invert_counts, self.batch_size
            inverses = apply(invert, *each[n], damping, number, self.factor_scale)
            for kept, inverse in zip((self.matrix_a[n], self.matrix_g[n]), inverses, strict=True):
                kept._rebind(inverse._value)

    def _natural(self, i, gradient, damping):
        """Multiply the gradient of parameter i by the inverse of its Fisher matrix."""
        kind, _ = self._layers.get(i, (None, None))
        if kind == "scale":
            return apply(factors.precondition_scale, gradient, damping, self.batch_size)
        if kind is None:
            return gradient
        n = self._inverse_index[i]
        multiply = factors.precondition if kind == "matrix" else factors.precondition_table
        return apply(multiply, gradient, self.matrix_a[n], self.matrix_g[n])


def _factors(layer):
    """Return a layer's A and G."""
    if isinstance(layer, Conv2dThor):
        return layer.matrix_a_cov, layer.matrix_g_cov
    return layer.matrix_a, layer.matrix_g


def _layers_of(net, parameters):
    """Return {parameter index: (its kind in the layer, the layer)}; others are omitted."""
    indices = {id(p): i for i, p in enumerate(parameters)}
    kinds = (
        (MATRICES, "matrix", ("weight",)),
        (TABLES, "table", ("embedding_table",)),
        (LayerNorm, "scale", ("gamma", "beta")),
    )
    layers = {}
    for _, cell in net.cells_and_names():
        for types, kind, names in kinds:
            for name in names if isinstance(cell, types) else ():
                i = indices.get(id(getattr(cell, name)))
                if i is not None:
                    layers[i] = kind, cell
    return layers


def _check_numbers(momentum, frequency, batch_size, loss_scale):
    kinds.at_least(0, kinds.FLOAT)("thor", momentum=momentum)
    kinds.at_least(2, kinds.INT)("thor", frequency=frequency)
    kinds.POSITIVE("thor", batch_size=batch_size, loss_scale=loss_scale)


def _checked_damping(damping):
    """Return a Float32 Tensor, 0-d for all steps or 1-d with one per step; all greater than 0."""
    kinds.instance((Tensor, float), "a-tensor-or-a-float")("thor", damping=damping)
    values = np.asarray(damping.asnumpy() if isinstance(damping, Tensor) else damping, np.float32)
    fits = values.ndim <= 1 and values.size and (values > 0).all()
    require(fits, "one-number-greater-than-0", "thor", damping=values)
    return Tensor(values)


def thor(
    net, learning_rate, damping, momentum, weight_decay=0.0, loss_scale=1.0, batch_size=32,
    use_nesterov=False, decay_filter=lambda x: True, split_indices=None,
    enable_clip_grad=False, frequency=100,
):  # fmt: skip
    r"""Natural gradient optimizer: $v \leftarrow u v + (A + \sqrt\lambda I)^{-1} \nabla_W
    (G + \sqrt\lambda I)^{-1}$, $W \leftarrow W - \eta v$ (Chen et al., 2021).

    $A = E[a a^\top]$ and $G = E[d d^\top]$ are means over the examples, of a layer's inputs $a$ and
    of the derivatives $d$ of an example's loss with respect to its outputs: Dense, Conv2d and
    Embedding layers of `net` are replaced by layers that record them (`ConvertNetUtils`), so create
    the optimizer before the network is called. $\lambda$ is `damping`, $u$ `momentum`. The
    gradients of a LayerNorm are divided by their squares over `batch_size` plus $\sqrt\lambda$;
    gradients of other parameters are unchanged. Factors larger than 128 are inverted in diagonal
    blocks of 128.

    `learning_rate`, `damping`: a 0-d Tensor, or a 1-d one with one value per step. `weight_decay`:
    times the parameter, is added to $v$'s second term if `decay_filter(parameter)` is True.
    `loss_scale`, `batch_size`: the scale of the loss, and the number of examples it is averaged
    over. `enable_clip_grad`: clip the norm of each gradient to 1. `frequency`: the number of steps
    between factor inversions; layers record factors only in those steps. With
    `set_auto_parallel_context(parallel_mode='data_parallel')` the means are over the examples of
    all processes, and `batch_size` is per process. `split_indices`: accepted; factors are sent in
    buffers of up to 25 MB.

    Called with the gradients of `net.trainable_params()`.

    >>> net = nn.Dense(2, 1, weight_init="zeros", bias_init="zeros")
    >>> net = nn.SequentialCell(net)
    >>> rate, damping = Tensor(0.5), Tensor(1e-4)
    >>> optimizer = nn.thor(net, rate, damping, momentum=0.0, batch_size=2, frequency=2)
    >>> x, y = Tensor([[1.0, 0.0], [0.0, 2.0]]), Tensor([[1.0], [1.0]])
    >>> loss = lambda: ((net(x) - y) ** 2).mean()
    >>> done = optimizer(value_and_grad(loss, None, optimizer.parameters)()[1])
    >>> type(net[0]).__name__, net[0].matrix_a.asnumpy().tolist()
    ('DenseThor', [[0.5, 0.0], [0.0, 2.0]])
    """
    kinds.optional(kinds.SEQUENCE)("thor", split_indices=split_indices)
    ConvertNetUtils().convert_to_thor_net(net)
    return Thor(
        net, learning_rate, damping, momentum, weight_decay, loss_scale, batch_size, use_nesterov,
        decay_filter, enable_clip_grad, frequency,
    )  # fmt: skip


__all__ = ["thor"]
