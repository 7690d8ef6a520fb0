"""Statistics and histograms of gradients and activations by layer, from hooks."""

import jax
import jax.numpy as jnp

from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.random import get_rng_state, set_rng_state
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.transforms.autodiff import value_and_grad
from sporax.insight.profiled_call import put_back
from sporax.insight.run_files import number
from sporax.insight.tape_log import TapeLog
from sporax.nn.cell_hooks import called_after, forward_hook_entry

BINS = 32
_SAMPLE = 1 << 16  # elements in a histogram; other statistics use all elements


class Probe:
    """Activations and gradients of a network for one batch, as one captured program.

    `loss_network`: a Cell that returns the loss of its inputs; `network`: its leaf Cells are the
    layers; `parameters`: differentiated with respect to; `reduce`: the training's reduction of
    gradients over ranks, which all run the program; `further`: patterns of activations other than
    the layers', see `TapeLog`. State that the program writes (statistics of BatchNorm, random
    state) is restored.
    """

    def __init__(self, loss_network, network, parameters, reduce=tuple, further=()):
        self._loss_network, self.parameters = loss_network, list(parameters)
        self._reduce, self._further = reduce, further
        self._paths = {cell: name for name, cell in network.cells_and_names()}
        self._seen, self._names = [], ()
        self._hooks = [
            (cell, forward_hook_entry(_noting(self._seen, name))) for name, cell in _layers(network)
        ]
        self._program = jit(self._run)

    def _run(self, *inputs):
        self._seen.clear()

        def function(*inputs):
            if self._further:
                with TapeLog(self._paths).following() as log:
                    loss = self._loss_network(*inputs)
                    self._seen.extend(log.chosen(self._further))
            else:
                loss = self._loss_network(*inputs)
            return (loss, *[tensor for _, tensor in self._seen])

        derive = value_and_grad(function, None, self.parameters, has_aux=True)
        (_, *activations), gradients = derive(*inputs)
        self._names = _distinct([name for name, _ in self._seen])
        self._seen.clear()
        return tuple(activations), tuple(self._reduce(gradients))

    def __call__(self, *inputs):
        """Return ({layer: activation}, {Parameter name: gradient}) of Tensors."""
        state = get_rng_state()
        written = [p for p in self._loss_network.get_parameters() if not p.requires_grad]
        try:
            with called_after(self._hooks), put_back(written):
                activations, gradients = self._program(*inputs)
        finally:
            set_rng_state(state)
        names = [p.name for p in self.parameters]
        return (
            dict(zip(self._names, activations, strict=True)),
            dict(zip(names, gradients, strict=True)),
        )


def _layers(network):
    cells = list(network.cells_and_names())
    leaves = [(name, cell) for name, cell in cells if name and not list(cell.cells())]
    return leaves or [(type(network).__name__, network)]


def _noting(seen, name):
    def hook(cell, inputs, output):
        seen.extend((name, tensor) for tensor in tensors_of(output))

    return hook


def _distinct(names):
    """Append numbers to repeated names: a Cell is called again, or returns several Tensors."""
    counts, distinct = {}, []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        distinct.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return tuple(distinct)


@jax.jit
def _program(arrays):
    return [_of_one(array) for array in arrays]


def _of_one(array):
    x = array.astype(jnp.float32).ravel()
    finite = jnp.isfinite(x)
    count = jnp.maximum(finite.sum(), 1)
    clean = jnp.where(finite, x, 0)
    low = jnp.where(finite.any(), jnp.where(finite, x, jnp.inf).min(), 0)
    high = jnp.where(finite.any(), jnp.where(finite, x, -jnp.inf).max(), 0)
    mean = clean.sum() / count
    deviation = jnp.where(finite, x - mean, 0)
    stride = -(-x.size // _SAMPLE)
    sample, kept = clean[::stride], finite[::stride]
    width = jnp.where(high > low, high - low, 1)
    bins = jnp.clip(((sample - low) / width * BINS).astype(jnp.int32), 0, BINS - 1)
    return {
        "low": low, "high": high, "mean": mean, "std": jnp.sqrt((deviation**2).sum() / count),
        "norm": jnp.sqrt((clean**2).sum()), "zeros": ((x == 0) & finite).sum() / x.size,
        "not_finite": (~finite).sum() / x.size,
        "counts": jnp.zeros(BINS, jnp.int32).at[bins].add(kept.astype(jnp.int32)),
    }  # fmt: skip


def statistics(tensors):
    """Return {name: statistics} of the floating-point Tensors in {name: Tensor}, computed by one
    program: minimum, maximum, mean, standard deviation and Euclidean norm of the finite elements,
    the fractions of zeros and of non-finite elements, and `BINS` counts between minimum and
    maximum (of at most 65,536 evenly spaced elements)."""
    chosen = {
        name: tensor._value.read() for name, tensor in tensors.items()
        if isinstance(tensor, Tensor) and tensor.size and tensor.is_floating_point()
    }  # fmt: skip
    results = jax.device_get(_program(list(chosen.values())))
    return {
        name: {
            key: value.tolist() if key == "counts" else number(value)
            for key, value in result.items()
        }
        for name, result in zip(chosen, results, strict=True)
    }  # fmt: skip
