"""Each face of each declared operation, called as it is written, gives what the operation gives.

The rows are the first samples of `tests/samples` that a face can express: Tensor methods, Primitive
classes and `mint` functions with other parameters, orders and defaults than the declaration's.
"""

import inspect

import numpy as np
import pytest

from sporax import ops
from sporax.core.tensor import Tensor
from sporax.core.tree import tensors_of
from sporax.ops.declare import MINT, OPS, PRIMITIVES
from tests.samples import collect

SAMPLES = {}
for _sample in collect("SAMPLES"):
    SAMPLES.setdefault(_sample.op, []).append(_sample)


# faces that no sample can be written with, called in `tests/test_faces.py` or as the functions they
# share their lines with
NO_SAMPLE = {"Argmin", "DiagPart", "Gather", "OnesLike"}


def faces(declaration):
    """(kind, face as written) of a declaration's faces, a signature of its own written out."""
    for kind in ("tensor", "primitive", "mint"):  # those of `mindspore.numpy`: test_numpy.py
        written = declaration.faces[kind]
        for face in (written,) if isinstance(written, str | bool) else written or ():
            name = declaration.fn.__name__ if face is True else face
            yield kind, name if "(" in name else f"{name}{_own(declaration)}"


def _own(declaration):
    """The signature of the declaration itself, as a face is written."""
    kinds = [p.replace(annotation=inspect.Parameter.empty) for p in _parameters(declaration)]
    kinds = [p if p.default is p.empty else p.replace(default=None) for p in kinds]
    return str(inspect.Signature(kinds))


def _parameters(declaration):
    return declaration.signature.parameters.values()


def bound(declaration, sample, tensors):
    """{canonical name: value} of a sample's call; KeyError if it calls another face by names."""
    named = dict(zip(sample.names or (), tensors, strict=bool(sample.names))) | sample.attrs
    if not set(named) <= set(declaration.signature.parameters):
        raise KeyError(declaration.name)
    given = [] if sample.names else [tuple(tensors)] if sample.packed else tensors
    return declaration.signature.bind(*given, **named).arguments


def arguments(declaration, parameters, given):
    """The values for a face's parameters; KeyError if it has one that the sample leaves open."""
    values = {}
    for parameter, canonical in parameters:
        if canonical in given:
            values[parameter.name] = given[canonical]
        elif parameter.default is inspect.Parameter.empty:
            default = declaration.signature.parameters[canonical].default
            if default is inspect.Parameter.empty:
                raise KeyError(canonical)
            values[parameter.name] = default
        elif parameter.default != declaration.signature.parameters[canonical].default:
            values[parameter.name] = declaration.signature.parameters[canonical].default
    return values


def call(declaration, kind, written, given):
    """What the face gives for these arguments; KeyError where it cannot express them."""
    head, _, inputs = written.partition(")(")
    name, parameters = declaration.parse(f"{head})" if inputs else written)
    called = declaration.parse(f"{name}({inputs}")[1] if inputs else []
    expressed = {canonical for _, canonical in (*parameters, *called)}
    if not set(given) <= expressed:
        raise KeyError(name)
    values = arguments(declaration, parameters, given)
    if kind == "primitive":
        operands = arguments(declaration, called, given)
        return PRIMITIVES[name](**values)(*operands.values())
    if kind == "mint":
        return MINT[written.partition("(")[0]](**values)
    itself = values.pop(parameters[0][0].name)
    return getattr(itself, name)(**values)


ROWS = [
    pytest.param(name, kind, face, id=f"{kind}:{face.partition('(')[0]}")
    for name, declaration in OPS.items()
    if name in SAMPLES
    for kind, face in faces(declaration)
]


@pytest.mark.parametrize("name, kind, written", ROWS)
def test_a_face_gives_what_the_operation_gives(name, kind, written):
    declaration = OPS[name]
    for sample in SAMPLES[name]:
        tensors = [Tensor(a) for a in sample.arrays(np.float32)]
        try:
            given = bound(declaration, sample, tensors)
            outs = call(declaration, kind, written, given)
        except KeyError:
            continue
        wanted = tensors_of(sample.call(ops, tensors))
        for out, ref in zip(tensors_of(outs), wanted, strict=True):
            np.testing.assert_allclose(out.asnumpy(), ref.asnumpy(), 1e-6, 1e-6)
            assert out.dtype == ref.dtype
        return
    assert written.partition("(")[0] in NO_SAMPLE, "none of its samples can be written with it"
