"""`mindspore.train`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.amp import *
from sporax.io import *
from sporax.parallel import build_searched_strategy as build_searched_strategy
from sporax.parallel import get_ckpt_path_with_strategy as get_ckpt_path_with_strategy
from sporax.parallel import load_distributed_checkpoint as load_distributed_checkpoint
from sporax.parallel import merge_sliced_parameter as merge_sliced_parameter
from sporax.parallel import restore_group_info_list as restore_group_info_list
from sporax.train import *
from sporax.train.data_sink import data_sink as data_sink

