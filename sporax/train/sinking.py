"""`data_sink`: a function that fetches its own data."""

import functools

from sporax.engine.jit import jit
from sporax.engine.marking import JitConfig


def data_sink(fn, dataset, sink_size=1, jit_config=None, input_signature=None):
    """A function that, at each call, runs `fn` on the next `sink_size` rows of `dataset`.

    `fn`: takes the columns of a row as Tensors. After the last row comes the first again.
    `jit_config`: a JitConfig to capture `fn` as by `jit`; None to run it as it is.
    `input_signature`: accepted. Returns what `fn` returned for the last row. Raises TypeError for
    arguments of another kind, ValueError for a `sink_size` that is not positive or an empty
    dataset.

    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset({"x": np.array([1.0, 2.0, 3.0])}, shuffle=False)
    >>> double = sporax.data_sink(lambda x: 2 * x, data)
    >>> [float(double()) for _ in range(4)]
    [2.0, 4.0, 6.0, 2.0]
    """
    whole = isinstance(sink_size, int) and not isinstance(sink_size, bool)
    for name, value, fits, wanted in (
        ("fn", fn, callable(fn), "a function"),
        ("dataset", dataset, hasattr(dataset, "create_tuple_iterator"), "a dataset"),
        ("sink_size", sink_size, whole, "an int"),
        ("jit_config", jit_config, isinstance(jit_config, JitConfig | None), "a JitConfig or None"),
    ):
        if not fits:
            raise TypeError(
                f"For 'data_sink', '{name}' must be {wanted}, but got {type(value).__name__}."
            )
    if sink_size <= 0:
        raise ValueError(f"For 'data_sink', 'sink_size' must be positive, but got {sink_size}.")
    run = fn if jit_config is None else jit(fn)
    rows = _endless(dataset)

    @functools.wraps(fn)
    def sink_process(*args, **kwargs):
        for _ in range(sink_size):
            result = run(*next(rows))
        return result

    return sink_process


def _endless(dataset):
    epochs = dataset.create_tuple_iterator(num_epochs=-1)
    while True:
        count = 0
        for count, row in enumerate(epochs, 1):  # noqa: B007
            yield row
        if count == 0:
            raise ValueError("For 'data_sink', 'dataset' must have rows, but it has none.")
