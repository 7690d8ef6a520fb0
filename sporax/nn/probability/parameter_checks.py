"""Check of the parameters of distributions and bijectors."""

import numpy as np

from sporax._src.diagnosis.rules import require


def check_numbers(who, kind, name, given, tensor):
    """Raise ValueError unless all numbers of a Tensor are in an interval, `kind`; `given`: the
    argument that it was made of."""
    numbers = tensor.asnumpy().astype(np.float64)
    ends = (numbers.min(), numbers.max()) if numbers.size else ()  # NaN if there is one
    fits = all(x == x and kind.is_in_range(x) for x in ends)
    require(fits, "must-be-value", who, argument=name, kind=kind.words(), got=given)
