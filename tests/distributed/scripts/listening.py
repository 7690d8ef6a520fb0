"""The addresses at which the processes of two ranks listen."""

import os
import socket

import mindspore as ms
from mindspore import ops
from mindspore.communication import init

init()
ops.AllReduce()(ms.Tensor([1.0])).asnumpy()
for name in os.listdir("/proc/self/fd"):
    try:
        link = os.readlink(f"/proc/self/fd/{name}")
    except FileNotFoundError:  # that of the folder itself
        continue
    if link.startswith("socket:"):
        with socket.socket(fileno=os.dup(int(name))) as one:
            if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                host, port = one.getsockname()[:2]
                print(f"listens at {host.removeprefix('::ffff:')}:{port}", flush=True)
ops.AllReduce()(ms.Tensor([1.0])).asnumpy()
