"""Conditions and loops."""

import functools

import numpy as np

from sporax._src.core.jax_internals import scan_counts
from sporax.io.onnx_graph import Array
from sporax.io.onnx_operators.declare import rules

RULES, rule = rules()


@rule("cond")
def _cond(graph, params, index, *operands, avals):
    return _chosen(graph, graph.cast(index, np.int64), params["branches"], operands, avals)


def _chosen(graph, number, branches, operands, avals, k=0):
    """Return the results of the branch of this number, of those from number k on."""
    this, *others = branches
    if not others:
        return graph.run(this.jaxpr, this.consts, list(operands))
    one, other = (
        graph.body("branch", [], functools.partial(_branch, number, few, operands, avals, n))
        for n, few in ((k, [this]), (k + 1, others))
    )
    is_this = graph.add("LessOrEqual", number, np.int64(k))
    names = graph.add("If", is_this, then_branch=one, else_branch=other, outputs=len(avals))
    names = [names] if len(avals) == 1 else names
    return [Array(a.shape, a.dtype, name) for a, name in zip(avals, names, strict=True)]


def _branch(number, branches, operands, avals, k, graph):
    return _chosen(graph, number, branches, operands, avals, k)


@rule("while")
def _while(graph, params, *operands, avals):
    n, m = params["cond_nconsts"], params["body_nconsts"]
    for_condition, for_body, first = operands[:n], operands[n : n + m], operands[n + m :]
    condition, body = params["cond_jaxpr"], params["body_jaxpr"]

    def is_on(inner, state):
        return inner.run(condition.jaxpr, condition.consts, [*for_condition, *state])[0]

    def run(inner, _, __, *state):
        after = inner.run(body.jaxpr, body.consts, [*for_body, *state])
        return [is_on(inner, after), *after]

    inputs = [("iteration", (), np.dtype(np.int64)), ("is_on", (), np.dtype(bool))]
    inputs += [("state", x.shape, x.dtype) for x in first]
    loop = graph.body("loop", inputs, run)
    return graph.add("Loop", "", is_on(graph, first), *first, body=loop, outputs=len(avals))


@rule("scan")
def _scan(graph, params, *operands, avals):
    n, m = scan_counts(params)
    constants, first, along = operands[:n], operands[n : n + m], operands[n + m :]
    jaxpr, length = params["jaxpr"], params["length"]
    if not along:  # a scan has the length of what it runs along
        along = [Array((length,), np.int64, graph.iota(length))]
    is_counted = len(along) > len(operands) - n - m

    def run(inner, *arrays):
        state, elements = list(arrays[:m]), [] if is_counted else list(arrays[m:])
        return inner.run(jaxpr.jaxpr, jaxpr.consts, [*constants, *state, *elements])

    inputs = [("state", x.shape, x.dtype) for x in first]
    inputs += [("element", x.shape[1:], x.dtype) for x in along]
    backwards = int(params["reverse"])
    return graph.add(
        "Scan", *first, *along, body=graph.body("loop", inputs, run), num_scan_inputs=len(along),
        scan_input_directions=[backwards] * len(along),
        scan_output_directions=[backwards] * (len(avals) - m), outputs=len(avals),
    )  # fmt: skip
