"""Initializers, drawn on the host from the global seeded generator."""

from sporax._src.initializers.base import ALIASES as _INITIALIZER_ALIAS
from sporax._src.initializers.base import Initializer, initializer
from sporax._src.initializers.base import assign as _assignment
from sporax._src.initializers.base import fans as _calculate_fan_in_and_fan_out
from sporax._src.initializers.base import register as _register
from sporax._src.initializers.constant import Constant, Dirac, Identity, One, Zero
from sporax._src.initializers.random_init import (
    HeNormal,
    HeUniform,
    Normal,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
)
from sporax._src.initializers.random_init import fan_of as _calculate_correct_fan
from sporax._src.initializers.random_init import gain_of as _calculate_gain
from sporax._src.initializers.random_init import normal_array as _init_random_normal
from sporax._src.initializers.random_init import truncated_normal_array as _init_truncated_normal
from sporax._src.initializers.random_init import uniform_array as _init_random_uniform

# names with an underscore are private but used by scripts
__all__ = [
    "_INITIALIZER_ALIAS", "Constant", "Dirac", "HeNormal", "HeUniform", "Identity", "Initializer",
    "Normal", "One", "Orthogonal", "Sparse", "TruncatedNormal", "Uniform", "VarianceScaling",
    "XavierNormal", "XavierUniform", "Zero", "_assignment", "_calculate_correct_fan",
    "_calculate_fan_in_and_fan_out", "_calculate_gain", "_init_random_normal",
    "_init_random_uniform", "_init_truncated_normal", "_register", "initializer",
]  # fmt: skip
