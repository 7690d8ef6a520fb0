"""Cells that hold other cells in order or by name: `SequentialCell`, `CellList`, `CellDict`."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from sporax._src.core.from_host import plain
from sporax._src.core.value import Changes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.nn.cell import CELL, Cell

_NAMED = kinds.instance(Iterable, "a-mapping-or-pairs-of-name-and-cell")


def _checked(owner, cell):
    if not isinstance(cell, Cell):
        raise rejection("every-item", type(owner).__name__, kind=CELL.words(), got=cell)
    return cell


def index_prefix(container):
    """Return the prefix before an index in parameter names: the path to this container.

    A container does not know its own path, so it is inferred from the names of its parameters.
    If the first cell's number occurs in a name more than once, the second cell decides;
    otherwise the last occurrence is used. This is wrong if the cell is itself a container, but
    checkpoints contain the resulting names.
    """
    named = []
    for key, cell in container._cells.items():
        first = next(iter(Cell.get_parameters(cell)), None)
        if first is not None:
            named.append((key, first.name.split(".")))
    if not named:
        return ""
    (key, segments), *others = named
    indices = [i for i, segment in enumerate(segments) if segment == key]
    for other, its in others[:1]:
        indices = [i for i in indices if its[i : i + 1] == [other]][:1] or indices
    return "".join(f"{segment}." for segment in segments[: indices[-1]]) if indices else ""


class _Ordered(Cell):
    """Cells in order, keyed by 0, 1, ... or by their own names."""

    def __len__(self):
        return len(self._cells)

    def __bool__(self):
        return bool(self._cells)

    def __iter__(self):
        return iter(list(self._cells.values()))

    def __contains__(self, cell):
        return any(child is cell for child in self._cells.values())

    def _key(self, index, room=0):
        """Normalise an index, possibly negative; `room`: how far past the last it may be."""
        index = plain(index)
        n, who = len(self), type(self).__name__
        if not isinstance(index, int):
            raise rejection("must-be-type", who, index=index, kind="an-int")
        interval = f"[{-n}, {n + room})"
        is_inside = -n <= index < n + room
        require(is_inside, "in-interval", who, index=index, interval=interval, error=IndexError)
        return index if index >= 0 else index + n

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._slice(list(self._cells.items())[index])
        return list(self._cells.values())[self._key(index)]

    def __setitem__(self, index, cell):
        key = list(self._cells)[self._key(index)]
        self._put(key, _checked(self, cell), index_prefix(self))

    def __delitem__(self, index):
        chosen = index if isinstance(index, slice) else self._key(index)
        items, path = list(self._cells.items()), index_prefix(self)
        del items[chosen]
        self._renumber(items, path)

    def append(self, cell):
        """Append a cell."""
        self._put(str(len(self)), _checked(self, cell), index_prefix(self))

    def set_grad(self, flag=True):
        """Set `requires_grad` of this container and its cells."""
        self.requires_grad = flag
        for cell in self:
            cell.set_grad(flag)

    def _put(self, key, cell, path):
        Changes.count += 1
        if self._auto_prefix:
            Cell.update_parameters_name(cell, f"{path}{key}.")
        self._cells[key] = cell

    def _renumber(self, items, path):
        """Replace the contents with (key, cell) pairs; renumber numeric keys."""
        Changes.count += 1
        self._cells.clear()
        for i, (key, cell) in enumerate(items):
            new = str(i) if key.isdigit() else key
            if self._auto_prefix and key.isdigit():
                for p in Cell.get_parameters(cell):
                    own = p.name.split(".")[path.count(".") + 1 :]
                    p.name = ".".join([f"{path}{new}", *(own or [p.name])])
            self._cells[new] = cell


class SequentialCell(_Ordered):
    """Cells called in sequence: $f_n(\\ldots f_1(x))$.

    Takes cells, one list of cells, or an OrderedDict whose keys name them. Slices are
    SequentialCells that rename their parameters.

    >>> block = SequentialCell(Cell(), Cell())
    >>> len(block), len(block[1:])
    (2, 1)
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and not isinstance(args[0], Cell):
            is_list = isinstance(args[0], (list, OrderedDict))
            require(is_list, "one-argument-cell-list", "SequentialCell", got=args[0])
            args = args[0]
        named = args.items() if isinstance(args, OrderedDict) else enumerate(args)
        for key, cell in named:
            self.insert_child_to_cell(str(key), _checked(self, cell))
            Cell.update_parameters_name(cell, f"{key}.")

    def _slice(self, items):
        return type(self)(OrderedDict(items))

    @property
    def cell_list(self):
        """List of the cells in order."""
        return list(self._cells.values())

    def construct(self, input_data):
        for cell in self._cells.values():
            input_data = cell(input_data)
        return input_data


