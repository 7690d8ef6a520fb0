"""Layers without weights, each declared in one line: its signatures and a function of `ops`."""

import inspect
import linecache
import sys
from typing import Any

from sporax import ops
from sporax.nn.cell import Cell
from sporax.ops.math.gamma_functions import lbeta


def layer(signatures, function, base=Cell) -> Any:
    """Return the class of a layer that calls `function`, with the docstring of that function.

    `signatures`: of the constructor and of the call. A constructor argument fills the parameter of
    the same name, of `base` and of `function`. The class is compiled from source, so that Python
    checks the signatures itself; `inspect.getsource` of its methods returns it.
    """
    head, _, called = signatures.partition(")(")
    name, _, built = head.partition("(")
    scope: dict = {"Base": base, "function": function, "__name__": None}
    exec(f"def made({built}): pass\ndef called({called}: pass", scope)
    names = list(inspect.signature(scope["made"]).parameters)
    arguments = [
        p.name if p.default is p.empty else f"{p.name}={p.name}"
        for p in inspect.signature(scope["called"]).parameters.values()
    ]
    arguments += [f"{n}=self.{n}" for n in names]
    of_base = [n for n in names if n in inspect.signature(base).parameters]
    initial = ", ".join(["self", *(f"{n}={n}" for n in of_base)])
    kept = "".join(f"    self.{n} = {n}\n" for n in names if n not in of_base)
    separated = f", {built}" if built else ""
    source = (
        f"def __init__(self{separated}):\n    Base.__init__({initial})\n{kept}"
        f"def construct(self, {called}:\n    return function({', '.join(arguments)})\n"
    )
    caller = sys._getframe(1).f_globals
    file = f"{caller['__file__']}:{name}"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    exec(compile(source, file, "exec"), scope)
    members = {n: scope[n] for n in ("__init__", "construct")}
    members |= {"__doc__": function.__doc__, "__module__": caller["__name__"]}
    for member in ("__init__", "construct"):
        members[member].__qualname__ = f"{name}.{member}"
    return type(name, (base,), members)


ChannelShuffle = layer("ChannelShuffle(groups)(x)", ops.channel_shuffle)
DiGamma = layer("DiGamma()(x)", ops.digamma)
FractionalMaxPool2d = layer(
    "FractionalMaxPool2d(kernel_size, output_size=None, output_ratio=None, return_indices=False, "
    "_random_samples=None)(input)",
    ops.fractional_max_pool2d,
)
FractionalMaxPool3d = layer(
    "FractionalMaxPool3d(kernel_size, output_size=None, output_ratio=None, return_indices=False, "
    "_random_samples=None)(input)",
    ops.fractional_max_pool3d,
)
GLU = layer("GLU(axis=-1)(x)", ops.glu)
IGamma = layer("IGamma()(a, x)", ops.igamma)
LBeta = layer("LBeta()(x, y)", lbeta)
LGamma = layer("LGamma()(x)", ops.lgamma)
LRN = layer(
    "LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')(input_x)",
    ops.lrn,
)
LPPool1d = layer("LPPool1d(norm_type, kernel_size, stride=None, ceil_mode=False)(x)", ops.lp_pool1d)
LPPool2d = layer("LPPool2d(norm_type, kernel_size, stride=None, ceil_mode=False)(x)", ops.lp_pool2d)
MatDet = layer("MatDet()(a)", ops.det)
MatInverse = layer("MatInverse()(a)", ops.inverse)
MatrixDiag = layer("MatrixDiag()(input_x)", ops.matrix_diag)
MatrixSetDiag = layer("MatrixSetDiag()(input_x, diagonal)", ops.matrix_set_diag)
MaxUnpool1d = layer(
    "MaxUnpool1d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
    ops.max_unpool1d,
)
MaxUnpool2d = layer(
    "MaxUnpool2d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
    ops.max_unpool2d,
)
MaxUnpool3d = layer(
    "MaxUnpool3d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
    ops.max_unpool3d,
)
SeLU = layer("SeLU()(input_x)", ops.selu)
Tanhshrink = layer("Tanhshrink()(x)", ops.tanhshrink)


class CTCLoss(Cell):
    """`ops.ctc_loss` without `log_alpha`: `log_probs` `(T, N, C)`, `targets` `(N, S)`, lengths.

    >>> logits = ops.log_softmax(ops.zeros((2, 1, 2)))
    >>> round(nn.CTCLoss()(logits, Tensor([[1]]), Tensor([2]), Tensor([1])).item(), 4)
    0.2877
    """

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__()
        self.blank, self.reduction, self.zero_infinity = blank, reduction, zero_infinity

    def construct(self, log_probs, targets, input_lengths, target_lengths):
        return ops.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
            self.zero_infinity,
        )[0]  # fmt: skip
