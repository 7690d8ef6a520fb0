"""Operators, between dtypes, and with Python's numbers."""

DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
    "complex64",
]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!="]
BITWISE = ["&", "|", "^", "<<", ">>"]
NUMBERS = ["2", "-1", "0.5", "True", "0", "3.0", "1.5", "1e10", "100", "float('inf')"]
FUNCTIONS = [
    "ops.add", "ops.sub", "ops.mul", "ops.div", "ops.maximum", "ops.minimum", "ops.pow", "ops.atan2",
    "ops.floor_div", "ops.floor_mod", "ops.equal", "ops.less", "ops.logical_and", "ops.fmod",
    "ops.remainder", "ops.hypot", "ops.bitwise_or", "ops.truncate_div", "ops.xlogy", "ops.gcd",
    "mint.add", "mint.sub", "mint.mul", "mint.div", "mint.maximum", "mint.pow", "mint.eq", "mint.lt",
]  # fmt: skip
OTHERS = """
    [1.0, 2.0] + x
    x + Tensor([1, 2, 3])
    x + None
    x + "a"
    None + x
    x == None
    x != None
    x == "a"
    x == [1, 2, 3]
    x is None
    not x.sum()
    x and x
    x.sum() or 5
    -x
    +x
    ~x
    abs(x)
    round(x)
    divmod(x, 2)
    x @ x
    x @ x.T
    pow(x, 2)
    x // 0
    x % 0
    x / 0
    0 / x
    0 ** x
    x ** 0
    2 ** x
    x ** -1
    x ** 0.5
    x < 0 < 1
    (x > 0) & (x < 2)
    (x > 0) | (x < -2)
    ~(x > 0)
    (x > 0) ^ (x > 1)
    (x > 0) + (x > 1)
    (x > 0) * 2.5
    (x > 0) - (x > 1)
    (x > 0) / 2
    (x > 0).sum()
    1 - (x > 0)
    sum(x)
    sum([x, x])
    max(x.sum(), x.mean())
    min([1.0, x.sum()], key=float)
    x.shape + (1,)
    x.sum() + x
    x + x.sum(-1, keepdims=True)
    x * x.T
    x + Tensor([1.0, 2.0])
    int(x.sum()) + 1
    float(x.mean()) * 2
    f"{x.sum():.2f}"
    "%.3f" % x.sum()
    "{}".format(x)
    str(x)
    repr(x)
    math_e ** x
    bool(x)
    if_else(x)
    [i for i in range(int(abs(x).max()))]
    np.add(x, 1)
    np.sqrt(abs(x))
    np.mean(x)
    np.array(x)
    np.asarray(x).dtype
    np.array([x.sum(), x.mean()])
    np.concatenate([x, x])
    x.asnumpy() + x
    x == x.asnumpy()
    x.sum().item() == x.asnumpy().sum()
    (x, x) == (x, x)
    x.dtype == x.asnumpy().dtype
    len(x), [len(row) for row in x] if x.ndim > 1 else 0
    list(x)
    tuple(x.shape)
    {x.dtype: 1}[x.dtype]
    dict(zip("ab", x))
    enumerate(x).__next__()
    [a + b for a, b in zip(x, x)]
    all(x > -100) if x.ndim == 1 else any(x[0] > -100)
    sorted(x) if x.ndim == 1 else sorted(x[0])
    range(3)[x.argmax()] if x.size <= 3 else range(20)[x.argmax()]
    [10, 20, 30, 40, 50, 60][x.argmax()]
    x.__len__()
    copy.copy(x)
    copy.deepcopy(x)
    isinstance(x, Tensor), isinstance(x, Parameter)
    x.__array__().dtype
    hasattr(x, "no_such"), hasattr(x, "asnumpy")
    getattr(x, "no_such", 4)
    x.no_such
"""
AUGMENTED = ["+=", "-=", "*=", "/=", "//=", "%=", "**="]
NAMES = {"math_e": "2.718281828", "if_else(x)": "'some' if x.max() > 0 else 'none'"}


def checks(draw):
    for left in DTYPES:
        for right in DTYPES:
            for symbol in draw.some(OPERATORS + BITWISE * (left[0] not in "fbc"), 2):
                a, b = draw.tensor(left, (2,)), draw.tensor(right, (2,), 1.0, 3.0)
                yield f"{left} {symbol} {right}", f"{a} {symbol} {b}"
            function = draw.choice(FUNCTIONS)
            a, b = draw.tensor(left, (2,)), draw.tensor(right, (2,), 1.0, 3.0)
            yield f"{function}({left}, {right})", f"{function}({a}, {b})"
    for dtype in DTYPES:
        for number in NUMBERS:
            for symbol in draw.some(OPERATORS, 2):
                built = draw.tensor(dtype, (3,), 1.0, 3.0)
                yield f"{dtype} {symbol} {number}", f"{built} {symbol} {number}"
            symbol = draw.choice(OPERATORS)
            yield f"{number} {symbol} {dtype}", f"{number} {symbol} {draw.tensor(dtype, (3,), 1.0)}"
        for symbol in AUGMENTED:
            built, number = draw.tensor(dtype, (2,), 1.0, 3.0), draw.choice(NUMBERS[:6])
            label = f"{dtype} {symbol} {number}"
            yield label, f"x = y = {built}\nx {symbol} {number}\n(x, y, x is y)"
        a, b = draw.tensor(dtype, ()), draw.tensor(draw.choice(DTYPES), (2,), 1.0)
        yield f"0-d {dtype} + {b}", f"{a} + {b}"
    for row in OTHERS.strip().splitlines():
        source = row = row.strip()
        for name, meaning in NAMES.items():
            source = source.replace(name, meaning)
        for dtype, shape in [("float32", (2, 3)), ("int32", (3,)), ("bool", (3,)), ("float32", ())]:
            yield f"{row} of {dtype} {shape}", f"x = {draw.tensor(dtype, shape)}\n{source}"
