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
        for part in paths:
            self.handles.append(part.register_forward_pre_hook(self._before))
            self.handles.append(part.register_forward_hook(self._after))

    def remove(self):
        """Remove the hooks."""
        for handle in self.handles:
            handle.remove()

    @abstractmethod
    def noted(self, x, gradients):
        """Return records of the tensors in `x`; fill the list `gradients` in the backward pass."""

    def _before(self, part, args):
        gradients = []
        inputs = self.noted(args, gradients)
        self.pending.setdefault(part, []).append((inputs, gradients))

    def _after(self, part, args, output):
        inputs, input_gradients = self.pending[part].pop()
        number = self.counts[part] = self.counts.get(part, -1) + 1
        gradients = []
        outputs = self.noted(output, gradients)
        self.calls.append((self.paths[part], number, inputs, outputs, input_gradients, gradients))
