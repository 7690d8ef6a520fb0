"""Cells that recompute their activations in the backward pass."""

from sporax._src.core.value import Changes
from sporax._src.diagnosis.rules import require
from sporax._src.transforms.autodiff.remat import check_context, recomputed

_KNOWN = "mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation"


class Recompute:
    """Mixin of `Cell` that trades computation for memory."""

    _recomputed = False

    def recompute(
        self, *, use_reentrant=True, output_recompute=False, early_stop=True, context_fn=None,
        **kwargs,
    ):  # fmt: skip
        """Recompute the activations of this cell in the backward pass instead of storing them; see
        `mindspore.recompute`, which takes the same options.

        `mp_comm_recompute`, `parallel_optimizer_comm_recompute`, `recompute_slice_activation`:
        accepted, for multiple devices.
        """
        for name in kwargs:
            require(name in _KNOWN, "keyword-one", "Cell.recompute", names=_KNOWN, got=name)
        check_context("Cell.recompute", use_reentrant and not output_recompute, context_fn)
        Changes.count += 1
        self.__dict__["_recomputed"] = True


def run_recomputed(cell, construct, *args, **kwargs):
    """Call `construct` with recomputation in the backward pass."""
    return recomputed(type(cell).__name__, construct, args, kwargs)
