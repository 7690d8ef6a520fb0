"""Pipeline schedules: 1F1B ("one forward, one backward") and GPipe.

GPipe runs all micro-batches forward, then all backward, so a stage keeps the activations of all of
them; this is the order in which gradients are recorded. With 1F1B a stage starts the backward pass
of a micro-batch as soon as possible, and keeps the activations of one micro-batch per stage from
itself to the last. Both idle equally long. Source: https://arxiv.org/abs/2006.09503
(PipeDream-Flush).
"""

import functools

from sporax._src.core.value import Changes
from sporax._src.devices.distributed.parallel_context import SCHEDULERS
from sporax._src.runtime.engine.operation import Op


class PipelineSettings:
    """The pipeline settings of `set_auto_parallel_context`: `scheduler`, and `count` of stages (1:
    the number that the cells name)."""

    scheduler, count = SCHEDULERS[0], 1

    @classmethod
    def change(cls, scheduler, count):
        """Change the settings; graphs that were captured before are captured again."""
        if (scheduler, count) != (cls.scheduler, cls.count):
            Changes.count += 1
        cls.scheduler, cls.count = scheduler, count


class MicroBatch(Op):
    """Identity that marks all computations from its result as work on micro-batch `index`.

    `scheduler`: one of `SCHEDULERS`. `stages`: the devices of each stage.
    """

    __slots__ = ("index", "scheduler", "stages")

    is_polymorphic = False

    def __init__(self, index, scheduler, stages):
        super().__init__("MicroBatch", lambda x: x)
        self.index, self.scheduler, self.stages = index, scheduler, stages


micro_batch = functools.cache(MicroBatch)


def ordered(steps):
    """Return the steps of a trace (see `stages`) in the order of its `MicroBatch`es' scheduler."""
    micro_batches = [s.op for s in steps if isinstance(s.op, MicroBatch)]
    if not micro_batches or micro_batches[0].scheduler != "1f1b":
        return steps
    number_micro_batches(steps)
    _sum_in_order(steps)
    number_micro_batches(steps)
    order = _Order(steps)
    for kind, index, stage in one_forward_one_backward(
        1 + max(op.index for op in micro_batches), len(micro_batches[0].stages)
    ):
        order.take(kind, index, micro_batches[0].stages[stage])
    return order.finish()


def number_micro_batches(steps):
    """Set `micro` of each step to the last micro-batch that it depends on; -1 for none."""
    latest = {}
    for step in steps:
        step.micro = max([latest.get(i, -1) for i in step.ins], default=-1)
        if isinstance(step.op, MicroBatch):
            step.micro = step.op.index
        latest.update(dict.fromkeys(step.outs, step.micro))


def one_forward_one_backward(count, stages):
    """Return [('forward' or 'backward', micro-batch, stage)] in an order in which no stage waits
    for a later item, while all stages work concurrently.

    >>> from sporax._src.devices.sharding.schedule import one_forward_one_backward
    >>> [kind[0] + str(i) for kind, i, stage in one_forward_one_backward(3, 2) if stage == 0]
    ['f0', 'f1', 'b0', 'f2', 'b1', 'b2']
    """
    queues = [_of_stage(count, stages - 1 - stage) for stage in range(stages)]
    order, done = [], set()
    while any(queues):
        ready = []
        for stage, queue in enumerate(queues):
            if not queue:
                continue
            kind, index = queue[0]
            before = stage - 1 if kind == "forward" else stage + 1
            if not 0 <= before < stages or (kind, index, before) in done:
                ready.append((kind, index, stage))
        for _, _, stage in ready:
            queues[stage].pop(0)
        order += ready
        done.update(ready)
    return order


def _of_stage(count, ahead):
    """Return [(kind, micro-batch)] of a stage that `ahead` other stages follow."""
    warm = min(ahead, count)
    queue = [("forward", i) for i in range(warm)]
    for i in range(count - warm):
        queue += [("forward", warm + i), ("backward", i)]
    return queue + [("backward", i) for i in range(count - warm, count)]


# sums of gradients ----------------------------------------------------------------------------


def _sum_in_order(steps):
    """Add up a Parameter's gradients starting with the first micro-batch.

    Gradients are recorded starting with the last micro-batch: all of them would have to be kept
    until the last one is available. Nested sums without other uses are flattened and reordered.
    """
    uses, maker = {}, {}
    for step in steps:
        for i in step.ins:
            uses.setdefault(i, []).append(step)
        maker.update(dict.fromkeys(step.outs, step))

    def is_addend(step, last):
        """Return True if a step adds up some of the gradients that another step adds up."""
        return step is not None and step.function is last.function and step.devices == last.devices

    for step in steps:
        if step.op is None or step.op.name != "gradient.add":
            continue
        users = uses.get(step.outs[0], ())
        if len(users) == 1 and is_addend(users[0], step):
            continue  # included in that sum
        adds, leaves, todo = [], [], [step]
        while todo:
            add = todo.pop()
            adds.append(add)
            for i in add.ins:
                producer = maker.get(i)
                if is_addend(producer, step) and len(uses[i]) == 1:
                    todo.append(producer)
                else:
                    leaves.append((producer.micro if producer else -1, i))
        first, *others = [i for _, i in sorted(leaves)]
        for add, leaf in zip(reversed(adds), others, strict=True):
            add.ins = [first, leaf]
            first = add.outs[0]


# the order ------------------------------------------------------------------------------------


class _Order:
    """Takes steps one by one, each after the steps that it depends on."""

    def __init__(self, steps):
        self.steps, self.taken, self.done = steps, [], set()
        self.maker = {out: step for step in steps for out in step.outs}
        self.last = max(step.micro for step in steps)

    def take(self, kind, index, devices):
        """Take the results of a stage's work on a micro-batch: copies to other stages, and in the
        backward pass all other steps. (Those of the last micro-batch belong to the optimizer.)"""
        for step in self.steps:
            if step.micro != index:
                continue
            sends = step.is_copy and step.source == devices != step.devices
            if kind == "forward":
                is_wanted = sends and step.sharding is not None
            else:
                is_wanted = sends or (step.devices == devices and index < self.last)
            if is_wanted:
                self._take(step)

    def finish(self):
        """Take the remaining steps, and return all steps in order."""
        for step in self.steps:
            self._take(step)
        return self.taken

    def _take(self, step):
        """Take a step after the steps that it depends on, without a limit of depth."""
        todo = [step]
        while todo:
            step = todo[-1]
            if id(step) in self.done:
                todo.pop()
                continue
            makers = [self.maker[i] for i in step.ins if i in self.maker]
            missing = [m for m in makers if id(m) not in self.done]
            if missing:
                todo += reversed(missing)
            else:
                self.done.add(id(step))
                self.taken.append(todo.pop())
