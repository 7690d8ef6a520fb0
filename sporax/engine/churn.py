"""What to do with a trace that is not compiled yet: compile it, or, where shapes keep changing,
run it once without a compiler.

XLA compiles for each shape: tenths of a second to seconds for a training step. A script whose
sentences are as long as the longest in the batch meets new shapes at every step and would do little
else than compile. So, once the same operations have been compiled for `PATIENCE` sets of shapes, a
further set is compiled only when it comes a second time; the first time it runs on NumPy. Both give
the same numbers up to rounding.
"""

import traceback
import warnings

import jax
import jax.numpy as jnp
import numpy as np

from sporax.engine.program import Layout, Program

PATIENCE = 3  # programs of one sequence of operations before shapes count as changing
SHORTEST = 16  # operations; what is shorter compiles quickly

SEEN = object()  # stands for a program that would be compiled at its next use


class Family:
    """The programs made of one sequence of operations."""

    def __init__(self):
        self.programs, self.last, self.warned = 0, None, False


families = {}


def prepare(state, alive, dead, inputs):
    """What runs a trace that has no program: (callable, what to keep in the program's place)."""
    path = state.path()
    layout = Layout(path, inputs)
    family = families.setdefault(hash(tuple([s.op.name for s in path])), Family())
    changing = family.programs >= PATIENCE and len(path) >= SHORTEST
    if changing and state.programs.get((alive, dead)) is not SEEN and runs_on_numpy(layout):
        if not family.warned:
            family.warned = True
            warn(family.last, layout.inputs)
        family.last = layout.inputs
        return Interpretation(layout, alive), SEEN
    family.programs += 1
    family.last = layout.inputs
    program = Program(state, alive, dead, inputs)
    return program, program


def runs_on_numpy(layout):
    """Whether NumPy can take the place of XLA for all of it."""
    from sporax.engine import interpreter  # needed by few programs only

    return jax.default_backend() == "cpu" and all(
        interpreter.supported(rule.jaxpr) is None for rule, _ in layout.steps
    )


class Interpretation:
    """A trace run operation by operation on NumPy."""

    def __init__(self, layout, wanted):
        self.layout, self.wanted = layout, wanted
        self.last_use = {}  # output -> the last step that needs it
        for step, (_, refs) in enumerate(layout.steps):
            for kind, i in refs:
                if kind == "output":
                    self.last_use[i] = step

    def __call__(self, reals, integers, arrays):
        from sporax.engine import interpreter

        made, keep = [], set(self.wanted)
        pools = {
            "output": made,
            "input": [np.asarray(a) for a in arrays],
            "real": [np.float64(v.array) for v in reals],
            "integer": [np.int64(v.array) for v in integers],
        }
        for step, (rule, refs) in enumerate(self.layout.steps):
            operands = [pools[kind][i] for kind, i in refs]
            first = len(made)
            made.extend(interpreter.evaluate(rule.jaxpr, *operands))
            for i in [i for kind, i in refs if kind == "output"] + list(range(first, len(made))):
                if i not in keep and self.last_use.get(i, step) <= step:
                    made[i] = None
        return [jnp.asarray(made[i]) for i in self.wanted]


def warn(before, now):
    """Say once which input changes its shape, and where."""
    changed = [f"{a} -> {b}" for a, b in zip(before, now, strict=False) if a is not b]
    frames = [f for f in traceback.extract_stack() if "sporax" not in f.filename]
    where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    warnings.warn(
        f"The shapes of a computation change from step to step{where} "
        f"(inputs: {', '.join(changed[:3])}). A new set of shapes runs on NumPy the first time and "
        "is compiled when it comes again. For full speed let the same shapes come back, e.g. by "
        "padding to a few lengths.",
        RuntimeWarning,
        stacklevel=2,
    )
