"""The end of a training step in dynamic code: when its pending operations run.

They run as an optimizer's call returns, so that the device computes while Python prepares the next
step. The caller still holds the gradients then, and the program must store them all: for an
embedding of many rows, that takes longer than the step. If the function that called the optimizer
returns next, which frees them, the same step runs when they are freed from then on: the program
does not return them, and XLA fuses them into the update.
"""

from typing import Any
from weakref import ref

import numpy as np

from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import device_array
from sporax._src.core.value import deferred, owned_value, thread


class GradientsHeld:
    """Watches the gradients of a step that ends in the trace `state`.

    `is_waiting`: whether the step runs when they are freed; otherwise it has run, and this only
    learns whether they are freed before anything else is recorded. `end`: the trace of `recorder`
    until something is. `value`: a weak reference to the gradient that a tuple or list frees last.
    """

    __slots__ = ("end", "is_waiting", "recorder", "state", "value")

    def __init__(self, recorder, state, value, is_waiting):
        self.recorder, self.state, self.is_waiting = ref(recorder), state, is_waiting
        self.end = recorder.state
        self.value = ref(value, self.freed)

    def freed(self, _):
        """Run the step, unless it was needed before. An error is raised at the next read: of the
        step's results, which runs it again, or of any Tensor if its handles were restored."""
        recorder: Any = self.recorder()  # pending results keep it alive
        state = self.state
        state.gradients_held = None
        is_next = thread.recorder is recorder and recorder.state is self.end
        if not self.is_waiting:
            state.frees_gradients = is_next
        elif not is_next:
            state.frees_gradients = False
        else:
            with thread.context.busy:  # signal handlers wait for the next `uninterrupted` function
                try:
                    recorder.run()
                except Exception as error:  # noqa: BLE001 - Python drops it: an object is freed
                    failure = error
                    if not recorder.replaced:
                        nothing = owned_value(device_array(np.zeros(())))
                        deferred.append((nothing, lambda _: failure))


def end_step(gradients):
    """End a training step: run the pending operations, now or when the gradients are freed.
    `gradients`: the Tensors that the optimizer was called with."""
    recorder = thread.recorder
    state = recorder.state
    if recorder.tracer is not None or state.parent is None:
        return
    held = next((t._value for t in gradients if t._value.trace is recorder), None)
    if state.frees_gradients and held is not None and not hooks.spans_ranks:
        state.gradients_held = GradientsHeld(recorder, state, held, True)
        return
    recorder.run()
    if state.frees_gradients is None and held is not None:
        state.gradients_held = GradientsHeld(thread.recorder, state, held, False)
