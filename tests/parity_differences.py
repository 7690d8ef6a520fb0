"""Where sporax's answers are not MindSpore's, and why: checked call by call in `test_parity.py`.

Each was looked at: NumPy in float64 agrees with sporax.
"""

_UNDER_0 = "not defined for negative numbers: NaN, where MindSpore gives an infinity"
_BESSEL = ("k0", "k0e", "k1", "k1e", "y0", "y1")
_NAN = "NaN stays NaN, as in NumPy and PyTorch; MindSpore loses it"
_INFINITE = "the limit, or NaN where there is none, as the formula in NumPy has it"
_LOSES_NAN = (
    "rectify", "relu6", "softplus", "hardtanh", "hardshrink", "softshrink", "maximum", "minimum",
    "sign", "topk",
)  # fmt: skip
_AT_INFINITY = ("mish", "hardswish", "fast_gelu", "softmax", "log_softmax", "floor_divide")
_WHOLE = "an activation of integers is refused: MindSpore rounds it"

# a row, or a row and what is called in it -> why
DIFFERENT = {
    **{f"bessel_{name}-(2,)-{{}}": _UNDER_0 for name in _BESSEL},
    "xlogy-(2,),(2,)-{}": "0 log 0 is 0, as in SciPy and PyTorch; MindSpore gives NaN",
    "binary_cross_entropy-(2,3),(2,3),(3,)-{}": "the weight is broadcast, as documented; "
    "MindSpore takes what lies behind it in memory",
    "full--{'size':(2,),'fill_value':2.5}": "without a dtype that of the value; MindSpore makes it "
    "Int64, and 2 of 2.5",
    "log_softmax-(2,3)-{}": "MindSpore is 3e-6 off",
    "div-(2,2),(2,)-{} ops.RealDiv": "a division 'in floating-point type', as documented; "
    "MindSpore's is of integers",
    "reciprocal-(2,)-{} ops.Inv": "1 / 4 is 0.25; MindSpore gives 0 in Int64",
    **{f"{name}-odd": _NAN for name in _LOSES_NAN},
    **{f"{name}-odd": _INFINITE for name in _AT_INFINITY},
    **{f"{name}-odd": "NaN comes last, as in NumPy and PyTorch" for name in ("sort", "argsort")},
    "tensor_split-empty": "as many parts as were asked for",
    "selu-int32": _WHOLE,
    **{f"{name}-int{n}": _WHOLE for name in ("hardswish", "hardsigmoid") for n in (32, 64)},
    "log_softmax-float64": "MindSpore is 3e-6 off",
    "floor_divide-bool": "by False it is False; MindSpore: True",
    **{f"{name}-bool": "a remainder is a number: Int32" for name in ("remainder", "fmod")},
    "rectify-bool": "a maximum with 0 is a number: Int64",
    "frac-bool": "no fraction: False; MindSpore gives 0 in Int64",
}
