"""`state_dict` and `load_state_dict`: export and restore a Cell's state by path."""

import functools
import itertools
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from sporax._src.core.cell_tree import tree
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.transforms.autodiff.hooks import HookHandle, check_callable
from sporax.nn.cell_registry import tensors_in
from sporax.nn.cell_state import CellState

_EXTRA = "_extra_state"
_KINDS = ("state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post")
_NONE: dict[str, tuple] = dict.fromkeys(_KINDS, ())
_hook_ids = itertools.count()


class _IncompatibleKeys(namedtuple("_Keys", ["missing_keys", "unexpected_keys"])):
    """Missing and unexpected keys of `load_state_dict`."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class StateDict(CellState):
    """Mixin of `Cell` that exports and restores its state."""

    # for each kind the hooks in order, as (id, function); never mutated in place
    _state_hooks = _NONE

    def register_state_dict_pre_hook(self, hook):
        """Call `hook(cell, prefix, keep_vars)` before the cell's state is exported."""
        return _register(self, "state_dict_pre", hook)

    def register_state_dict_post_hook(self, hook):
        """Call `hook(cell, state_dict, prefix, local_metadata)` once `state_dict` contains the
        state of the cell and its descendants; the hook may mutate it in place."""
        return _register(self, "state_dict_post", hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Call `hook(cell, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs)` before the cell loads its state; the hook may mutate it."""
        return _register(self, "load_state_dict_pre", hook)

    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(cell, incompatible_keys)` after the cell and its descendants have loaded their
        state; the hook may mutate the two lists of keys in place."""
        return _register(self, "load_state_dict_post", hook)

    def get_extra_state(self):
        """Return extra state of the cell; overridden by subclasses with extra state."""
        raise _no_extra(self, "get")

    def set_extra_state(self, state):
        """Restore the result of `get_extra_state`; overridden by subclasses with extra state."""
        raise _no_extra(self, "set")

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Return parameters and persistent buffers by path in an OrderedDict, without copying.

        `destination`: a dict to store them in. `prefix`: a prefix of the paths. `keep_vars` has no
        effect. All three may also be positional.

        >>> list(nn.SequentialCell(nn.Dense(2, 2, has_bias=False)).state_dict())
        ['0.weight']
        """
        by_position = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
        destination = by_position.get("destination") if destination is None else destination
        prefix = prefix or by_position.get("prefix", "")
        keep_vars = keep_vars or by_position.get("keep_vars", False)
        kinds.optional(kinds.DICT)("state_dict", destination=destination)
        kinds.STR("state_dict", prefix=prefix)
        kinds.BOOL("state_dict", keep_vars=keep_vars)
        if destination is None:
            destination = OrderedDict()
            vars(destination)["_metadata"] = OrderedDict()
        metadata = getattr(destination, "_metadata", {})[prefix[:-1]] = {}
        for _, hook in self._state_hooks["state_dict_pre"]:
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, cell in self._cells.items():
            if cell is not None:
                cell.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for _, hook in self._state_hooks["state_dict_post"]:
            returned = hook(self, destination, prefix, metadata)
            require(returned is None, "hook-return-none", "register_state_dict_post_hook")
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Store this cell's own state in `destination`; subclasses may override this."""
        for name, tensor in _own_state(self).items():
            destination[prefix + name] = tensor
        if _overridden(self, "get_extra_state"):
            destination[prefix + _EXTRA] = self.get_extra_state()

    def load_state_dict(self, state_dict, strict=True):
        """Load Tensors by path into the parameters and buffers of this cell and its descendants.

        Each keeps its dtype. Returns the missing and unexpected keys; with `strict` there must be
        none. On a mismatch, raises RuntimeError that lists all problems and restores the parameters
        and buffers.

        >>> net = nn.Dense(2, 2)
        >>> net.load_state_dict(nn.Dense(2, 2).state_dict())
        <All keys matched successfully>
        """
        kinds.instance(Mapping, "a-dict")("load_state_dict", state_dict=state_dict)
        metadata = getattr(state_dict, "_metadata", {})
        tensors = [t for _, cell in tree(self) for t in tensors_in(cell)]
        before = [(t, t._value) for t in tensors]
        errors, keys = [], _IncompatibleKeys([], [])
        try:
            _load(self, OrderedDict(state_dict), "", metadata, keys, errors)
            if strict:
                for rule, names in (("keys-unexpected", keys[1]), ("keys-missing", keys[0])):
                    if names:
                        errors.insert(0, message(rule, names=names))
            if errors:
                listed = functools.reduce(lambda a, b: message("two-lines", a=a, b=b), errors)
                fields = {"argument": "state_dict", "object": self, "listed": listed}
                raise rejection("fit-nothing-was-changed", "load_state_dict", **fields)
        except BaseException:
            for tensor, value in before:
                tensor._rebind(value)
            raise
        return keys

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Load this cell's own state; subclasses may override this."""
        for _, hook in self._state_hooks["load_state_dict_pre"]:
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                 error_msgs)  # fmt: skip
        own = _own_state(self)
        for name, tensor in own.items():
            key = prefix + name
            if key not in state_dict:
                missing_keys.append(key)
            elif (error := _put(key, tensor, state_dict[key])) is not None:
                error_msgs.append(error)
        extra = prefix + _EXTRA
        if _overridden(self, "set_extra_state"):
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            else:
                missing_keys.append(extra)
        elif extra in state_dict:
            unexpected_keys.append(extra)
        for key in state_dict:
            if key.startswith(prefix) and key != extra:
                name, _, below = key[len(prefix) :].partition(".")
                if name not in (self._cells if below else own):
                    unexpected_keys.append(key)


