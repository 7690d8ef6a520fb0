"""Calls of the Primitives that update variables. `tools.record updates` records, of those that
MindSpore 2.10 runs on its CPU, what they return and what the variables hold afterwards.

`var`, `m`, `v`, `top`, `z`, `stat` are Parameters; `g` is a dense gradient, `s` the rows of a
sparse one at `i`, and `t` at `d`, which names row 2 twice; `p` is an order of all rows."""

import re

import numpy as np

_rng = np.random.default_rng(11)


def _floats(low, high, *shape):
    return np.round(_rng.uniform(low, high, shape), 3).astype(np.float32)


VARIABLES = {
    "var": _floats(-2, 2, 4, 3), "m": _floats(-1, 1, 4, 3), "v": _floats(1, 2, 4, 3),
    "top": _floats(0.5, 2, 4, 3), "z": _floats(-2, 2, 4, 3), "stat": np.ones((4, 3), np.float32),
    "row": _floats(0.5, 2, 4), "col": _floats(0.5, 2, 3), "bias": _floats(-2, 2, 3),
    "avg": _floats(-1, 1, 3), "sq": _floats(0.5, 2, 3),
}  # fmt: skip
INPUTS = {
    "g": _floats(-2, 2, 4, 3), "s": _floats(-2, 2, 2, 3), "t": _floats(-2, 2, 3, 3),
    "i": np.array([2, 0], np.int32), "d": np.array([2, 0, 2], np.int32),
    "p": np.array([3, 1, 0, 2], np.int32),
}  # fmt: skip

