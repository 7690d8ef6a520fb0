"""`Batcher`: requests that wait while a program runs share its next run."""

import asyncio
import collections
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sporax._src.workbench.serving.rejected import rejected
from sporax._src.workbench.serving.served_graph import batch_sizes


class Batcher:
    """Runs `compute` on one thread, for the requests that wait, in their order.

    `most_rows`: of a batch; 1 if requests cannot share a run. The rows of a batch are filled up to
    one of `batch_sizes`, so that few programs are compiled. `most_waiting`: requests beyond are
    rejected. `seen(rows)`: called with the rows of each batch.
    """

    def __init__(self, compute, most_rows, most_waiting, seen=lambda rows: None):
        self.compute, self.most_rows, self.most_waiting = compute, most_rows, most_waiting
        self.seen, self.waiting = seen, collections.deque()
        self._thread = ThreadPoolExecutor(1, "serve")
        self._wakes, self._task = asyncio.Event(), None

    async def __aenter__(self):
        self._task = asyncio.create_task(self._serve())
        return self

    async def __aexit__(self, *exception):
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        for _, future in self.waiting:
            future.cancel()
        self._thread.shutdown()

    async def run(self, arrays):
        """Return the outputs for the inputs of one request. Raises `Rejected` if too many wait, and
        what `compute` raises."""
        if len(self.waiting) >= self.most_waiting:
            raise rejected(503, "serve-busy", waiting=len(self.waiting))
        if self.most_rows > 1 and len(arrays[0]) > self.most_rows:
            raise rejected(413, "serve-rows", most=self.most_rows, got=len(arrays[0]))
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((arrays, future))
        self._wakes.set()
        return await future

    async def _serve(self):
        while True:
            await self._wakes.wait()
            self._wakes.clear()
            while self.waiting:
                await self._batch(self._taken())

    def _taken(self):
        """Take the requests of the next run; those with other sizes beyond axis 0 are for a later
        one."""
        taken, rows = [self.waiting.popleft()], 0
        sizes = [array.shape[1:] for array in taken[0][0]]
        while self.most_rows > 1 and self.waiting:
            rows += len(taken[-1][0][0])
            arrays = self.waiting[0][0]
            is_alike = [array.shape[1:] for array in arrays] == sizes
            if not is_alike or rows + len(arrays[0]) > self.most_rows:
                break
            taken.append(self.waiting.popleft())
        return taken

    async def _batch(self, requests):
        requests = [(arrays, future) for arrays, future in requests if not future.done()]
        if not requests:
            return
        loop = asyncio.get_running_loop()
        try:
            inputs = [arrays for arrays, _ in requests]
            results = await loop.run_in_executor(self._thread, self._computed, inputs)
        except Exception as error:  # noqa: BLE001 - raised in the request that caused it
            if len(requests) == 1:
                if not requests[0][1].done():
                    requests[0][1].set_exception(error)
                return
            for request in requests:
                await self._batch([request])
            return
        for (_, future), outputs in zip(requests, results, strict=True):
            if not future.done():
                future.set_result(outputs)

    def _computed(self, inputs):
        """Return the outputs of each request, computed together."""
        if self.most_rows == 1:
            self.seen(1)
            return [self.compute(inputs[0])]
        counts = [len(arrays[0]) for arrays in inputs]
        rows = sum(counts)
        self.seen(rows)
        size = next(n for n in batch_sizes(self.most_rows) if n >= rows)
        together = []
        for arrays in zip(*inputs, strict=True):
            filling = np.broadcast_to(arrays[-1][-1:], (size - rows, *arrays[-1].shape[1:]))
            together.append(np.concatenate([*arrays, filling]))
        outputs = self.compute(together)
        ends = np.cumsum(counts)
        return [
            [array[end - count : end] for array in outputs]
            for count, end in zip(counts, ends, strict=True)
        ]
