"""Each face of each declared operation, called as it is written, gives what the operation gives.

The rows are the first samples of `tests/samples` that a face can express: Tensor methods, Primitive
classes and `mint` functions with other parameters, orders and defaults than the declaration's.
"""

from types import ModuleType

import numpy as np
import pytest

from sporax import ops
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax.ops.declare import OPS
from tests.ops import call_forms
from tests.samples import collect

pytestmark = pytest.mark.usefixtures("on_numpy")

SAMPLES = {}
for _sample in collect("SAMPLES"):
    SAMPLES.setdefault(_sample.op, []).append(_sample)


# faces that no sample can be written with, called in `test_call_forms.py` or as the functions they
# share their lines with
NO_SAMPLE = {"Argmin", "DiagPart", "OnesLike"}


ROWS = [
    pytest.param(name, kind, face, id=f"{kind}:{face.partition('(')[0]}")
    for name, declaration in OPS.items()
    if name in SAMPLES
    for kind, face in call_forms.faces(declaration)
]


@pytest.mark.parametrize("name, kind, written", ROWS)
def test_a_face_gives_what_the_operation_gives(name, kind, written):
    declaration = OPS[name]
    for sample in SAMPLES[name]:
        try:
            source = call_forms.call(declaration, kind, written, sample)
        except KeyError:
            continue
        tensors = [Tensor(a) for a in sample.arrays(np.float32)]
        outs = call_forms.evaluate(source, tensors)
        expected = tensors_of(sample.call(ops, tensors))
        for out, ref in zip(tensors_of(outs), expected, strict=True):
            np.testing.assert_allclose(out.asnumpy(), ref.asnumpy(), 1e-6, 1e-6)
            assert out.dtype == ref.dtype
        return
    assert written.partition("(")[0] in NO_SAMPLE, "none of its samples can be written with it"


def test_no_module_stands_where_an_operation_is_looked_up():
    for name in OPS:
        assert not isinstance(getattr(ops, name, None), ModuleType), name