RECORDED = """
Adam()(var, m, v, .81, .998, .1, .9, .99, 1e-3, g)
Adam(False, True)(var, m, v, T(.81), T(.998), T(.1), T(.9), T(.99), T(1e-3), g)
AdamNoUpdateParam()(m, v, T(.81), T(.998), T(.1), T(.9), T(.99), T(1e-3), g)
AdamNoUpdateParam(True, True)(m, v, T(.81), T(.998), T(.1), T(.9), T(.99), T(1e-3), g)
AdamWeightDecay()(var, m, v, .1, .9, .99, 1e-3, .2, g)
AdamWeightDecay(True)(var, m, v, .1, .9, .99, 1e-3, 0., g)
ApplyAdaMax()(var, m, v, .81, .1, .9, .99, 1e-3, g)
ApplyAdadelta()(var, v, top, .1, .9, 1e-3, g)
ApplyAdagrad()(var, v, .1, g)
ApplyAdagradDA(True)(var, z, v, g, .1, 0., .3, T(2, ms.int64))
ApplyAdagradV2(1e-2)(var, v, .1, g)
ApplyAdagradV2(1e-2, False)(var, v, .1, g)
ApplyAdamWithAmsgrad(.9, .99, 1e-3)(var, m, v, top, T(.81), T(.998), T(.1), g)
ApplyAdamWithAmsgradV2()(var, m, v, top, .81, .998, .1, .9, .99, 1e-3, g)
ApplyAddSign()(var, m, .1, 1.5, .7, .9, g)
ApplyPowerSign()(var, m, .1, 2.5, .7, .9, g)
ApplyCenteredRMSProp()(var, m, v, z, g, .1, .9, .5, 1e-3)
ApplyRMSProp()(var, v, z, .1, g, .9, .5, 1e-7)
ApplyGradientDescent()(var, .1, g)
ApplyProximalGradientDescent()(var, .1, .2, .3, g)
ApplyProximalGradientDescent()(var, .1, 0., .3, g)
ApplyProximalAdagrad()(var, v, .1, .2, .3, g)
ApplyProximalAdagrad(True)(var, v, .1, 0., .3, g)
ApplyMomentum()(var, m, .1, g, .9)
SGD()(var, g, T(.1), m, T(.9), stat)
SGD(.2, .1, False)(var, g, T(.1), m, T(.9), stat)
SGD(0., .1, True)(var, g, T(.1), m, T(.9), stat)
SGD(.2, .1)(var, g, T(.1), m, T(.9), z * 0)
SGD(.2, .1)(var, g, T(.1), m, T(0.), stat)
FusedAdaFactor()(E, T(.5), T(.9), T(.8), T(.01), T(.03), g, var, m, row, col, v)
FusedAdaFactor(True, True, True)(E, T(9.), T(.9), T(.8), T(.1), T(.03), g, var, m, row, col, v)
FusedAdaFactor()(E, T(.5), T(.9), T(.8), T(.01), T(.03), g[0], bias, avg, row, col, sq)
FusedAdaFactor(True, True, True)(E, T(.5), T(.9), T(.8), T(.1), T(.03), g[0], bias, avg, m, v, sq)
FusedAdaFactorWithGlobalNorm()(E, T(.5), T(.9), T(.8), T(0.), T(.03), g, var, m, row, col, v, T(2.))
SparseApplyAdagrad(.1)(var, v, s, i)
SparseApplyFtrl(.1, .2, .3, -.5)(var, v, z, s, i)
SparseApplyRMSProp(.9, .5, 1e-3)(var, v, z, .1, g, p)
SparseApplyRMSProp(.9, .5, 1e-3)(var, v, z, .1, g * 0, p)
FusedSparseAdam()(var, m, v, T(.81), T(.998), T(.1), T(.9), T(.99), T(1e-3), t, d)
FusedSparseLazyAdam()(var, m, v, T(.81), T(.998), T(.1), T(.9), T(.99), T(1e-3), t, d)
FusedSparseLazyAdam(False, True)(var, m, v, T(.81), T(.998), T(.1), T(.9), T(.99), T(1e-3), s, i)
FusedSparseFtrl(.1, .2, .3, -.5)(var, v, z, t, d)
FusedSparseProximalAdagrad()(var, v, T(.1), T(.2), T(.3), t, d)
SparseApplyAdagradV2(.1, 1e-7)(var, v, s, i)
"""
# What MindSpore has no CPU kernel for, or computes on it otherwise than documented:
# call | the new `var` ; others. `w`: the gradient of all rows by `t` and `d`, `h`: `g` in Float16.
REFERENCES = """
ApplyAdagrad(False)(var, v, .1, g) | var - .1 * g / sqrt(v)
ApplyAdagradDA()(var, z, v, g, .1, .2, .3, 4) | -.1 * soft(z + g, .8) / (.12 + sqrt(v + g * g)) ; v
    = v + g * g ; z = z + g
ApplyFtrl()(var, v, z, g, .1, .2, .3, -.5) | ftrl(var, v, z, g, g)[0] ; v = ftrl(var, v, z, g, g)[1]
    ; z = ftrl(var, v, z, g, g)[2]
ApplyFtrl(True)(var, v, z, g, .1, .2, .3, -.7) | ftrl(var, v, z, g, g, .7)[0] ; v = v + g * g ; z =
    ftrl(var, v, z, g, g, .7)[2]
ApplyKerasMomentum()(var, m, T(.1), g, T(.9)) | var + .9 * m - .1 * g ; m = .9 * m - .1 * g
ApplyKerasMomentum(True, True)(var, m, T(.1), g, T(.9)) | var + .9 * (.9 * m - .1 * g) - .1 * g ; m
    = .9 * m - .1 * g
ApplyMomentum(True)(var, m, .1, g, .9) | var - .1 * (g + .9 * (.9 * m + g)) ; m = .9 * m + g
ApplyMomentum(False, False, .25)(var, m, .1, g, .9) | var - .1 * (.9 * m + g / 4) ; m = .9 * m + g /
    4
FusedWeightScaleApplyMomentum()(T(.1), T(.5), var, m, .1, g, .9) | var - .1 * (.9 * m + (g + .1 *
    var) / 2) ; m = .9 * m + (g + .1 * var) / 2
FusedCastAdamWeightDecay()(var, m, v, .1, .9, .99, 1e-3, .2, g.astype(ms.float16), 2.) | var - .1 *
    ((.9 * m + .05 * h) / (sqrt(.99 * v + .0025 * h * h) + 1e-3) + .2 * var) ; m = .9 * m + .05 *
    h ; v = .99 * v + .0025 * h * h
LARSUpdate()(z, g, T(2.), T(3.), .1, .2) | result = 1e-3 * sqrt(2) / (sqrt(3) + .1 * sqrt(2) + 1e-5)
    * (g + .1 * z)
LARSUpdate(1e-3, .1, True)(z, g, T(2.), T(3.), .1, .2) | result = min(.1 * sqrt(2) / (sqrt(3) + .1 *
    sqrt(2) + 1e-3) / .2, 1) * (g + .1 * z)
SparseApplyAdadelta(1e-3)(var, v, top, .1, .9, t, d) | at(var, var - .1 * sqrt((top + 1e-3) / (.9 *
    v + .1 * w * w + 1e-3)) * w) ; v = at(v, .9 * v + .1 * w * w) ; top = at(top, .9 * top + .1 *
    (top + 1e-3) / (.9 * v + .1 * w * w + 1e-3) * w * w)
SparseApplyAdagradV2(.1, 1e-2, False, False)(var, v, t, d) | var - .1 * w / (sqrt(v) + 1e-2)
SparseApplyAdagradV2(.1, 1e-2)(var, v, t, d) | var - .1 * w / (sqrt(v + w * w) + 1e-2) ; v = v + w *
    w
SparseApplyFtrl(.1, .2, .3, -.5)(var, v, z, t, d) | at(var, ftrl(var, v, z, w, w)[0]) ; v = v + w *
    w ; z = at(z, ftrl(var, v, z, w, w)[2])
SparseApplyFtrlV2(.1, .2, .3, .4, -.5)(var, v, z, t, d) | at(var, ftrl(var, v, z, w, w + .8 *
    var)[0]) ; v = v + w * w ; z = at(z, ftrl(var, v, z, w, w + .8 * var)[2])
SparseApplyProximalAdagrad()(var, v, .1, .2, .3, t, d) | at(var, soft(var - .1 * w / sqrt(v + w *
    w), .02 / sqrt(v + w * w)) / (1 + .03 / sqrt(v + w * w))) ; v = v + w * w
SparseApplyRMSProp(.9, .5, 1e-3)(var, v, z, .1, t, d) | at(var, var - .5 * z - .1 * w / sqrt(.9 * v
    + .1 * w * w + 1e-3)) ; v = at(v, .9 * v + .1 * w * w) ; z = at(z, .5 * z + .1 * w / sqrt(.9 * v
    + .1 * w * w + 1e-3))
FusedSparseAdam(False, True)(var, m, v, T(.81), T(.998), T(.1), T(.9), T(.99), T(1e-3), t, d) | var
    - .1 * sqrt(.002) / .19 * (.81 * m + .19 * w) / (sqrt(.99 * v + .01 * w * w) + 1e-3) ; m = .9 *
    m + .1 * w ; v = .99 * v + .01 * w * w
"""
CALLS = [line for line in RECORDED.splitlines() if line]
DOCUMENTED = dict(row.split(" | ") for row in re.sub("\n +", " ", REFERENCES).splitlines() if row)
# calls that MindSpore 2.10 runs on its CPU without writing what it returns
UNFILLED = (
    "Adam(", "AdamWeightDecay", "ApplyRMSProp", "ApplyCenteredRMSProp", "FusedSparse",
    "FusedAdaFactor",
)  # fmt: skip


