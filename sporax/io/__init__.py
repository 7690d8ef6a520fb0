"""How is it kept? Parameters in files, in MindSpore's own format."""

from sporax.io.checkpoint import async_ckpt_thread_status, load_checkpoint, save_checkpoint
from sporax.io.loading import load_param_into_net

__all__ = [
    "async_ckpt_thread_status",
    "load_checkpoint",
    "load_param_into_net",
    "save_checkpoint",
]
