"""Indexing: reads and writes."""

GETS = """
    (slice(None, None, 2), slice(1, None)) | (-1, slice(None)) | (slice(None), -1) | (..., -1) | (0, None, 1)
    0 | -1 | 1, 2 | -1, -1 | slice(None) | ... | None | 0, ... | ..., 0 | None, 0 | 0, None
    slice(1, None) | slice(None, 2) | slice(None, None, 2) | slice(None, -1) | slice(-2, None)
    (slice(None), 1) | (slice(None), slice(1, 3)) | (slice(None, None, 2), 0) | (..., slice(1, 2))
    (0, slice(None)) | (slice(0, 0),) | (slice(5, 9),) | (slice(2, 0),) | (1, slice(None, None, 3))
    [0, 1] | [1, 0, 1] | [-1] | ([0, 1], [1, 2]) | (slice(None), [0, 2]) | ([0, 1], 1) | (0, [0, 1])
    ([0, 1], slice(None, 2)) | (..., [1, 0]) | ([[0], [1]], [0, 2]) | (None, [0, 1]) | ([True, False],)
    Tensor([0, 1]) | Tensor([1]) | Tensor(1) | Tensor([[0, 1], [1, 0]]) | (Tensor([0, 1]), Tensor([2, 0]))
    (Tensor([0, 1]), 0) | (slice(None), Tensor([1, 1])) | (Tensor(0), slice(1, None)) | (..., Tensor([0]))
    Tensor([0, 1], ms.int32) | Tensor([-1, 0]) | (None, Tensor([1]))
    (slice(0, 2, 2), Tensor([1])) | (Tensor([True, False]), Tensor([0])) | (Tensor([[0]]), Tensor([[1, 2]]))
    x > 0 | x == x | x < -100 | x != x | Tensor([True, False]) | (Tensor([True, False]), 0) | x[..., 0] > 0
    (0, x[0] > 0) | (slice(None), x[0] > 0) | True | False | [False, True] | (True, 0)
    (slice(None), None) | (slice(None), None, 0) | (None, None) | (..., None) | (None, ..., None) | () | (slice(None), ...)
    (0, ..., 1) | (slice(None, None, -1),) | (slice(-1, None),) | (list(range(2)),) | ((0, 1),)
    (slice(Tensor(0), Tensor(1)),) | slice(0, 2) | (slice(1), slice(1)) | (slice(-3, -1), -1)
    2 | -3 | (0, 5) | 1.0 | "a" | [0.5] | Tensor([0.5]) | (0, 0, 0, 0) | [2] | {} | [[0, 1]]
"""
SHAPES = [
    ("float32", (2, 3)), ("int32", (2, 4)), ("float32", (2, 3, 4)), ("float16", (2, 3)),
    ("bool", (2, 3)), ("float32", (2,)), ("int64", (2, 2, 3)), ("float32", (3, 2, 2)),
]  # fmt: skip
VALUES = ["5", "-1.5", "Tensor(2.0)", "Tensor([9.0])", "True", "x.sum()"]
# what strangers try less often: on one Tensor each
RARE = """
    np.array([0, 1]) | np.array(1) | np.int64(1) | (np.array([1, 0]), 1) | (x > 0).asnumpy() | range(2)
    (range(2),) | (np.bool_(True),) | [] | Tensor(np.zeros((0,), np.int64)) | Tensor([0, 1], ms.uint8)
"""
OF_NUMBERS = "0 | ... | None | () | slice(None) | Tensor(0) | x > 0 | True | (None, ...)"
SETS_IN_PLACE = """
    x[0] += 1
    x[:, 1] *= 2
    x[x > 0] -= 1
    x[0], x[1] = x[1], x[0]
    x[0][1] = 5
    x[:] = 0
    x[...] = x + 1
    x[0] = x[1]
    x[:, 0] = x[:, 1]
    x[[0, 1]] = x[[1, 0]]
    x[0] = [1, 2, 3]
    x[:, :2] = ((1, 2), (3, 4))
    x[0] = Tensor([1.0, 2.0, 3.0])
    x[:1] = Tensor([[7, 8, 9]])
    x[:, 1] = Tensor([1, 2])
    x[0, 0] = None
    x[0] = [1, 2]
    x[0] = Tensor([1.0, 2.0])
    x[x > 0] = x[x > 0] * 10
    x[x > 0] = Tensor([1.0])
    x[Tensor([0, 0])] = Tensor([[1, 2, 3], [4, 5, 6]])
    x[[0, 1], [1, 2]] = Tensor([8, 9])
    x[[0, 1], [1, 2]] = [8, 9]
    x[:, Tensor([0, 2])] = 4
    x[-1, -1] = Tensor(3)
    x[::2] = 1
    x[1:, 1:] = 6
    x[None, 0] = 2
    x[..., 0] = 3
    x[0, ...] = 3
    x[True] = 2
    x[x.sum(1) > 0] = 0
    x[:, x[0] > 0] = 9
    x[0:0] = 5
    x[Tensor([0, 1]), Tensor([0, 1])] = 5
    x[1] = x[0] * 2
    x[:, 1:] = x[:, :2]
    x[(0, 1)] = 5
    x[Tensor(1)] = 7
    x[Tensor([1]), 0] = 7
    x[2:] = 1
    x.T[0] = 5
"""


def parts(table):
    result = []
    for line in table.strip().splitlines():
        result += [part.strip() for part in line.split(" | ")]
    return result


def checks(draw):
    for index in parts(GETS):
        for dtype, shape in draw.some(SHAPES, 4):  # every index of several Tensors
            built = draw.tensor(dtype, shape)
            if "[[1, 2]]" in index and shape[1:2] == (2,):
                continue  # outside
            yield f"x[{index}] of {dtype} {shape}", f"x = {built}\nx[{index}]"
        for dtype, shape in draw.some(SHAPES[:4], 2):
            built, value = draw.tensor(dtype, shape), draw.choice(VALUES)
            label = f"x[{index}] = {value} of {dtype} {shape}"
            yield label, f"x = {built}\nx[{index}] = {value}\nx"
    for index in parts(RARE):
        yield f"x[{index}]", f"x = {draw.tensor('float32', (2, 3))}\nx[{index}]"
    for index in parts(OF_NUMBERS):
        yield f"x[{index}] of a number", f"x = {draw.tensor('float32', ())}\nx[{index}]"
    for row in SETS_IN_PLACE.strip().splitlines():
        for dtype, shape in [("float32", (2, 3)), ("int32", (2, 3)), ("float16", (2, 3))]:
            built = draw.tensor(dtype, shape)
            yield f"{row.strip()} of {dtype} {shape}", f"x = {built}\n{row.strip()}\nx"
    for index in draw.some(parts(GETS), 40):
        built = draw.tensor("float32", (2, 3, 2))
        yield (
            f"gradient of x[{index}]",
            f"x = {built}\nms.grad(lambda x: (x[{index}] * x[{index}]).sum())(x)",
        )
    for index in draw.some(parts(GETS), 20):
        built = draw.tensor("float32", (2, 3))
        yield (
            f"a Parameter's x[{index}]",
            f"x = Parameter({built}, name='x')\ny = x[{index}]\n(type(y).__name__, y)",
        )