def expected(call):
    """Evaluate the reference of `call`: {variable, or "result": new contents}."""
    names = {n: a.astype(np.float64) for n, a in (VARIABLES | INPUTS).items()}
    whole = np.zeros_like(names["var"])
    np.add.at(whole, INPUTS["d"], names["t"])
    is_changed = np.isin(np.arange(4), INPUTS["d"])[:, None]
    names |= {"w": whole, "h": INPUTS["g"].astype(np.float16).astype(np.float64), "sqrt": np.sqrt}
    names |= {"soft": _soft, "ftrl": _ftrl, "at": lambda old, new: np.where(is_changed, new, old)}
    rows = [row.rpartition(" = ") for row in DOCUMENTED[call].split(" ; ")]
    return {name or "var": eval(row, names) for name, _, row in rows}


def _soft(x, by):
    return np.sign(x) * np.maximum(np.abs(x) - by, 0)


def _ftrl(var, accum, linear, grad, shrunk, power=0.5):
    """McMahan et al., 2013, algorithm 1, of rate 0.1, l1 0.2 and l2 0.3 (twice, as MindSpore)."""
    grown = accum + grad**2
    linear = linear + shrunk - (grown**power - accum**power) / 0.1 * var
    return -_soft(linear, 0.2) / (grown**power / 0.1 + 0.6), grown, linear


def run(call, module, primitives):
    """Return the results of `call`, and the variables that it changed, as arrays. `module`:
    MindSpore or sporax; `primitives`: its classes by name."""

    def number(value, dtype=module.float32):
        return module.Tensor(value, dtype)

    kept = {name: module.Parameter(module.Tensor(a), name=name) for name, a in VARIABLES.items()}
    given = {name: module.Tensor(a) for name, a in INPUTS.items()}
    names = primitives | kept | given | {"T": number, "ms": module, "E": number([1e-30, 1e-3])}
    result = eval(call, names)
    results = result if isinstance(result, tuple) else (result,)
    changed = {n: p.asnumpy() for n, p in kept.items() if (p.asnumpy() != VARIABLES[n]).any()}
    return [r.asnumpy() for r in results], changed
