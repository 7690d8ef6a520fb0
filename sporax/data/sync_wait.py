"""Rows that wait for their consumer: `Dataset.sync_wait` and `Dataset.sync_update`."""

import threading

from sporax._src.diagnosis.argument_kinds import FUNCTION, STR, optional
from sporax._src.diagnosis.rules import require
from sporax.data import argument_checks as check
from sporax.data import config
from sporax.data.dataset import Dataset
from sporax.data.pipeline import Step, step


@step("sync_wait")
class SyncWait(Step):
    """Passes `num_batch` rows (or batches, if `batch` follows), then waits until
    `sync_update(condition_name)` releases the next ones.

    `callback`: called with the `data` of each `sync_update`. A row waits at most
    `config.get_callback_timeout()` seconds for another thread's update.

    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset([1, 2], "x", shuffle=False).sync_wait("loss", callback=print)
    >>> for i, row in enumerate(data.create_tuple_iterator(num_epochs=1)):
    ...     data.sync_update("loss", data=i)
    0
    1
    """

    def __init__(self, dataset, condition_name, num_batch=1, callback=None):
        super().__init__(dataset)
        self.condition_name = STR.checked("sync_wait", "condition_name", condition_name)
        self._each = check.COUNT.checked("sync_wait", "num_batch", num_batch)
        optional(FUNCTION)("sync_wait", callback=callback)
        is_new = condition_name not in _waits(dataset)
        require(is_new, "condition-name-come-once", "sync_wait", got=condition_name)
        self._callback, self._left, self._batch = callback, 0, 1
        self._changed = threading.Condition()

    def _in_batches(self, batch_size):
        self._batch *= batch_size

    def _begin(self):
        epoch = self._source._begin()
        with self._changed:
            self._left = self._each * self._batch
        return lambda: map(self._wait, epoch())

    def _wait(self, row):
        seconds = config.get_callback_timeout()
        with self._changed:
            was_called = self._changed.wait_for(lambda: self._left > 0, seconds)
            fields = {"name": self.condition_name, "each": self._each, "seconds": seconds}
            require(was_called, "sync-update-called", "sync_wait", **fields)
            self._left -= 1
        return row

    def _release(self, batches, data):
        with self._changed:
            self._left += self._batch * (self._each if batches is None else batches)
            if self._callback is not None:
                self._callback(data)
            self._changed.notify_all()


def _waits(dataset):
    """Return {condition name: `SyncWait`} of a dataset and its inputs."""
    waits = {dataset.condition_name: dataset} if isinstance(dataset, SyncWait) else {}
    for child in dataset.children:
        waits |= _waits(child)
    return waits


def sync_update(self, condition_name, num_batch=None, data=None):
    """Release `num_batch` more batches of the `sync_wait` of that name (by default its own
    `num_batch`), and call its callback with `data`."""
    waits = _waits(self)
    known = condition_name in waits
    require(known, "sync-wait", "sync_update", condition_name=condition_name, waits=[*waits])
    optional(check.COUNT)("sync_update", num_batch=num_batch)
    waits[condition_name]._release(num_batch, data)


Dataset.sync_update = sync_update


def batches_follow(dataset, batch_size):
    """Make every `sync_wait` below count batches of that size."""
    for wait in _waits(dataset).values():
        wait._in_batches(batch_size)
