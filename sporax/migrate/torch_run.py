"""Runs a PyTorch module and records its calls and gradients. PyTorch is an optional extra."""

import importlib
from typing import Any

import numpy as np

from sporax._src.diagnosis.rules import rejection, require
from sporax.migrate.call_recorder import CallRecorder
from sporax.migrate.module_run import (
    Call,
    Module,
    ModuleRun,
    checked_inputs,
    loss_weights,
    plain_attributes,
    tensors_in,
)


def torch_package(who):
    """Return the module `torch`; raises ImportError with the remedy if it is not installed."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise rejection("pytorch-installed", who, cause=error) from None


def record(torch_module: Any, inputs: np.ndarray | tuple[np.ndarray, ...]) -> ModuleRun:
    """Run a PyTorch module on NumPy arrays, forward and backward; return a `ModuleRun`.

    `inputs`: an array, or a tuple of them, one for each argument. The module runs in its current
    mode (`train()` or `eval()`); weights, `.grad` and the random state are unchanged afterwards.
    A run can be saved, and compared on a machine without PyTorch.

    Raises ImportError without PyTorch, TypeError for other arguments.
    """
    torch = torch_package("record")
    fits = isinstance(torch_module, torch.nn.Module)
    require(fits, "torch-nn-module", "record", torch_module=torch_module)
    arrays = checked_inputs(inputs)
    weights = {name: _array(x) for name, x in _state(torch_module)}
    kept = [(x, x.detach().clone()) for _, x in _state(torch_module)]
    recorder = _Recorder(torch, torch_module)
    try:
        with torch.random.fork_rng(devices=[]), torch.enable_grad():
            return recorder.run(arrays, weights)
    finally:
        recorder.remove()
        with torch.no_grad():
            for x, before in kept:
                if not torch.equal(x, before):  # a buffer, or a parameter of Embedding(max_norm)
                    x.copy_(before)


def _state(module):
    return [*module.named_parameters(), *module.named_buffers()]


def _array(x):
    x = x.detach().cpu()
    return (x.float() if str(x.dtype) == "torch.bfloat16" else x).numpy().copy()


class _Recorder(CallRecorder):
    """Records arrays."""

    def __init__(self, torch, module):
        self.torch, self.module = torch, module
        super().__init__({m: name for name, m in module.named_modules()})

    def noted(self, x, gradients):
        """Return the tensors' arrays."""
        leaves = tensors_in(x, lambda leaf: isinstance(leaf, self.torch.Tensor))
        gradients[:] = [None] * len(leaves)
        for i, leaf in enumerate(leaves):
            if leaf.requires_grad:
                leaf.register_hook(lambda g, i=i: gradients.__setitem__(i, _array(g)))
        return [_array(leaf) for leaf in leaves]

    def run(self, arrays, weights):
        torch = self.torch
        inputs = [torch.from_numpy(x.copy()) for x in arrays]
        for x in inputs:
            x.requires_grad_(x.is_floating_point())
        # copies: a module may change its argument in place, which raises an error for a leaf
        output = self.module(*[x.clone() if x.requires_grad else x for x in inputs])
        leaves = tensors_in(output, lambda leaf: isinstance(leaf, torch.Tensor))
        results = [_array(x) for x in leaves]
        trainable = {n: p for n, p in self.module.named_parameters() if p.requires_grad}
        wanted = [*trainable.values(), *(x for x in inputs if x.requires_grad)]
        terms = [
            (x * torch.from_numpy(loss_weights(i, tuple(x.shape)))).sum()
            for i, x in enumerate(leaves)
            if x.is_floating_point() and x.requires_grad
        ]
        gradients = [None] * len(wanted)
        if terms and wanted:
            gradients = torch.autograd.grad(sum(terms), wanted, allow_unused=True)
        gradients = [None if g is None else _array(g) for g in gradients]
        of_inputs = iter(gradients[len(trainable) :])
        modules = [
            Module(
                name, [c.__name__ for c in type(m).__mro__[:-1]], plain_attributes(m, m._parameters)
            )
            for m, name in self.paths.items()
        ]
        return ModuleRun(
            modules=modules, calls=[Call(*call) for call in self.calls],
            inputs=[np.array(x) for x in arrays], weights=weights, trainable=list(trainable),
            state={name: _array(b) for name, b in self.module.named_buffers()}, outputs=results,
            input_gradients=[next(of_inputs) if x.requires_grad else None for x in inputs],
            gradients=dict(zip(trainable, gradients, strict=False)),
        )  # fmt: skip
