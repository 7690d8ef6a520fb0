"""A rank that fails in the way given by the first argument, while the other one waits for it."""

import os
import signal
import sys
import time

import mindspore as ms
import numpy as np
from mindspore import ops
from mindspore.communication import get_rank, init

what, me = sys.argv[1], None
if "missing" in what or "loops" in what:
    ms.set_context(op_timeout=3)
if what == "missing at init" and get_rank() == 1:
    print(f"failing at {time.time()}", flush=True)
    time.sleep(50)
init()
me, reduce = get_rank(), ops.AllReduce()
if what == "sleeps":
    print("sleeping", flush=True)
    time.sleep(100)
if what not in ("shapes", "dtypes", "kinds", "missing", "roots", "reductions"):
    print(reduce(ms.Tensor([1.0])))
if what == "roots" and me == 0:
    ops.Broadcast(0)((ms.Tensor([1.0]),))
if what == "seen before":
    reduce(ms.Tensor([1.0, 2.0]))
if me == (0 if "first" in what else 1):
    print(f"failing at {time.time()}", flush=True)
    if "raises" in what:
        raise ValueError(f"on rank {me}")
    if what == "exits":
        raise SystemExit(3)
    if what == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if "missing" in what:
        time.sleep(50)
    while what == "loops later":
        pass
    if what == "shapes later":
        reduce(ms.Tensor([1.0, 2.0]))
    if what == "shapes":
        reduce(ms.Tensor(np.ones(4, np.float32)))
    if what == "dtypes":
        reduce(ms.Tensor(np.ones(3, np.int32)))
    if what == "roots":
        ops.Broadcast(1)((ms.Tensor([1.0]),))
    if what == "reductions":
        ops.AllReduce("avg")(ms.Tensor(np.ones(3, np.float32)))
    if what == "seen before":
        reduce(ms.Tensor([1.0]))
    if what == "kinds":
        ops.AllGather()(ms.Tensor(np.ones(3, np.float32)))
if what == "seen before":
    reduce(ms.Tensor([1.0, 2.0]))
reduce(ms.Tensor([1.0] if "later" in what else np.ones(3, np.float32)))
time.sleep(50)
