"""The collectives of a program one after the other, as they are called, and all of them.

XLA leaves out what no result depends on, and exchanges or joins what is independent of each other.
Ranks whose programs differ around the collectives would then wait for each other in different
ones. So a token goes through them: a number that is 0, which XLA does not know. It is the index at
which the first element of a collective's operand is written to where it is already; its bitwise
`and` with an element of the result is the next one, and the last is a result of the program. Loops
carry it, and branches return it.
"""

import jax
import jax.numpy as jnp
from jax import lax

from sporax.core.jax_internals import called, evaluated, interpret, scan_counts, within


def in_order(run, is_collective, note):
    """A function of (0, operands of `run`), which returns (the results of `run`, 0); `note` is
    called with its jaxpr when it is traced."""

    def ordered(zero, *pools):
        leaves, tree = jax.tree.flatten(pools)
        closed = jax.make_jaxpr(lambda *xs: run(*jax.tree.unflatten(tree, xs)))(*leaves)
        note(closed.jaxpr)
        chain = _Chain(is_collective, zero)
        return chain.evaluate(closed.jaxpr, closed.consts, leaves), chain.token

    return ordered


class _Chain:
    """Evaluates jaxprs, with a `token` that goes through their collectives."""

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
        """The operands, of which one depends on the token."""
        for i, x in enumerate(operands):
            if x.size:
                flat = x.reshape(-1)
                same = lax.dynamic_update_slice(flat, flat[:1], (self.token,)).reshape(x.shape)
                return [*operands[:i], same, *operands[i + 1 :]]
        return operands

    def _has_collective(self, equation):
        return any(map(self.is_collective, within(equation)))

    def _part(self, closed, token, inputs):
        """(the token after a part of a loop or condition, its results)."""
        chain = _Chain(self.is_collective, token)
        chain.is_first = False
        results = chain.evaluate(closed.jaxpr, closed.consts, inputs)
        return chain.token, results

    def _scan(self, params, operands):
        first, n_carried = scan_counts(params)
        end = first + n_carried

        def turn(carried, items):
            token, *carried = carried
            token, results = self._part(
                params["jaxpr"], token, [*operands[:first], *carried, *items]
            )
            return (token, *results[: end - first]), results[end - first :]

        options = {name: params[name] for name in ("length", "reverse", "unroll")}
        init = self.token, *operands[first:end]
        (self.token, *last), more = lax.scan(turn, init, operands[end:], **options)
        return [*last, *more]

    def _while(self, params, operands):
        """A loop whose test is at the end of each turn, since a test returns no token."""
        first, end = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]

        def test(token, carried):
            token, (holds,) = self._part(params["cond_jaxpr"], token, [*operands[:first], *carried])
            return token, holds, *carried

        def turn(state):
            token, _, *carried = state
            return test(*self._part(
                params["body_jaxpr"], token, [*operands[first:end], *carried]
            ))  # fmt: skip

        state = lax.while_loop(lambda state: state[1], turn, test(self.token, operands[end:]))
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
