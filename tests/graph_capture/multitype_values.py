"""A value of each kind that `MultitypeFuncGraph` tells from others."""


def values(ms):
    """Values of the namespace `ms`: MindSpore's, to record its results, or sporax's."""
    return {
        "int": 1,
        "float": 1.5,
        "bool": True,
        "str": "a",
        "none": None,
        "tensor": ms.Tensor(1.0),
        "parameter": ms.Parameter(ms.Tensor(1.0)),
        "tuple": (1, 2),
        "list": [1],
        "lambda": lambda x: x,
        "primitive": ms.ops.Add(),
        "cell": ms.nn.ReLU(),
        "dtype": ms.float32,
    }