class CellList(_Ordered):
    """A list of cells; not callable itself.

    `auto_prefix`: prefix parameter names with the index of their cell.

    >>> layers = CellList([Cell(), Cell()])
    >>> layers.append(Cell())
    >>> len(layers)
    3
    """

    is_ensemble = True  # `vmap` calls each cell with its own slice

    def __init__(self, *args, auto_prefix=True):
        super().__init__(auto_prefix)
        require(len(args) <= 1, "cells-come-one-list", "CellList", got=len(args))
        for cells in args:
            self.extend(cells)

    def _slice(self, items):
        return CellList([cell for _, cell in items])

    def extend(self, cells):
        """Append the cells of a list."""
        kinds.LIST("CellList", cells=cells)
        path = index_prefix(self)
        for cell in cells:
            require(not isinstance(cell, CellDict), "item-single-cell", "CellList", got=cell)
            self._put(str(len(self)), _checked(self, cell), path)
        return self

    __iadd__ = extend

    def insert(self, index, cell):
        """Insert a cell before the one at `index`."""
        position, path = self._key(index, room=1), index_prefix(self)
        items = list(self._cells.items())
        items.insert(position, (str(position), _checked(self, cell)))
        if self._auto_prefix:
            Cell.update_parameters_name(cell, f"{path}{position}.")
        self._renumber(items, path)

    def construct(self, *inputs):
        raise rejection("nothing-compute", "CellList")


class CellDict(Cell):
    """Cells by name; not callable itself.

    Takes a mapping, or (name, cell) pairs. `auto_prefix`: prefix parameter names with the key of
    their cell.

    >>> CellDict({"first": Cell()}).keys()
    odict_keys(['first'])
    """

    def __init__(self, *args, auto_prefix=True):
        super().__init__(auto_prefix)
        for cells in args[:1]:
            self.update(cells)

    def __len__(self):
        return len(self._cells)

    def __iter__(self):
        return iter(self._cells)

    def __contains__(self, key):
        return key in self._cells

    def __getitem__(self, key):
        self._check_held(key)
        return self._cells[key]

    def _check_held(self, key):
        is_held = isinstance(key, str) and key in self._cells
        require(is_held, "key-one-of", "CellDict", keys=list(self._cells), got=key)

    def __setitem__(self, key, cell):
        kinds.STR("CellDict", key=key)
        is_single = not isinstance(_checked(self, cell), (CellDict, CellList, SequentialCell))
        require(is_single, "item-single-cell", "CellDict", got=cell)
        is_used = hasattr(self, key) and key not in self._cells
        require(key and "." not in key and not is_used, "key-of-cells", "CellDict", got=key)
        Changes.count += 1
        if self._auto_prefix:
            Cell.update_parameters_name(cell, f"{index_prefix(self)}{key}.")
        self._cells[key] = cell

    def __delitem__(self, key):
        self._check_held(key)
        Changes.count += 1
        del self._cells[key]

    def __bool__(self):
        return True  # as in MindSpore, even if empty

    def keys(self):
        """Return the names."""
        return self._cells.keys()

    def values(self):
        """Return the cells."""
        return self._cells.values()

    def items(self):
        """Return the (name, cell) pairs."""
        return self._cells.items()

    def pop(self, key):
        """Remove and return a cell."""
        cell = self[key]
        del self[key]
        return cell

    def clear(self):
        """Remove all cells."""
        Changes.count += 1
        self._cells.clear()

    def update(self, cells):
        """Add the cells of a mapping, or of (name, cell) pairs."""
        _NAMED("CellDict.update", cells=cells)
        pairs = cells.items() if isinstance(cells, (Mapping, CellDict)) else cells
        for pair in pairs:
            is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
            require(is_pair, "item-name-cell", "CellDict.update", got=pair)
            self[pair[0]] = pair[1]

    def construct(self, *inputs):
        raise rejection("nothing-compute", "CellDict")
