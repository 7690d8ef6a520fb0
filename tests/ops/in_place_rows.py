"""In-place calls on views, as source for PyTorch (recorded) and for sporax.

A call writes to `v`, a view of `y`; `s` is what it writes. Both are differentiated.
"""

import numpy as np

# view -> (shape of the memory, how `v` (3, 3) is taken out of it)
VIEWS = {
    "itself": ((3, 3), "y"),
    "transposed": ((3, 3), "y.T"),
    "strided": ((4, 6), "y[1:, ::2]"),
    "reshaped": ((9,), "y.reshape(3, 3)"),
}
NAMES = {
    "at": np.array([2, 0, 2]), "once": np.array([2, 0, 1]), "pair": np.array([0, 2]),
    "flat": np.array([0, 8, -9]), "some": np.array([[1], [5], [-1]]),
    "mask": np.array([[True, False, False], [False, True, True], [False, False, False]]),
}  # fmt: skip
CALLS = [
    "v.addmm_(s, s, beta=0.5, alpha=2)", "v.addmm_(s, s.T)", "v.fill_diagonal_(7.0)",
    "v.index_add_(0, at, s, alpha=-2)", "v.index_add_(1, pair, s[:, :2])",
    "v.index_copy_(0, once, s)", "v.index_copy_(1, pair, s[:, :2])",
    "v.index_fill_(1, pair, 3.0)", "v.index_fill_(0, pair, s[0, 0])",
    "v.index_put_((once, at), s[0])", "v.index_put_([at], s[1], accumulate=True)",
    "v.index_put_((mask,), s[0, 0])", "v.index_put_((mask,), s[0])",
    "v.index_put_((mask,), s[1], accumulate=True)",
    "v.put_(some, s[0].reshape(3, 1))", "v.put_(flat, s[1], accumulate=True)",
    "mint.addr_(v, s[0], s[1], beta=2, alpha=3)", "mint.relu_(v)", "mint.sigmoid_(v)",
    "mint.elu_(v, 0.5)", "mint.hardtanh_(v, -0.5, 1.0)", "mint.threshold_(v, 0.25, 9.0)",
]  # fmt: skip


def numbers(shape, seed):
    """Away from the kinks of the activations."""
    return np.round(np.random.default_rng(seed).uniform(-2, 2, shape), 2).astype(np.float32) + 0.003


def program(call, view, names, tensor):
    """A function of the memory and of `s` -> (memory after the call, a scalar of it)."""
    shape, taken = VIEWS[view]
    take, write = eval(f"lambda y: {taken}"), eval(f"lambda v, s: {call}", dict(names))
    weights = tensor(numbers(shape, 3))

    def run(x, s):
        y = x * 1.0
        v = take(y)
        assert write(v, s) is v
        return y, (y * y * weights).sum() + v.sum()

    return run
