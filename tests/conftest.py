"""What all tests share: every test starts from the same random state."""

import numpy as np
import pytest

from sporax.core import random
from sporax.data import config
from sporax.engine import churn


@pytest.fixture(autouse=True)
def seeded():
    random.set_seed(0)
    config.set_seed(5489)  # its default: no seed
    np.random.seed(0)
    churn.families.clear()  # shapes that differ from test to test are no sign of change
