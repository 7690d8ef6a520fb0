"""Files: parameters in MindSpore's formats, functions as StableHLO."""

from sporax.io.background_writer import async_ckpt_thread_status
from sporax.io.checkpoint import load_checkpoint, load_checkpoint_async, save_checkpoint
from sporax.io.convert_checkpoint import ckpt_to_safetensors, safetensors_to_ckpt
from sporax.io.export import _save_graph, export, export_mindir, load
from sporax.io.load_param import load_param_into_net
from sporax.io.load_torch import load_torch
from sporax.io.obfuscation import load_obf_params_into_net, obfuscate_ckpt

__all__ = [
    "_save_graph", "async_ckpt_thread_status", "ckpt_to_safetensors", "export", "export_mindir",
    "load", "load_checkpoint", "load_checkpoint_async", "load_obf_params_into_net",
    "load_param_into_net", "load_torch", "obfuscate_ckpt", "safetensors_to_ckpt", "save_checkpoint",
]  # fmt: skip
