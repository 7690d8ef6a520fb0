"""Construction and printing of Tensors and Parameters."""

from tests.programs.generated import expressions, lines

MADE = """
    Tensor(3)
    Tensor(2.5)
    Tensor(True)
    Tensor(1 + 2j)
    Tensor([1, 2, 3])
    Tensor([1.0, 2.0])
    Tensor([True, False])
    Tensor([1, 2.5])
    Tensor([[1, 2], [3, 4]])
    Tensor((1, 2))
    Tensor(((1, 2), (3, 4)), ms.float16)
    Tensor([1, True])
    Tensor([])
    Tensor(())
    Tensor([[], []])
    Tensor(np.arange(6))
    Tensor(np.arange(6).reshape(2, 3))
    Tensor(np.arange(3.0))
    Tensor(np.float32(3))
    Tensor(np.int64(3))
    Tensor(np.float64(3))
    Tensor(np.array(3))
    Tensor(np.ones((2, 2), np.float16))
    Tensor(np.array([1, 2], np.uint8))
    Tensor(np.array([1 + 1j]))
    Tensor(np.zeros((0, 3)))
    Tensor(np.arange(6).reshape(2, 3).T)
    Tensor(np.arange(6)[::2])
    Tensor(np.array([True, False]))
    Tensor(Tensor([1.0, 2.0]))
    Tensor(Tensor([1.0, 2.0]), ms.int32)
    Tensor([Tensor(1.0), Tensor(2.0)])
    Tensor([np.float32(1), np.float32(2)])
    Tensor([np.array([1, 2]), np.array([3, 4])])
    Tensor(1, ms.int32)
    Tensor(1, dtype=ms.float64)
    Tensor([1.5, 2.5], ms.int32)
    Tensor([1, 2], ms.bool_)
    Tensor([0.1], ms.bfloat16)
    Tensor([1, 2], dtype=ms.complex64)
    Tensor(input_data=[1, 2], dtype=ms.float32)
    Tensor(shape=(2, 2), dtype=ms.float32, init="ones").init_data() if False else 0
    Tensor(300, ms.uint8) if False else 0
    Tensor(-1, ms.int8)
    Tensor("abc")
    Tensor(["a", "b"])
    Tensor(None)
    Tensor([[1], [2, 3]])
    Tensor([1, None])
    Tensor({"a": 1})
    Tensor({1, 2})
    Tensor(range(3))
    Tensor(np.array(["a", "b"]))
    Tensor([1], "float32")
    Tensor([1], np.float32)
    Tensor([1], float)
    Tensor([1], dtype="int")
    Tensor(shape=(2, 2))
    Tensor()
    Tensor(np.array([1.0], np.float32), ms.float32, None)
    Tensor.from_numpy(np.array([1, 2], np.int32))
    Tensor.from_numpy([1, 2])
    ms.tensor([1, 2, 3])
    ms.tensor(2.0)
    ms.tensor([1.0], dtype=ms.float16)
    ms.tensor(np.arange(3))
    ms.Tensor([1]).dtype
    ms.from_numpy(np.arange(3)) if hasattr(ms, "from_numpy") else 0
    Parameter(Tensor([1.0, 2.0]), name="w")
    Parameter(Tensor([1, 2]), name="w", requires_grad=False)
    Parameter(np.array([1.0, 2.0]), name="w")
    Parameter([1.0, 2.0], name="w")
    Parameter(3.0, name="w")
    Parameter(2, "n")
    Parameter(True, "b")
    Parameter("a")
    Parameter(None)
    Parameter(Parameter(Tensor([1.0]), name="a"), name="b")
    Parameter(Tensor([1.0]), name=3)
    str(Parameter(Tensor([1.0, 2.0]), name="w"))
    repr(Parameter(Tensor([1.0, 2.0]), name="w"))
    Parameter(Tensor([1.0, 2.0]), name="w").name
    Parameter(Tensor([1.0, 2.0]), name="w").requires_grad
    Parameter(Tensor([1.0, 2.0]), name="w").layerwise_parallel
    Parameter(Tensor([1.0, 2.0]), name="w") + 1
    Parameter(Tensor([1.0, 2.0]), name="w").asnumpy()
    Parameter(Tensor([1.0, 2.0]), name="w").value()
    Parameter(Tensor([1.0, 2.0]), name="w").clone()
    Parameter(Tensor([1.0, 2.0]), name="w").clone("zeros")
    Parameter(Tensor([1.0, 2.0]), name="w").copy()
    Parameter(Tensor([1.0, 2.0]), name="w").set_data(Tensor([3.0, 4.0]))
    Parameter(Tensor([1.0, 2.0]), name="w").set_dtype(ms.float16)
    Parameter(Tensor([1.0, 2.0]), name="w").sum()
    Parameter(Tensor([1.0, 2.0]), name="w")[0]
    type(Parameter(Tensor([1.0, 2.0]), name="w")).__name__
    type(Parameter(Tensor([1.0, 2.0]), name="w") * 2).__name__
    isinstance(Parameter(Tensor([1.0]), name="w"), Tensor)
    ParameterTuple([Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([2.0]), name="b")])
    ParameterTuple([Parameter(Tensor([1.0]), name="a")]).clone("c")[0].name
    ParameterTuple([Tensor([1.0])])
    len(ParameterTuple([]))
    initializer("ones", (2, 2), ms.float32)
    initializer("zeros", [3], ms.int32)
    initializer(0.5, (2,), ms.float16)
    initializer("ones", 3)
    initializer("normal", (2, 3)).shape
    initializer("xavier_uniform", (2, 3)).dtype
    initializer("nothing", (2,))
    initializer(ms.common.initializer.Constant(3), (2,))
    initializer(ms.common.initializer.Identity(), (2, 2))
    initializer(ms.common.initializer.One(), (2, 2)).init_data()
    initializer(Tensor([1.0, 2.0]), (2,))
    initializer(ms.common.initializer.Dirac(1), (2, 2, 1))
    initializer("he_uniform", (2,))
    ms.float32
    str(ms.float32)
    repr(ms.int8)
    ms.float32 == ms.float32, ms.float32 == ms.float16
    ms.dtype_to_nptype(ms.float16).__name__
    ms.dtype_to_pytype(ms.int32).__name__
    ms.pytype_to_dtype(float)
    ms.common.dtype.float64
    issubclass(type(ms.int32), ms.common.dtype.Type) if hasattr(ms.common.dtype, "Type") else 0
    ms.is_tensor(Tensor([1])) if hasattr(ms, "is_tensor") else 0
    ms.ops.is_tensor([1])
    ms.get_context("mode")
    ms.get_context("device_target")
    ms.PYNATIVE_MODE, ms.GRAPH_MODE
    Tensor([1.0]).asnumpy().flags.writeable
    Tensor([1.0, 2.0]).has_init
    Tensor(np.array([1, 2], np.int32)).value()
    Tensor([1.0]).device
    Tensor([1.0, 2.0]).storage_offset() if hasattr(Tensor, "storage_offset") else 0
    Tensor([[1.0, 2.0]]).stride()
    Tensor([[1.0, 2.0], [3, 4]]).T.stride()
    Tensor([[1.0, 2.0]]).size
    Tensor([1.0]).__class__.__name__
    Tensor.__name__, Parameter.__name__
    Tensor([1, 2, 3]).tolist()
    Tensor(1.5).item()
    Tensor([[7]]).item()
    Tensor([1, 2]).item()
    Tensor([1, 2]).item(1)
    Tensor(5).__int__()
    Tensor([5]).__float__()
    Tensor([5, 6]).__float__()
    Tensor([5, 6]).__bool__()
    Tensor([]).__bool__()
    Tensor([5]).__index__()
    Tensor(2.0).__index__()
    Tensor(5).__len__()
    Tensor([5]).__hash__() is not None
    Tensor([0.1]).astype(ms.float64)
    Tensor([1.9, -1.9]).astype(ms.int32)
    Tensor([300]).astype(ms.uint8)
    Tensor([2, 0]).astype(ms.bool_)
    Tensor([1.0]).astype("float16").dtype
    Tensor([1.0]).astype("nonsense")
    Tensor([1.0]).astype(5)
    Tensor([1.0]).to(ms.int64)
    Tensor([1.0]).to("CPU") if False else 0
    Tensor([1.0]).set_dtype(ms.int32) if False else 0
    Tensor([3.7]).int(), Tensor([3.7]).long(), Tensor([3.7]).half()
    Tensor([1.0]).set_const_arg(True) if False else 0
    ms.Tensor([1]).is_contiguous(), ms.Tensor([[1, 2], [3, 4]]).T.is_contiguous()
    ms.ops.zeros((2,)).dtype, ms.ops.ones(2).shape
    [t.dtype for t in (Tensor(1), Tensor(1.0), Tensor(True), Tensor([1]), Tensor([1.0]))]
    Tensor([1.0]).assign_value(Tensor([2.0]))
    copy.deepcopy(Parameter(Tensor([1.0]), name="w")).name
    copy.copy(Tensor([1.0]))
    Tensor([1.0]) is Tensor([1.0])
    Tensor([1.0, 2.0]).asnumpy().sum()
    {Tensor([1.0]): 1}.__len__()
    sum(Tensor([1, 2, 3]))
    list(Tensor([1, 2]))
    Tensor([[1, 2]]).numpy() if hasattr(Tensor, "numpy") else "no numpy()"
"""
PRINTED = """
    str(x)
    repr(x)
    f"{x}"
    "%s" % x
    str([x])
    str((x, x))
    str({"a": x})
    str(x.shape), str(x.dtype)
    f"{x.shape} {x.dtype}"
"""
KINDS = [
    ("float32", ()), ("float32", (3,)), ("float32", (2, 3)), ("float32", (2, 2, 2)), ("int32", (2, 3)),
    ("int64", ()), ("bool", (3,)), ("float16", (2, 2)), ("float64", (2,)), ("uint8", (4,)),
    ("complex64", (2,)), ("float32", (0,)), ("float32", (2, 0)), ("bfloat16", (2,)), ("float32", (1, 1)),
]  # fmt: skip
LARGE = """
    Tensor(np.arange(2000))
    Tensor(np.arange(2000.0).reshape(40, 50))
    Tensor(np.array([1e-10, 1.0, 1e10], np.float32))
    Tensor(np.array([1e-5, 1.0], np.float32))
    Tensor(np.array([np.nan, np.inf, -np.inf], np.float32))
    Tensor(np.array([1.0, 2.0, 3.0], np.float32))
    Tensor(np.array([0.1, 0.25, 100.125], np.float32))
    Tensor(np.array([123456789.0, 1.0], np.float32))
    Tensor(np.array([-1, 10, 100]))
    Tensor(np.ones((3, 1, 2), np.float32))
    Tensor(np.zeros((1, 1, 1, 1)))
    Tensor(np.arange(24, dtype=np.float16).reshape(2, 3, 4) / 7)
    Tensor(np.arange(12).reshape(3, 4) % 3 == 0)
    Tensor(np.array([1e20], np.float32))
    Tensor(np.array([0.00001234, 1234.5], np.float32))
    Tensor(np.arange(30.0, dtype=np.float32))
    Tensor(np.full((2, 12), 3.14159265, np.float32))
    Tensor(np.array([1.0, 0.5]) * 1e-3)
    Tensor(np.array([2**40, 1]))
    Tensor(np.random.RandomState(0).randn(5, 5).astype(np.float32))
    Tensor(np.random.RandomState(1).randn(3, 2, 2))
    Tensor(np.random.RandomState(2).rand(4, 6).astype(np.float32) * 100)
"""


def checks(draw):
    for row in lines(MADE):
        yield row, row
    yield from expressions(draw, PRINTED, KINDS, 8)
    for row in lines(LARGE):
        yield f"str({row})", f"str({row})"
        yield f"repr({row})", f"repr({row})"
