"""Prepares each process of a library's environment, before MindSpore or the library is imported.

NumPy gets names that its later versions lost, and modules that MindSpore 2.10 lost (in
$STRANGERS_LOST) can be imported, but not used: a library that is older than MindSpore 2.10 loads.
"""

import contextlib
import os
import sys
import types

import numpy

# Names that NumPy 2 lacks: MindSpore requires NumPy 1, so libraries for it use them.
NUMPY_1 = {
    "NaN": "nan", "Inf": "inf", "infty": "inf", "PINF": "inf", "float_": "float64",
    "complex_": "complex128", "product": "prod", "row_stack": "vstack", "in1d": "isin",
    "round_": "round", "bool8": "bool_", "alltrue": "all", "sometrue": "any", "trapz": "trapezoid",
}  # fmt: skip


class Lost(types.ModuleType):
    """A module, or an object of it, that MindSpore 2.10 lacks: calls return another."""

    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Lost(f"{self.__name__}.{name}")

    def __call__(self, *_args, **_kwargs):
        return Lost(self.__name__)


for lost in os.environ.get("STRANGERS_LOST", "").split():
    sys.modules[lost] = Lost(lost)
for old, new in NUMPY_1.items():
    if old not in vars(numpy):
        setattr(numpy, old, getattr(numpy, new))
for kind in (bool, complex, float, int, object):  # names before NumPy 1.24
    if kind.__name__ not in vars(numpy):
        setattr(numpy, kind.__name__, kind)
import PIL.Image  # noqa: E402, F401  (MindSpore's data sets import it, and libraries rely on that)

if os.environ.get("STRANGERS_NAME") == "sciai":  # it sets a list, which later versions reject
    from matplotlib import RcParams

    RcParams.validate["pgf.preamble"] = "\n".join
if os.environ.get("STRANGERS_NAME") == "mindnlp":  # it has a name from before MindSpore 2.9
    with contextlib.suppress(ImportError):  # no MindSpore yet: sporax, which has the name
        from mindspore import _c_expression

        if "Tensor" not in dir(_c_expression):
            _c_expression.Tensor = _c_expression.TensorPy
if os.environ.get("STRANGERS_NAME") == "mindearth":  # its tests name marks without `pytest.mark.`
    import builtins

    builtins.platform_arm_ascend910b_training = lambda test: test  # type: ignore[attr-defined]
if os.environ.get("STRANGERS_NAME") == "hyper_parallel":  # meshes of 4 to 32 ranks
    os.environ |= {"MS_SIMULATION_LEVEL": "1", "RANK_SIZE": "32"}
if os.environ.get("STRANGERS_NAME") in ("mindsponge", "mindelec"):  # names from MindSpore 2.0
    with contextlib.suppress(ImportError):  # no MindSpore yet: sporax, which has the names
        import mindspore
        from mindspore.parallel import _ps_context

        mindspore.ms_function, mindspore.ms_class = mindspore.jit, mindspore.jit_class
        _ps_context._is_role_pserver = bool  # False
