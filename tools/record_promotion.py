"""Record MindSpore's dtype promotion; run it where MindSpore 2.10 is installed.

    python tools/record_promotion.py > sporax/_src/core/promotion.csv

A row holds the result of `left + right` for one left dtype against every dtype and every Python
number. Where MindSpore has no sum, the dtype of the product, or else of the quotient, is used; `-`
is a pair for which all three raise an error.
"""

import operator

import mindspore as ms

NAMES = [
    "bool_",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
NUMBERS = {"bool": True, "int": 2, "float": 2.5}


def result(left, right):
    for function in (operator.add, operator.mul, operator.truediv):
        try:
            out = function(left, right)
            out.asnumpy() if out.dtype != ms.bfloat16 else out.astype(ms.float32).asnumpy()
        except (TypeError, ValueError, RuntimeError):
            continue
        return str(out.dtype)
    return "-"


if __name__ == "__main__":
    ms.set_context(pynative_synchronize=True)
    tensors = {str(getattr(ms, n)): ms.Tensor([1, 1], getattr(ms, n)) for n in NAMES}
    print("left", *tensors, *NUMBERS, sep=",")
    for name, left in tensors.items():
        others = [*tensors.values(), *NUMBERS.values()]
        print(name, *[result(left, right) for right in others], sep=",")
