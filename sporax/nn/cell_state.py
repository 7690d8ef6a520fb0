"""The attributes that the mixins of `Cell` share."""

from typing import Any


class CellState:
    """Base class of the mixins: attributes that `Cell` sets or defines."""

    _cells: dict[str, Any]
    _params: dict[str, Any]
    _buffers: dict[str, Any]
    _cell_flags: dict[str, Any]
    _cell_hooks: Any
    _autocast: Any
    _captured_call: Any
    _phase: str
    _param_prefix: str
    requires_grad: bool
    training: bool

    _run_construct: Any
    _captured_names: Any
    _captured_state: Any
    add_flags: Any
    add_flags_recursive: Any
    get_sub_cell: Any
