"""`mindspore.nn.wrap.grad_reducer`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *
from sporax.nn.micro_batches import PipelineGradReducer as PipelineGradReducer
from sporax.nn.training_cells import DistributedGradReducer as DistributedGradReducer

