"""Programs rewritten for the platform: equations replaced by kernels that are faster there."""

import jax
from jax.extend import core

from sporax.xla_kernels.onednn.convolution import in_program


def rewrite(jaxpr):
    """The jaxpr (`Jaxpr` or `ClosedJaxpr`) with kernels in it; itself where none applies."""
    plain = getattr(jaxpr, "jaxpr", jaxpr)
    producers = {out: eqn for eqn in plain.eqns for out in eqn.outvars}
    eqns = [_rewritten(eqn, producers) for eqn in plain.eqns]
    if all(new is old for new, old in zip(eqns, plain.eqns, strict=True)):
        return jaxpr
    new = plain.replace(eqns=eqns)
    return new if plain is jaxpr else core.ClosedJaxpr(new, jaxpr.consts)


def _rewritten(eqn, producers):
    rule = RULES.get(eqn.primitive.name)
    if rule is not None:
        found = rule(eqn, producers)
        if found is None:
            return eqn
        kernel, operands = found
        specs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in operands]
        call = jax.make_jaxpr(jax.jit(kernel))(*specs).eqns[0]
        return call.replace(
            invars=operands, outvars=eqn.outvars, source_info=eqn.source_info, ctx=eqn.ctx
        )
    params = {key: _parts(value) for key, value in eqn.params.items()}
    changed = any(params[key] is not value for key, value in eqn.params.items())
    return eqn.replace(params=params) if changed else eqn


def _parts(value):
    """A parameter of an equation, rewritten where it is a jaxpr or several."""
    if isinstance(value, (core.Jaxpr, core.ClosedJaxpr)):
        return rewrite(value)
    if isinstance(value, tuple) and any(isinstance(x, core.ClosedJaxpr) for x in value):
        new = tuple(map(_parts, value))
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    return value


def _convolution(eqn, producers):
    """oneDNN's convolution; of the kernel before it was reversed, where it was."""
    operands, made_by = list(eqn.invars), producers.get(eqn.invars[1])
    spatial = eqn.params["dimension_numbers"].rhs_spec[2:]
    reversed_ = (
        made_by is not None
        and made_by.primitive.name == "rev"
        and {*made_by.params["dimensions"]} == {*spatial}
    )
    kernel = in_program(eqn.params, *(v.aval for v in (*operands, eqn.outvars[0])), reversed_)
    if kernel is None:
        return None
    call, takes_unreversed = kernel
    if takes_unreversed and reversed_:
        operands[1] = made_by.invars[0]
    return call, operands


RULES = {"conv_general_dilated": _convolution}
