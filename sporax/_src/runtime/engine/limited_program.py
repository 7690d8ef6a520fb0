"""A program that is compiled to fit into the memory limit, with `recompute.plans`."""

import gc
from typing import Any

import jax

from sporax._src.core.jax_internals import jaxpr_as_fun, program_bytes
from sporax._src.core.units import bytes_text
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.debug.compile_log import log
from sporax._src.runtime.engine.debug.out_of_memory import BELOW
from sporax._src.runtime.memory import liveness
from sporax._src.runtime.memory.flat import flat
from sporax._src.runtime.recompute.batch_splitting import NotSplit, split
from sporax._src.runtime.recompute.plans import plans_of

_TRIES = 4
_MORE = 1.2  # times the bytes by which XLA exceeds the budget, to be saved at the next try


class LimitedProgram:
    """Called like the `jax.jit` of `run`, whose third argument is donated. Before each run the
    memory of arrays that are not its arguments is summed; the program is compiled anew if it would
    exceed the limit with them. `passes` change the jaxpr that fits."""

    def __init__(self, run, limit, options, passes):
        self.run, self.limit, self.options, self.passes = run, limit, options, passes
        self.flat = None
        self.compiled: Any = None
        self.size = 0  # bytes of arguments, results and temporary arrays, by XLA

    def __call__(self, *operands):
        leaves = jax.tree.leaves(operands)
        if not self.fits(leaves):
            jax.block_until_ready(leaves)
            gc.collect()  # arrays in reference cycles
            if not self.fits(leaves):
                self.fit(operands, _others(leaves))
        return self.compiled(*leaves)

    def fits(self, leaves):
        """Return True if it is compiled and needs at most what the other arrays leave."""
        return self.compiled is not None and _others(leaves) + self.size <= self.limit

    def fit(self, operands, others):
        """Compile the program that recomputes least and needs at most what the `others` leave."""
        if self.flat is None:
            self.flat = flat(jax.make_jaxpr(self.run)(*operands))
        first, n = (len(jax.tree.leaves(x)) for x in (operands[:2], operands[2]))
        donated, budget = range(first, first + n), self.limit - others
        goal, sizes, self.compiled = budget, [], None
        for _ in range(_TRIES):
            *_, plan = plans = list(plans_of(self.flat, donated, goal))
            compiled, size = self.built(plan.program, donated)
            sizes.append(size)
            if size <= budget:
                self.compiled, self.size = compiled, size
                self.announce(plan, plans[0].peak.bytes - plan.peak.bytes)
                return
            if plan.peak.bytes > goal:
                break  # nothing else can be recomputed
            peak = plan.peak.bytes
            goal = peak - max(
                int(_MORE * (size - budget)), peak >> 5
            )  # less changes nothing in XLA
        if self.in_parts(donated, budget, sizes):
            return
        amounts = {"limit": self.limit, "least": others + min(sizes), "others": others}
        raise rejection(BELOW, "memory_limit", **{k: bytes_text(n) for k, n in amounts.items()})

    def in_parts(self, donated, budget, sizes):
        """Compile the program that computes the batch in the fewest parts that fit; return False if
        there is none. Adds the bytes of each that is compiled to `sizes`."""
        parts, batch = 2, 2
        while parts <= batch:
            try:
                program, batch = split(self.flat, parts, donated)
            except NotSplit as reason:
                self.log(f"the batch is not split: {reason}")
                return False
            if liveness.peak(program, donated).bytes <= budget:
                compiled, size = self.built(program, donated)
                sizes.append(size)
                if size <= budget:
                    self.compiled, self.size = compiled, size
                    self.log(f"computes the batch of {batch} in {parts} parts")
                    return True
            parts *= 2
        self.log("the batch is not split: no number of parts fits")
        return False

    def built(self, program, donated):
        """Return (the compiled function, XLA's bytes for it)."""
        for change in self.passes:
            program = change(program)
        function = jax.jit(
            jaxpr_as_fun(program), donate_argnums=tuple(donated), compiler_options=self.options
        )
        specs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in program.jaxpr.invars]
        return function, sum(program_bytes(function.lower(*specs).compile()))

    def announce(self, plan, saved):
        """Log what is recomputed, and what it costs."""
        if plan.stretches:
            self.log(
                f"recomputes {plan.stretches} stretches "
                f"({bytes_text(saved)} less, about {100 * plan.cost:.0f} % more arithmetic)"
            )

    def log(self, text):
        """Log what is done to meet the limit."""
        log(f"memory_limit {bytes_text(self.limit)}: {text}")


def _others(operands):
    """Return the bytes of all arrays but these."""
    own = sum(x.nbytes for x in operands if isinstance(x, jax.Array))
    return sum(array.nbytes for array in jax.live_arrays()) - own
