"""Tensor subclasses with `__fallback__`, to which every operation on them goes."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, mint, nn, ops
from sporax.compat import mindspore_alias

mindspore_alias()
