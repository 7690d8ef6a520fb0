"""What all tests share: every test starts from the same random state."""

import numpy as np
import pytest

from sporax.core import random


@pytest.fixture(autouse=True)
def seeded():
    random.set_seed(0)
    np.random.seed(0)
