"""`CallRecorder`: records the calls of a network's parts by hooks."""

from abc import ABC, abstractmethod


class CallRecorder(ABC):
    """Hooks of all parts of a network, PyTorch modules or Cells, which fill the list `calls`:
    (path, number, inputs, outputs, input gradients, output gradients), see `module_run.Call`.

    `paths`: {part: path}.
    """

    def __init__(self, paths):
        self.paths, self.calls, self.pending, self.counts = paths, [], {}, {}
        self.handles = []
        for module in paths:
            self.handles.append(module.register_forward_pre_hook(self._before))
            self.handles.append(module.register_forward_hook(self._after))

    def remove(self):
        """Remove the hooks."""
        for handle in self.handles:
            handle.remove()

    @abstractmethod
    def noted(self, x, gradients):
        """Return records of the tensors in `x`; fill the list `gradients` in the backward pass."""

    def _before(self, module, args):
        gradients = []
        inputs = self.noted(args, gradients)
        self.pending.setdefault(module, []).append((inputs, gradients))

    def _after(self, module, args, output):
        inputs, input_gradients = self.pending[module].pop()
        number = self.counts[module] = self.counts.get(module, -1) + 1
        gradients = []
        outputs = self.noted(output, gradients)
        self.calls.append((self.paths[module], number, inputs, outputs, input_gradients, gradients))
