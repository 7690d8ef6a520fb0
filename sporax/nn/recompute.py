"""Cells whose derivative computes their inside again."""

from sporax.autodiff.remat import check_context, recomputed
from sporax.core.value import Changes

_KNOWN = "mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation"


class Recompute:
    """The part of `Cell` that trades memory for computation."""

    _recomputed = False

    def recompute(
        self, *, use_reentrant=True, output_recompute=False, early_stop=True, context_fn=None,
        **kwargs,
    ):  # fmt: skip
        """From now on derivatives compute the inside of this cell again instead of keeping it; see
        `mindspore.recompute`, which takes the same options.

        `mp_comm_recompute`, `parallel_optimizer_comm_recompute`, `recompute_slice_activation`:
        accepted, for many devices.
        """
        for name in kwargs:
            if name not in _KNOWN:
                raise ValueError(
                    f"For 'Cell.recompute', a keyword must be one of {', '.join(_KNOWN)}, but got "
                    f"'{name}'."
                )
        check_context("Cell.recompute", use_reentrant and not output_recompute, context_fn)
        Changes.count += 1
        self.__dict__["_recomputed"] = True


def run_recomputed(cell, construct, *args, **kwargs):
    """`construct`, whose derivative computes the inside again."""
    return recomputed(type(cell).__name__, construct, args, kwargs)
