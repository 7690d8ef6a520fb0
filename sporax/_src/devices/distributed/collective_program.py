"""Programs with collectives: `CollectiveProgram` of one group, `CollectiveSequence` of several."""

from typing import Any, NamedTuple

import jax
import numpy as np

from sporax._src.core.jax_internals import Literal, called, evaluated, interpret, within
from sporax._src.devices.distributed.rank_function import RankFunction, axis_name_of
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.program import Program, usable


class CollectiveProgram(Program):
    """A `Program` that all ranks of a group run at once."""

    __slots__ = ()

    def __init__(self, group, function, avals, alive, dead):
        super().__init__(function, avals, alive, dead)
        who = _names(function, group)
        self.compiled = RankFunction(group, who, self.compiled.__wrapped__, (2,))


def _names(function, group):
    """Return the names of a trace's operations that have collectives of a group."""
    return " ".join(dict.fromkeys([
        op.name for op, _, refs in function.steps
        if refs is not None and op.collective and group in op.collective.groups
    ]))  # fmt: skip


class _Segment(NamedTuple):
    """A `RankFunction`, the variables that it takes, and the variables that it returns."""

    function: Any
    takes: list
    gives: list


class CollectiveSequence(Program):
    """A `Program` with collectives of several groups.

    It consists of parts with one collective each, in script order: in a single program, XLA could
    order them differently on different ranks, and two groups would deadlock. Ranks may be in
    different groups; the ranks of a group run the same parts with it.
    """

    __slots__ = ("groups", "jaxpr", "names", "run", "segments")

    def __init__(self, groups, function, avals, alive, dead):
        super().__init__(function, avals, alive, dead)
        self.groups, self.segments = groups, None
        self.jaxpr: Any = None  # traced at the first launch
        self.run = self.compiled.__wrapped__
        self.names = {group: _names(function, group) for group in groups.groups}
        self.compiled = self._launch

    def _launch(self, *pools):
        arrays = jax.tree.leaves(pools)
        if self.segments is None:
            self.jaxpr = self._traced(pools)
            self.segments = self._split(len(jax.tree.leaves(pools[:2])), len(pools[2]))
        jaxpr = self.jaxpr.jaxpr
        known = dict(zip(jaxpr.invars, arrays, strict=True))
        known.update(zip(jaxpr.constvars, self.jaxpr.consts, strict=True))
        for segment in self.segments:
            results = segment.function(*[known[v] for v in segment.takes])
            known.update(zip(segment.gives, results, strict=True))
        return [
            np.asarray(v.val, aval.dtype) if isinstance(v, Literal) else known[v]
            for v, aval in zip(jaxpr.outvars, self.jaxpr.out_avals, strict=True)
        ]

    def _traced(self, pools):
        """Return the program as a closed jaxpr, whose equations have at most one collective."""
        with self.groups.axis():
            whole = jax.jit(self.run).trace(*pools).jaxpr
            jaxpr, constants = whole.jaxpr, whole.consts

            def run(*arrays):
                return interpret(jaxpr, constants, arrays, _evaluate, lambda atom: atom.val)

            return jax.make_jaxpr(run)(*jax.tree.leaves(pools))

    def _split(self, first, count):
        """Return the parts. `first`, `count`: the range of donated arguments."""
        jaxpr = self.jaxpr.jaxpr
        later = {v for v in jaxpr.outvars if not isinstance(v, Literal)}
        owned = {*jaxpr.invars[first : first + count]}
        owned.update(v for equation in jaxpr.eqns for v in equation.outvars)
        segments = []
        for group, equations in reversed(_cut(_needed(jaxpr), self.groups.of_axis)):
            made = dict.fromkeys(v for equation in equations for v in equation.outvars)
            takes = list(dict.fromkeys(
                v for equation in equations for v in equation.invars
                if not isinstance(v, Literal) and v not in made
            ))  # fmt: skip
            # all results of the collective, which XLA must not remove on one rank only
            sent = {v for equation in equations if _axes(equation) for v in equation.outvars}
            gives = [v for v in made if v in later or v in sent]
            dead = [i for i, v in enumerate(takes) if v in owned and v not in later]
            shapes = [[v.aval.str_short() for v in vs] for vs in (takes, gives)]
            run = _function(equations, takes, gives)
            function = RankFunction(group, self.names[group], run, tuple(usable(dead, *shapes)))
            segments.append(_Segment(function, takes, gives))
            later.update(takes)
        return segments[::-1]


def _needed(jaxpr):
    """Return the equations that the results depend on, and those that other ranks take part in."""
    needed, equations = {v for v in jaxpr.outvars if not isinstance(v, Literal)}, []
    for equation in reversed(jaxpr.eqns):
        if equation.effects or _axes(equation) or not needed.isdisjoint(equation.outvars):
            equations.append(equation)
            needed.update(v for v in equation.invars if not isinstance(v, Literal))
    return equations[::-1]


def _cut(equations, of_axis):
    """Return [group, equations] of each part, in order."""
    segments: list[Any] = [[None, []]]
    for equation in equations:
        for name in _axes(equation)[:1]:
            if segments[-1][0] is not None:
                segments.append([None, []])
            segments[-1][0] = of_axis[name]
        segments[-1][1].append(equation)
    if segments[0][0] is None:  # no collective is needed
        segments[0][0] = next(iter(of_axis.values()))
    return segments


def _axes(equation):
    """Return the axis names of the groups of the collectives in an equation."""
    return [name for one in within(equation) if (name := axis_name_of(one)) is not None]


def _evaluate(equation, operands):
    """Evaluate an equation; a call that contains a collective is inlined."""
    axes = _axes(equation)
    if not axes or (call := called(equation)) is None:
        if len(set(axes)) > 1:
            raise rejection("body-condition-loop-collectives", equation.primitive.name)
        return evaluated(equation, operands)
    return interpret(*call, operands, _evaluate, lambda atom: atom.val)


def _function(equations, takes, gives):
    """Return a function of the variables `takes` that evaluates some equations of a jaxpr."""

    def run(*arrays):
        known = dict(zip(takes, arrays, strict=True))
        for equation in equations:
            operands = [v.val if isinstance(v, Literal) else known[v] for v in equation.invars]
            known.update(zip(equation.outvars, evaluated(equation, operands), strict=True))
        return [known[v] for v in gives]

    return run
