"""Parts of a trace as traces: captured functions replaced by their operations, and the trace of
selected steps."""

from sporax._src.runtime.engine.program import TraceFunction


def flattened(trace):
    """Return (the `TraceFunction` with captured functions replaced by the operations that they
    recorded, the place of each output of `trace` in it: a pool and an index)."""
    whole = TraceFunction([], trace.inputs)
    whole.n_reals, whole.n_integers = trace.n_reals, trace.n_integers
    taken = [("input", i) for i in range(len(trace.inputs))]
    return whole, _append(whole, trace, taken, None)


def _append(whole, trace, inputs, numbers):
    """Append a trace whose inputs are at these places; returns the places of its outputs.
    `numbers`: the values of its Python numbers, {pool: array}; None: the numbers of `whole`."""
    output_refs = []

    def resolved(pool, i):
        if pool == "output":
            return output_refs[i]
        if pool == "input":
            return inputs[i]
        if pool == "constant" or numbers is not None:
            whole.constants.append(trace.constants[i] if pool == "constant" else numbers[pool][i])
            return "constant", len(whole.constants) - 1
        return pool, i

    for (op, rule, refs), origin in zip(trace.steps, trace.origins, strict=True):
        taken = [resolved(*ref) for ref in refs]
        inner = getattr(op.fn, "steps_of", None)
        if inner is None:
            first = len(step_of_outputs(whole))
            whole.steps.append((op, rule, taken))
            whole.origins.append(origin)
            output_refs += [("output", first + k) for k in range(len(rule.avals))]
        else:
            called, reals, integers, wanted = inner
            within = _append(whole, called, taken, {"real": reals, "integer": integers})
            output_refs += [within[i] if i >= 0 else taken[~i] for i in wanted]
    return output_refs


def step_of_outputs(trace):
    """Return the index of the step that computes each output."""
    return [k for k, (_, rule, _) in enumerate(trace.steps) for _ in rule.avals]


def outputs_of_step(trace, k):
    """Return the indices of a step's outputs."""
    first = sum(len(rule.avals) for _, rule, _ in trace.steps[:k])
    return range(first, first + len(trace.steps[k][1].avals))


def ancestors(trace, k):
    """Return the steps that step `k` needs, itself last."""
    computed_by, needed = step_of_outputs(trace), {k}
    for i in range(k, -1, -1):
        if i in needed:
            needed.update(computed_by[j] for pool, j in trace.steps[i][2] if pool == "output")
    return sorted(needed)


def subtrace(trace, steps):
    """Return (the trace of these steps, the places of its array inputs in `trace`: a pool and an
    index, the indices of its outputs there)."""
    chosen, sources, renamed, outputs = TraceFunction([]), {}, {}, []
    chosen.n_reals, chosen.n_integers = trace.n_reals, trace.n_integers
    chosen.constants = trace.constants
    avals = [aval for _, rule, _ in trace.steps for aval in rule.avals]

    def resolved(pool, i):
        if pool == "output" and i in renamed:
            return "output", renamed[i]
        if pool not in ("output", "input"):
            return pool, i
        if (pool, i) not in sources:
            sources[pool, i] = len(sources)
            chosen.inputs.append(avals[i] if pool == "output" else trace.inputs[i])
        return "input", sources[pool, i]

    for k in steps:
        op, rule, refs = trace.steps[k]
        chosen.steps.append((op, rule, [resolved(*ref) for ref in refs]))
        chosen.origins.append(trace.origins[k])
        for i in outputs_of_step(trace, k):
            renamed[i] = len(outputs)
            outputs.append(i)
    return chosen, list(sources), outputs
