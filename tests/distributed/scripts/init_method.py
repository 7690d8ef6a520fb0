"""One of two ranks that no launcher has started: `init_method` names the address."""

import sys

from sporax import Tensor, mint

rank, port = sys.argv[1:]
mint.distributed.init_process_group(
    "mccl", init_method=f"tcp://127.0.0.1:{port}", world_size=2, rank=int(rank)
)
total = Tensor([float(rank) + 1])
mint.distributed.all_reduce(total)
assert total.tolist() == [3.0] and mint.distributed.get_world_size() == 2
