"""A warning at an optimizer's step if its network has computed the gradients in evaluation."""

import sys
from weakref import WeakSet, ref

from sporax._src.core.cell_tree import tree
from sporax._src.core.errors import warn
from sporax._src.core.value import thread
from sporax.nn.cell_path import calling_cells, path_within

_seen = WeakSet()  # layers, noted once
pending = []  # (reference to the outermost Cell, path of a layer in it), until the next step


def note(layer):
    """Note a layer that differs in training if it runs in evaluation while a gradient is being
    recorded and no Cell around the layer is in training."""
    if layer.training or thread.tape is None or layer in _seen:
        return
    _seen.add(layer)
    cells = calling_cells(sys._getframe(1))
    if not any(cell.training for cell in cells):
        pending.append((ref(cells[0]), path_within(cells), type(layer).__name__))


def warn_of(optimizer):
    """Warn of a noted Cell whose Parameters the optimizer has updated; forget all."""
    noted, updated = pending[:], {id(p) for p in optimizer.parameters}
    pending.clear()
    for reference, path, layer in noted:
        cell = reference()
        # `get_parameters` would count as a change of the Cell in a captured step
        inside = [] if cell is None else [p for _, c in tree(cell) for p in c._params.values()]
        if any(id(p) in updated for p in inside):
            warn(
                f"For '{type(optimizer).__name__}', the network is trained in evaluation mode, in "
                f"which '{path}' ({layer}) leaves out what it does in training. Call "
                f"'set_train()' of the network first; for layers that are to stay in evaluation, "
                "call 'set_train(False)' of these after it.",
                UserWarning,
            )
            return
