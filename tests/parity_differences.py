"""Where sporax's answers are not MindSpore's, and why: checked call by call in `test_parity.py`.

Each was looked at: NumPy in float64 agrees with sporax.
"""

_UNDER_0 = "not defined for negative numbers: NaN, where MindSpore gives an infinity"
_BESSEL = ("k0", "k0e", "k1", "k1e", "y0", "y1")

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
}

# rows, calls (as patterns) -> why: of `test_parity_edges.py`
AT_EDGES = []
NOT_REFERENCES = []
