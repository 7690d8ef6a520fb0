"""`Callback` and `RunContext`: functions called at training events, and their argument."""

import logging

from sporax._src.core import signature_errors
from sporax._src.core.signature_errors import Fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require

_log = logging.getLogger("sporax")

# MindSpore's original event names; `on_train_...` and `on_eval_...` call them by default
EVENTS = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")


class Callback(Fitting):
    """Base class of callbacks: a subclass defines methods named `on_train_begin`,
    `on_train_epoch_begin`, `on_train_step_begin`, `on_train_step_end`, `on_train_epoch_end`,
    `on_train_end`, or the same with `on_eval_`; each is called with a `RunContext`.

    Methods named `begin`, `epoch_begin` and so on are called in both training and evaluation. A
    callback is a context manager, entered before and exited after the run.

    >>> class Count(Callback):
    ...     steps = 0
    ...     def on_train_step_end(self, run_context):
    ...         self.steps += 1
    >>> from sporax.data import NumpySlicesDataset
    >>> from sporax.train import Model
    >>> net, rows, count = nn.Dense(1, 1), np.ones((4, 1), np.float32), Count()
    >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    >>> dataset = NumpySlicesDataset((rows, rows), ["x", "y"]).batch(2)
    >>> model.train(3, dataset, callbacks=count, dataset_sink_mode=False)
    >>> count.steps
    6
    """

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    _state_names = ()  # attributes needed to resume training

    def state_dict(self):
        """Return the state saved by a `Checkpointer`: numbers, strings, arrays and containers."""
        return {name: getattr(self, name) for name in self._state_names}

    def load_state_dict(self, state):
        """Restore the result of `state_dict`."""
        for name, value in state.items():
            setattr(self, name, value)


def _nothing(event):
    def method(self, run_context):
        pass

    method.__doc__ = f"Called at `{event}` of training and of evaluation, by default."
    return method


def _as(event, kind):
    def method(self, run_context):
        getattr(self, event)(run_context)

    method.__doc__ = f"Called at `{event}` of {kind}: calls `{event}`."
    return method


def _to_all(name):
    def method(self, run_context):
        for callback in self._callbacks:
            getattr(callback, name)(run_context)

    method.__doc__ = f"Call `{name}` of all of them."
    return method


class CallbackManager(Callback):
    """Combines several callbacks into one.

    `callbacks`: a Callback, a list of them, or None.
    """

    def __init__(self, callbacks):
        listed = [] if callbacks is None else callbacks
        self._callbacks = list(listed) if isinstance(listed, (list, tuple)) else [listed]
        for callback in self._callbacks:
            require(isinstance(callback, Callback), "callback-list-them", "callbacks", got=callback)
        self._entered = []

    def __enter__(self):
        for i, callback in enumerate(self._callbacks):
            target = callback.__enter__()
            self._entered.append(callback)
            if isinstance(target, Callback):
                self._callbacks[i] = target
        return self

    def __exit__(self, *error):
        while self._entered:
            self._entered.pop().__exit__(*error)


for _event in EVENTS:
    setattr(Callback, _event, _nothing(_event))
    setattr(CallbackManager, _event, _to_all(_event))
    for _kind, _words in (("train", "training"), ("eval", "evaluation")):
        _name = f"on_{_kind}_{_event}"
        setattr(Callback, _name, _as(_event, _words))
        setattr(CallbackManager, _name, _to_all(_name))


class InternalCallbackParam(dict):
    """The state of a run for callbacks: a dict whose items are also attributes."""

    def __getattr__(self, name):
        # hasattr and copy look up missing names
        if name in self:
            return self[name]
        raise rejection("run-no", name=name, object=sorted(self))

    def __setattr__(self, name, value):
        self[name] = value


class RunContext:
    """The argument of callbacks: `original_args()`, and `request_stop()` to end the run.

    The arguments are attributes of a dict: `cur_epoch_num`, `cur_step_num` (both from 1),
    `epoch_num`, `batch_num`, `net_outputs`, `network`, `train_network`, `train_dataset`,
    `train_dataset_element`, `optimizer`, `loss_fn`, `mode`, `metrics` and others.

    >>> run = RunContext({"cur_epoch_num": 1})
    >>> run.request_stop()
    >>> run.get_stop_requested()
    True
    """

    def __init__(self, original_args):
        kinds.DICT("RunContext", original_args=original_args)
        self._original_args, self._stops = original_args, False

    def original_args(self):
        """Return the state of the run."""
        return self._original_args

    def request_stop(self):
        """Stop the run after the current step and its epoch."""
        self._stops = True

    def get_stop_requested(self):
        """Return True if a stop was requested."""
        return self._stops


def loss_of(outputs):
    """Return the loss among a step's outputs: the mean of a single Tensor as a float, or the first
    of several unchanged."""
    if isinstance(outputs, Tensor):
        return float(outputs.asnumpy().mean())
    if isinstance(outputs, (tuple, list)) and outputs and isinstance(outputs[0], Tensor):
        return outputs[0]
    return outputs


def is_own(callback):
    """Return True if the class of a callback belongs to sporax, not to user code."""
    return signature_errors.is_own(type(callback))


def check_callbacks(callbacks, run):
    """Raise ValueError in `fit` for callbacks with events common to training and evaluation."""
    listed = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    for callback in listed:
        if isinstance(callback, Callback) and not is_own(callback):
            old = sorted(set(EVENTS) & set(vars(type(callback))))
            if not old:
                continue
            fields = {"name": type(callback).__name__, "methods": old}
            require(run != "fit", "callback-of-both", "Model.fit", **fields)
            _log.info("In 'Model.%s', %s.", run, message("callback-of-both", **fields))


__all__ = ["Callback", "RunContext"]
