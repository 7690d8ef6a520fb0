"""Buffers: Tensors in a Cell's state that are not Parameters."""

import itertools

from sporax._src.core.cell_tree import tree
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import Changes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.transforms.autodiff.hooks import HookHandle, check_callable
from sporax.nn.cell_registry import check_name, taken
from sporax.nn.cell_state import CellState

_registered = {}  # id -> hook called on every registration
_hook_ids = itertools.count()


def register_cell_buffer_registration_hook(hook):
    """Call `hook(cell, name, buffer)` on every buffer registration; it may return a replacement.

    Returns a handle whose `remove()` unregisters the hook.

    >>> handle = register_cell_buffer_registration_hook(lambda cell, name, buffer: None)
    >>> handle.remove()
    """
    check_callable("register_cell_buffer_registration_hook", hook)
    hook_id = next(_hook_ids)
    _registered[hook_id] = hook
    return HookHandle(lambda: _registered.pop(hook_id, None))


def is_buffer(value):
    """Return True if a Tensor is registered as a buffer; setting it on a Cell registers it too."""
    return isinstance(value, Tensor) and value.__dict__.get("_is_buffer", False)


class Buffers(CellState):
    """Mixin of `Cell` that stores buffers."""

    _non_persistent = frozenset()  # names of the buffers that `state_dict` omits

    def register_buffer(self, name, tensor, persistent=True):
        """Register a Tensor (or None) as part of the cell's state, as the attribute `name`.

        It is part of `state_dict` unless `persistent` is False, and is not a parameter: it is not
        trained. It replaces an existing buffer of the same name.

        >>> net = nn.Cell()
        >>> net.register_buffer("seen", Tensor([0]))
        >>> [name for name, _ in net.named_buffers()]
        ['seen']
        """
        if "_buffers" not in self.__dict__:
            raise rejection("super---init---called-before-buffer", type(self).__name__)
        kinds.STR("register_buffer", name=name)
        check_name("register_buffer", "name", name, True)
        if hasattr(self, name) and name not in self._buffers:
            raise taken(self, name)
        fits = tensor is None or isinstance(tensor, Tensor)
        require(fits, "tensor-none", "register_buffer", tensor=tensor)
        for hook in list(_registered.values()):
            replacement = hook(self, name, tensor)
            tensor = tensor if replacement is None else replacement
        if tensor is not None:
            tensor.__dict__["_is_buffer"] = True
        Changes.count += 1
        self._buffers[name] = tensor
        kept = self._non_persistent - {name}
        self.__dict__["_non_persistent"] = kept if persistent else kept | {name}

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Yield (path, buffer) for each buffer here and, with `recurse`, in all descendants; a
        buffer with several names is yielded once, unless `remove_duplicate` is False."""
        seen = set()
        for path, cell in tree(self, prefix) if recurse else [(prefix, self)]:
            for name, buffer in cell._buffers.items():
                if buffer is not None and id(buffer) not in seen:
                    if remove_duplicate:
                        seen.add(id(buffer))
                    yield (f"{path}.{name}" if path else name), buffer

    def buffers(self, recurse=True):
        """Yield each buffer once, here and, with `recurse`, in all descendants."""
        for _, buffer in Buffers.named_buffers(self, recurse=recurse):
            yield buffer

    def get_buffer(self, target):
        """Return the buffer at a path such as `"block.norm.mean"`; AttributeError if absent."""
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        there = name in cell._buffers
        require(there, "lead-buffer", "get_buffer", argument="target", cell=cell, name=name)
        return cell._buffers[name]
