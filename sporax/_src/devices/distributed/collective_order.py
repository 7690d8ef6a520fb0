"""Execution of all collectives of a program, in the order in which they are called.

XLA removes dead code, and reorders or combines independent operations. Ranks whose programs differ
around the collectives would then wait for each other in different ones. So a token is passed
through them: an integer that is 0, which XLA does not know. It is the index at which the first
element of a collective's operand is written to its own place; its bitwise `and` with an element of
the result is the next token, and the last token is a result of the program. Loops carry it, and
branches return it.
"""

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.core.jax_internals import called, evaluated, interpret, scan_counts, within


def in_order(run, is_collective, note):
    """Return a function of (0, operands of `run`) that returns (the results of `run`, 0); `note` is
    called with the jaxpr of `run` when it is traced."""

    def ordered(zero, *pools):
        leaves, tree = jax.tree.flatten(pools)
        closed = jax.make_jaxpr(lambda *xs: run(*jax.tree.unflatten(tree, xs)))(*leaves)
        note(closed.jaxpr)
        chain = _Chain(is_collective, zero)
        return chain.evaluate(closed.jaxpr, closed.consts, leaves), chain.token

    return ordered


class _Chain:
    """Evaluate jaxprs, with a `token` that is passed through their collectives."""

    def __init__(self, is_collective, zero):
        self.is_collective, self.token, self.is_first = is_collective, zero, True

    def evaluate(self, jaxpr, constants, inputs):
        return interpret(jaxpr, constants, inputs, self._step, lambda atom: atom.val)

    def _step(self, equation, operands):
        if not self._has_collective(equation):
            return evaluated(equation, operands)
        inner, flow = called(equation), _FLOW.get(equation.primitive.name)
        if inner is not None:
            return self.evaluate(*inner, operands)
        if flow is not None:
            self.is_first = False
            return flow(self, equation.params, operands)
        if not self.is_first:
            operands = self._after_token(operands)
        self.is_first = False
        results = evaluated(equation, operands)
        for x in results:
            if x.size:
                first = jnp.real(lax.optimization_barrier(x)).reshape(-1)[0]
                self.token = self.token & first.astype(jnp.int32)
        return results

    def _after_token(self, operands):
        """Return the operands, one of which depends on the token."""
        for i, x in enumerate(operands):
            if x.size:
                flat = x.reshape(-1)
                same = lax.dynamic_update_slice(flat, flat[:1], (self.token,)).reshape(x.shape)
                return [*operands[:i], same, *operands[i + 1 :]]
        return operands

    def _has_collective(self, equation):
        return any(map(self.is_collective, within(equation)))

    def _part(self, closed, token, inputs):
        """Return (the token after a part of a loop or condition, its results)."""
        chain = _Chain(self.is_collective, token)
        chain.is_first = False
        results = chain.evaluate(closed.jaxpr, closed.consts, inputs)
        return chain.token, results

    def _scan(self, params, operands):
        first, n_carried = scan_counts(params)
        end = first + n_carried

        def body(carried, items):
            token, *carried = carried
            token, results = self._part(
                params["jaxpr"], token, [*operands[:first], *carried, *items]
            )
            return (token, *results[: end - first]), results[end - first :]

        options = {name: params[name] for name in ("length", "reverse", "unroll")}
        init = self.token, *operands[first:end]
        (self.token, *last), more = lax.scan(body, init, operands[end:], **options)
        return [*last, *more]

    def _while(self, params, operands):
        """Evaluate a loop with the test at the end of each iteration: a test returns no token."""
        first, end = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]

        def test(token, carried):
            token, (holds,) = self._part(params["cond_jaxpr"], token, [*operands[:first], *carried])
            return token, holds, *carried

        def body(state):
            token, _, *carried = state
            return test(*self._part(
                params["body_jaxpr"], token, [*operands[first:end], *carried]
            ))  # fmt: skip

        state = lax.while_loop(lambda state: state[1], body, test(self.token, operands[end:]))
        self.token, _, *last = state
        return last

    def _cond(self, params, operands):
        def branch(closed):
            return lambda token, *inputs: self._part(closed, token, inputs)

        self.token, results = lax.switch(
            operands[0], [*map(branch, params["branches"])], self.token, *operands[1:]
        )
        return results


_FLOW = {"scan": _Chain._scan, "while": _Chain._while, "cond": _Chain._cond}
