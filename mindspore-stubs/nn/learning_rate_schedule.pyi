"""`mindspore.nn.learning_rate_schedule`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *
from sporax.nn.learning_rate_schedule import *
from sporax.nn.learning_rate_schedule import CosineDecayLR as CosineDecayLR
from sporax.nn.learning_rate_schedule import ExponentialDecayLR as ExponentialDecayLR
from sporax.nn.learning_rate_schedule import InverseDecayLR as InverseDecayLR
from sporax.nn.learning_rate_schedule import LearningRateSchedule as LearningRateSchedule
from sporax.nn.learning_rate_schedule import NaturalExpDecayLR as NaturalExpDecayLR
from sporax.nn.learning_rate_schedule import PolynomialDecayLR as PolynomialDecayLR
from sporax.nn.learning_rate_schedule import WarmUpLR as WarmUpLR