def _register(cell, kind, hook):
    check_callable(f"register_{kind}_hook", hook)
    hook_id = next(_hook_ids)

    def change(hooks):
        cell.__dict__["_state_hooks"] = {**cell._state_hooks, kind: hooks}

    def remove():
        change(tuple([h for h in cell._state_hooks[kind] if h[0] != hook_id]))

    change((*cell._state_hooks[kind], (hook_id, hook)))
    return HookHandle(remove)


def _own_state(cell):
    """Return a cell's own parameters and persistent buffers by name."""
    kept = {k: b for k, b in cell._buffers.items() if k not in cell._non_persistent}
    return {k: t for k, t in {**cell._params, **kept}.items() if t is not None}


def _overridden(cell, name):
    return getattr(type(cell), name) is not getattr(StateDict, name)


def _no_extra(cell, which):
    return rejection("extra-state-defined", "Cell", which=which, cell=cell)


def _load(cell, state, prefix, metadata, keys, errors):
    cell._load_from_state_dict(state, prefix, metadata.get(prefix[:-1], {}), True, *keys, errors)
    for name, child in cell._cells.items():
        if child is not None:
            below = f"{prefix}{name}."
            inside = OrderedDict((k, v) for k, v in state.items() if k.startswith(below))
            _load(child, inside, below, metadata, keys, errors)
    for _, hook in cell._state_hooks["load_state_dict_post"]:
        require(hook(cell, keys) is None, "hook-return-none", "register_load_state_dict_post_hook")


def _put(key, tensor, new):
    """Copy `new` into a tensor, in the tensor's dtype; return an error message on mismatch."""
    if not isinstance(new, Tensor):
        return message("state-tensor", key=key, got=new)
    if new.shape != tensor.shape:
        return message("state-shape", key=key, shape=tensor.shape, got=new.shape)
    if new._value.aval.inexact and not tensor._value.aval.inexact:
        return message("state-dtype", key=key, dtype=tensor.dtype, got=new.dtype)
    if new.has_init:
        new.init_data()
    same = new.dtype == tensor.dtype
    tensor._rebind((new if same else new.astype(tensor.dtype))._lift())
    return None
