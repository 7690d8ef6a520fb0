"""Steps of data pipelines that MindSpore 2.10 and sporax run: name -> function of the module
`mindspore.dataset` and an empty folder; its results are compared (`tools.record steps`)."""

from pathlib import Path

import numpy as np
from PIL import Image

from tests.data import conversion_cases as conversions
from tests.data import tfrecord_cases


def image_folder(folder):
    """Write images of a single grey each, 0 to 8, in classes of 3, 2 and 4; return the folder."""
    grey = 0
    for name, count in (("a", 3), ("b", 2), ("c", 4)):
        (folder / name).mkdir(exist_ok=True)
        for _ in range(count):
            Image.fromarray(np.full((2, 2, 3), grey, np.uint8)).save(folder / name / f"{grey}.png")
            grey += 1
    return str(folder)


def drawn(ds, folder, seed, **arguments):
    """Return the greys of three epochs that a PKSampler draws."""
    ds.config.set_seed(seed)
    data = ds.ImageFolderDataset(
        image_folder(folder), sampler=ds.PKSampler(**arguments), decode=True
    )
    rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    return data.get_dataset_size(), [[int(x[0, 0, 0]) for x, _ in rows] for _ in range(3)]


def called(ds, folder, steps, epochs=2):
    """Return the events that callbacks of `map` receive, separately per kind: MindSpore's threads
    interleave them."""

    def method(event):
        def told(self, at):
            events[event].append((at.cur_epoch_num, at.cur_step_num_in_epoch, at.cur_step_num))

        return told

    names = "ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end"
    events = {name: [] for name in names}
    kind = type("Told", (ds.DSCallback,), {name: method(name) for name in names})
    data = ds.NumpySlicesDataset([1, 2, 3, 4, 5], ["x"], shuffle=False)
    data = data.map(lambda x: x, "x", callbacks=[kind(step) for step in steps])
    rows = data.create_tuple_iterator(num_epochs=epochs)
    for _ in range(epochs):
        list(rows)
    return events


def waited(ds, folder, updates, batch, **arguments):
    """Return the rows of a `sync_wait` that is updated in the loop, and the arguments of its
    callback."""
    given = []
    data = ds.NumpySlicesDataset(list(range(6)), ["x"], shuffle=False)
    data = data.sync_wait("c", callback=given.append, **arguments).batch(batch)
    rows = []
    for i, (x,) in enumerate(data.create_tuple_iterator(num_epochs=1, output_numpy=True)):
        rows.append(x.tolist())
        data.sync_update("c", updates, data={"loss": i})
    return rows, given


def sampled(ds, folder, joined, sampler):
    """Return the rows that a sampler chooses from concatenated datasets, or from a part of one, and
    the dataset's size."""
    ds.config.set_seed(3)
    if joined:
        parts = [ds.NumpySlicesDataset(rows, shuffle=False) for rows in joined]
        data = parts[0].concat(parts[1:])
    else:
        data, _ = ds.NumpySlicesDataset(list(range(10)), shuffle=False).split([0.7, 0.3], False)
    try:
        data.use_sampler(eval(sampler, {"ds": ds}))
    except (TypeError, ValueError) as error:
        return type(error).__name__
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    return [[[int(x) for (x,) in rows] for _ in range(2)], data.get_dataset_size()]


NINE, SHARES = ([1, 2, 3, 4, 5, 6], [7, 8, 9]), "ds.DistributedSampler(2, 1, shuffle=False)"
SAMPLED = [
    (NINE, SHARES), (NINE, "ds.DistributedSampler(2, 0, shuffle=False)"), (None, SHARES),
    (NINE, "ds.DistributedSampler(4, 3, shuffle=False)"), (([1], [2], [3, 4, 5]), SHARES),
    (NINE, "ds.SequentialSampler(1, 4)"), (NINE, "ds.DistributedSampler(2, 0)"), (NINE, "[1, 2]"),
    (NINE, "ds.RandomSampler(True)"), (NINE, "ds.RandomSampler(num_samples=2)"),
    (None, "ds.SequentialSampler(1, 2)"), (None, "ds.SubsetSampler([6, 0])"),
]  # fmt: skip


def case(function, **arguments):
    return lambda ds, folder: function(ds, Path(folder), **arguments)


CASES = {
    "pk": case(drawn, seed=0, num_val=2),
    "pk 3": case(drawn, seed=3, num_val=3, num_samples=7),
    "pk shuffled": case(drawn, seed=0, num_val=2, shuffle=True),
    "pk shuffled 3": case(drawn, seed=3, num_val=3, shuffle=True, num_samples=5),
    "callback": case(called, steps=[1]),
    "callbacks": case(called, steps=[2, 3]),
    "wait": case(waited, updates=None, batch=1),
    "wait for two": case(waited, updates=None, batch=2, num_batch=2),
    "wait, released two": case(waited, updates=2, batch=3),
    **{f"tfrecord: {name}": case(
        tfrecord_cases.read, files=files, columns=columns, arguments=others)
       for name, (files, columns, others) in tfrecord_cases.READ.items()},
    **{f"to MindRecord: {run.__name__}": case(run) for run in (
        conversions.cifar10, conversions.cifar100, conversions.mnist, conversions.imagenet)},
    "pages": case(conversions.pages, shards=1),
    "pages of two files": case(conversions.pages, shards=2),
    "schemas": case(tfrecord_cases.texts),
    **{f"{joined}: {sampler}": case(sampled, joined=joined, sampler=sampler)
       for joined, sampler in SAMPLED},
}  # fmt: skip
