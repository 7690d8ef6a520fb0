"""The namespace in which `cell_cases` and `grad_cases` are evaluated, and MindSpore 2.10's results
(recorded by `tools.record cells`)."""

import json
from types import SimpleNamespace

from sporax import initializers, ops, optim
from sporax import nn as cells
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp
from sporax._src.transforms.batching import vmap
from sporax.nn.parameter_tuple import ParameterTuple

nn = SimpleNamespace(
    **{name: getattr(cells, name) for name in cells.__all__}, SGD=optim.SGD, Momentum=optim.Momentum
)
MS = SimpleNamespace(
    nn=nn, ops=ops, dtype=dtype, Tensor=Tensor, Parameter=Parameter, ParameterTuple=ParameterTuple,
    grad=grad, value_and_grad=value_and_grad, get_grad=get_grad, jit=jit,
    init=initializers,
    vmap=vmap, jvp=jvp, vjp=vjp, jacfwd=jacfwd, jacrev=jacrev,
)  # fmt: skip


def evaluate(case, run):
    """Return a case's result in sporax, after a round trip through JSON."""
    return json.loads(json.dumps(run(case, MS)))


def rows(cases):
    """Yield (case, row) for every case; row is None unless the case has several results."""
    for name, result in cases.items():
        if isinstance(result, dict) and not set(result) <= {"tuple", "list"}:
            yield from ((name, row) for row in result)
        else:
            yield name, None
