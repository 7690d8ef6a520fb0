"""Random programs of views and writes through them, for any library with NumPy's semantics.

A program is a list of steps on a list of tensors, the first of which is given: `("view", i, form,
arguments)` appends a view of tensor `i`; `("compute", i, factor)` appends a product; `("set", i,
index, value)` and `("update", i, name, factor)` write to tensor `i`; `("copy", i, index, j)` writes
the sum of tensor `j`; `("drop", i)` forgets one.
"""

import numpy as np

_strided = np.lib.stride_tricks.as_strided


def _diagonal(x, offset, a, b):
    built = np.diagonal(x, offset, a, b)
    built.flags.writeable = True
    return built


def _expand(x, *shape):
    built = np.broadcast_to(x, shape)
    return _strided(x, shape, built.strides, writeable=True)


def _split(x, size, axis):
    return np.split(x, range(size, x.shape[axis], size), axis)


# in NumPy, what the method of that name does in MindSpore and PyTorch
NUMPY = {
    "__getitem__": lambda x, *index: x[index if ... in index else (*index, ...)],
    "reshape": lambda x, *shape: x.reshape(shape),
    "view": lambda x, *shape: x.reshape(shape),
    "T": lambda x: x.T,
    "permute": lambda x, *order: x.transpose(order),
    "swapaxes": lambda x, a, b: x.swapaxes(a, b),
    "unsqueeze": lambda x, axis: np.expand_dims(x, axis),
    "squeeze": lambda x, axis: x.squeeze(axis) if x.shape[axis] == 1 else x.view(),
    "flatten": lambda x: x.reshape(-1),
    "ravel": lambda x: x.reshape(-1),
    "select": lambda x, axis, i: np.moveaxis(x, axis, 0)[i, ...],
    "narrow": lambda x, axis, start, n: np.moveaxis(
        np.moveaxis(x, axis, 0)[start : start + n], 0, axis
    ),
    "diagonal": _diagonal,
    "split": _split,
    "chunk": lambda x, n, axis: _split(x, -(-x.shape[axis] // n), axis),
    "unbind": lambda x, axis: [np.moveaxis(x, axis, 0)[i, ...] for i in range(x.shape[axis])],
    "expand": _expand,
}
PARTS = {"split", "chunk", "unbind"}  # several views, of which one is taken


def in_numpy(x, form, arguments):
    """Return a view by NumPy."""
    built = NUMPY[form](x, *arguments[0])
    return built[arguments[1]] if form in PARTS else built


def by_method(x, form, arguments):
    """Return a view by the method with that name, as in MindSpore and PyTorch."""
    if form == "T":
        return x.T
    built = x[arguments[0]] if form == "__getitem__" else getattr(x, form)(*arguments[0])
    return built[arguments[1]] if form in PARTS else built


def repeats(x):
    """Return True if an element occurs twice in a NumPy view made by these forms."""
    return any(n > 1 and not s for n, s in zip(x.shape, x.strides, strict=True))


def run(program, x, view=in_numpy, update=None):
    """Run a program; return the remaining tensors. `update(x, name, factor)`: writes in place."""
    tensors = [x]
    for kind, i, *rest in program:
        it = tensors[i]
        if kind == "view":
            tensors.append(view(it, *rest))
        elif kind == "compute":
            built = it * rest[0]
            if isinstance(built, (np.generic, np.ndarray)):
                built = np.array(built, order="C")  # in memory of its own, row by row
            tensors.append(built)
        elif kind == "set":
            it[rest[0]] = rest[1]
        elif kind == "copy":
            it[rest[0]] = tensors[rest[1]].sum()
        elif kind == "update":
            (update or _update)(it, *rest)
        else:
            tensors[i] = None
            del it
    return [t for t in tensors if t is not None]


def _update(x, name, factor):
    if name == "add_":
        x += factor
    else:
        x *= factor


class Writer:
    """Generates a random program. `negative`: True if slices may have negative steps."""

    def __init__(self, rng, negative=True):
        self.rng, self.negative = rng, negative

    def program(self, length):
        """Return (shape of the first tensor, steps)."""
        rng = self.rng
        shape = tuple(int(n) for n in rng.choice([1, 2, 3, 4], rng.integers(1, 4)))
        tensors, steps = [np.zeros(shape)], []
        while len(steps) < length:
            alive = [i for i, t in enumerate(tensors) if t is not None]
            i = int(rng.choice(alive[-4:]))
            step = self._step(tensors, i, alive)
            if step is None:
                continue
            steps.append(step)
            if step[0] == "view":
                tensors.append(in_numpy(tensors[i], *step[2:]))
            elif step[0] == "compute":
                tensors.append(tensors[i] * 1)
            elif step[0] == "drop":
                tensors[i] = None
        return shape, steps

    def _step(self, tensors, i, alive):
        rng, x = self.rng, tensors[i]
        kind = rng.choice(["view", "set", "copy", "update", "compute", "drop"],
                          p=[0.5, 0.2, 0.1, 0.12, 0.04, 0.04])  # fmt: skip
        if kind == "view":
            built = self.view(x)
            return built and ("view", i, *built)
        if kind == "compute":
            return "compute", i, float(rng.integers(1, 4))
        if kind == "drop":
            return ("drop", i) if len(alive) > 2 else None
        if kind == "update":
            return None if repeats(x) else ("update", i, str(rng.choice(["add_", "mul_"])),
                                            float(rng.integers(2, 4)))  # fmt: skip
        index = self.index(x)
        if repeats(x[index]):
            return None
        if kind == "copy":
            return "copy", i, index, int(rng.choice(alive))
        return "set", i, index, float(rng.integers(1, 50))

    def view(self, x):
        """Return (form, arguments) of a random view of an array; None if the form does not
        apply."""
        rng, n = self.rng, x.ndim
        form = str(rng.choice(list(NUMPY)))
        axes = [int(a) for a in rng.permutation(n)]
        if form == "__getitem__":
            return form, (self.index(x),)
        if form in ("reshape", "view"):
            shape = self._shape(x.size)
            return form, (shape,)
        if form in ("T", "flatten", "ravel"):
            return form, ((),)
        if form == "unsqueeze":
            return (form, ((int(rng.integers(n + 1)),),)) if n < 5 else None
        if form == "expand":
            if n == 0 or n > 3 or x.size > 40:
                return None
            sizes = [2 if k == 1 and rng.random() < 0.5 else k for k in x.shape]
            return form, ((*[2] * int(rng.integers(2)), *sizes),)
        if n == 0 or (n < 2 and form in ("swapaxes", "diagonal")):
            return None
        axis = axes[0]
        size = x.shape[axis]
        arguments = {
            "permute": lambda: tuple(axes),
            "swapaxes": lambda: tuple(axes[:2]),
            "squeeze": lambda: (axis,),
            "select": lambda: (axis, int(rng.integers(size))),
            "narrow": lambda: self._narrow(axis, size),
            "diagonal": lambda: (int(rng.integers(-1, 2)), *axes[:2]),
            "split": lambda: (int(rng.integers(1, size + 1)), axis),
            "chunk": lambda: (int(rng.integers(1, 4)), axis),
            "unbind": lambda: (axis,),
        }
        if not x.size:
            return None
        arguments = arguments[form]()
        if form in PARTS:
            return form, (arguments, int(rng.integers(len(NUMPY[form](x, *arguments)))))
        return form, (arguments,)

    def _narrow(self, axis, size):
        start = int(self.rng.integers(size))
        return axis, start, int(self.rng.integers(1, size - start + 1))

    def _shape(self, size):
        if not size:
            return (0,)
        shape, left = [], size
        while left > 1:
            divisors = [d for d in range(2, left + 1) if left % d == 0]
            shape.append(int(self.rng.choice(divisors)))
            left //= shape[-1]
        if self.rng.random() < 0.2:
            shape.insert(int(self.rng.integers(len(shape) + 1)), 1)
        return tuple(shape) or (1,)

    def index(self, x):
        """Return a random basic index."""
        rng, parts = self.rng, []
        for n in x.shape[: int(rng.integers(0, x.ndim + 1))]:
            if n and rng.random() < 0.4:
                parts.append(int(rng.integers(-n, n)))
                continue
            start = int(rng.integers(0, max(n, 1)))
            stop = int(rng.integers(start + (n > 0), n + 1)) if n else 0
            steps = [1, 1, 2, -1] if self.negative else [1, 1, 2]
            step = int(rng.choice(steps))
            if step < 0:
                parts.append(slice(None if stop == n else stop - 1,
                                   start - 1 if start else None, step))  # fmt: skip
            else:
                parts.append(slice(start, stop, step))
        if rng.random() < 0.15:
            parts.append(...)
        if rng.random() < 0.15 and x.ndim < 4:
            parts.append(None)
        return tuple(parts)
