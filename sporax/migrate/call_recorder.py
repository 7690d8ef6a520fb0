"""`CallRecorder`: the calls of the parts of a network, which hooks note while it runs."""

from abc import ABC, abstractmethod


class CallRecorder(ABC):
    """Hooks of all parts of a network, PyTorch's modules or Cells, which fill the list of `calls`:
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
        """Take the hooks away."""
        for handle in self.handles:
            handle.remove()

    @abstractmethod
    def noted(self, x, gradients):
        """What is kept of the tensors in `x`; each puts its gradient into its place of the list."""

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
