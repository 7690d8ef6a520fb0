"""`Op`: a function on arrays, what it gives for which avals, and its pullback."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax.core.errors import operand_error
from sporax.core.promotion import promote
from sporax.core.value import Aval
from sporax.engine.trace import forest


class Rule:
    """What an operation does with operands of given avals: outputs' avals, a traced function."""

    __slots__ = ("_jaxpr", "avals", "operands", "run", "single")

    def __init__(self, operands, avals, run, single):
        self.operands, self.avals, self.run, self.single = operands, avals, run, single
        self._jaxpr = None

    @property
    def jaxpr(self):
        """The function as a closed jaxpr, for the interpreter."""
        if self._jaxpr is None:
            specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.operands]
            self._jaxpr = jax.make_jaxpr(self.run)(*specs)
        return self._jaxpr


class Op:
    """A pure function on arrays, with its attributes already bound.

    `fn(*arrays)` returns one array or a tuple. `promotes`: which operands meet in one dtype before
    `fn` sees them (True for all). `check(*avals)` may refuse operands with a better sentence than
    the one that tracing `fn` would give. `owner`: the declared operation, for messages.
    """

    __slots__ = (
        "attributes", "check", "cut", "fn", "name", "operands", "promotes", "pulls", "rules",
    )  # fmt: skip

    fn: Any

    def __init__(self, name, fn, promotes: Any = False, check=None, attributes=None):
        self.name, self.fn, self.promotes, self.check = name, fn, promotes, check
        self.attributes = attributes or {}
        self.operands = ()  # their names, for messages
        self.cut = False  # whether no derivative goes through
        self.rules, self.pulls = {}, {}

    def __repr__(self):
        inner = ", ".join(f"{k}={v!r}" for k, v in self.attributes.items())
        return f"{self.name}({inner})"

    def compute(self, avals, *arrays):
        """`fn` after MindSpore's promotion; Python numbers arrive as 64-bit scalars."""
        if self.promotes is True:
            met = promote(avals)
            arrays = [x if x.dtype == met else x.astype(met) for x in arrays]
        elif self.promotes:
            chosen = [i for i in self.promotes if i < len(avals)]
            met = promote([avals[i] for i in chosen])
            arrays = [x.astype(met) if i in chosen else x for i, x in enumerate(arrays)]
        else:
            arrays = [
                x.astype(promote([a])) if a.weak else x for a, x in zip(avals, arrays, strict=True)
            ]
        return self.fn(*arrays)

    def rule(self, avals):
        """The `Rule` for operands of these avals, made at their first meeting.

        Raises the operation's own error, here, at the line that calls it.
        """
        found = self.rules.get(avals)
        if found is None:
            found = self.rules[avals] = self._infer(avals)
            forest.learned(self.rules)
        return found

    def _infer(self, avals):
        if self.check is not None:
            self.check(*avals)
        run = jax.jit(functools.partial(self.compute, avals), inline=True)
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        try:
            out = jax.eval_shape(run, *specs)
        except (TypeError, ValueError, IndexError, NotImplementedError) as cause:
            raise operand_error(self, avals, cause) from None
        single = not isinstance(out, (tuple, list))
        outs = tuple(Aval.of(o.shape, o.dtype) for o in ([out] if single else out))
        return Rule(avals, outs, run, single)

    def pullback(self, inputs, outputs, n_outputs):
        """The operation (operands..., cotangents...) -> cotangents of the operands `inputs`.

        `outputs`: which of the `n_outputs` outputs have a cotangent; the others' are zero.
        """
        key = inputs, outputs
        found = self.pulls.get(key)
        if found is None:
            found = self.pulls[key] = Pullback(self, inputs, outputs, n_outputs)
        return found


class Pullback(Op):
    """The derivative of an operation, as an operation."""

    __slots__ = ("inputs", "n_outputs", "of", "outputs")

    def __init__(self, op, inputs, outputs, n_outputs):
        super().__init__(f"{op.name}.grad", None)
        self.of, self.inputs, self.outputs, self.n_outputs = op, inputs, outputs, n_outputs

    def compute(self, avals, *arrays):
        n = len(avals) - len(self.outputs)
        operands, cotangents = list(arrays[:n]), arrays[n:]

        def primal(*chosen):
            for i, x in zip(self.inputs, chosen, strict=True):
                operands[i] = x
            out = self.of.compute(avals[:n], *operands)
            return out if isinstance(out, (tuple, list)) else (out,)

        outs, pull = jax.vjp(primal, *[operands[i] for i in self.inputs])
        given = dict(zip(self.outputs, cotangents, strict=True))
        full = [
            jnp.conj(given[i].astype(o.dtype)) if i in given else _zero_cotangent(o)
            for i, o in enumerate(outs)
        ]
        # a complex gradient is d/dx + i d/dy in MindSpore, of which JAX has the conjugate
        return tuple([jnp.conj(g) for g in pull(type(outs)(full))])

    def _infer(self, avals):
        run = jax.jit(functools.partial(self.compute, avals), inline=True)
        return Rule(avals, tuple(avals[i] for i in self.inputs), run, False)


def _zero_cotangent(out):
    if jnp.issubdtype(out.dtype, jnp.inexact):
        return jnp.zeros(out.shape, out.dtype)
    return np.zeros(out.shape, jax.dtypes.float0)
