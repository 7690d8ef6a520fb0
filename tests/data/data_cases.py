"""Data pipelines as expressions, whose rows MindSpore returns too (`tools.record data_rows`)."""

import numpy as np

PLAIN = 'Slices({"a": array(5), "b": array((5, 2))}, shuffle=False)'
TEN = 'Slices(list(range(10)), ["x"], sampler=ds.{})'
RAGGED = 'Generator(lambda: ragged(5), ["x", "y"])'
WIDE = 'Generator(lambda: wide(4), ["x", "s"])'

_SAMPLERS = [
    "SequentialSampler(2, 3)",
    "SequentialSampler(8, 30)",
    "RandomSampler()",
    "RandomSampler(num_samples=3)",
    "RandomSampler(True, 4)",
    "RandomSampler(True, 14)",
    "SubsetSampler([1, 3, 3, 9], 2)",
    "SubsetRandomSampler([1, 3, 5, 9])",
    "WeightedRandomSampler([0.1] * 10, 4)",
    "WeightedRandomSampler([0.1] * 10, 20)",
    "WeightedRandomSampler([0.5, 0.5])",
    "DistributedSampler(3, 1)",
    "DistributedSampler(3, 1, False, 2)",
    *[f"DistributedSampler(3, {i}, False, offset={n})" for i in range(3) for n in range(4)],
]
_PADS = [
    '{"x": ([6], 9)}',
    '{"x": ([None], -1)}',
    '{"x": (None, -1)}',
    '{"x": ([6], None)}',
    '{"x": ([2], 0)}',  # cut
    '{"x": ([6], 9), "y": ([], 0)}',
    '{"x": ([6], 2.7)}',
    "{}",
]
_BUCKETS = [
    "[3, 6], [2, 2, 1]",
    '[3, 6], [2, 2, 1], pad_info={"x": ([10], -1)}',
    '[3, 6], [3, 2, 2], pad_info={"x": ([None], -1)}, drop_remainder=True',
    '[3, 6, 20], [3, 2, 2, 1], pad_info={"x": ([None], -1)}, pad_to_bucket_boundary=True',
    "[3, 6], [3, 2, 2], lambda x: 10 - len(x), {}",
    '[3], [2, 3], pad_info={"x": ([None], 7), "y": ([], 0)}',
]
_MAPS = [  # what a function of the lists of a batch makes of them
    'lambda b, info: ([x * 2 for x in b],), input_columns=["b"]',
    'lambda b, info: [x * 2 for x in b], input_columns=["b"]',
    'lambda b, info: (np.stack(b) * 2,), input_columns=["b"]',
    'lambda b, info: (b, [x[:1] for x in b]), input_columns=["b"], output_columns=["c", "d"]',
    "lambda a, b, info: (b, [x + info.get_batch_num() for x in b])",
    'lambda a, info: (["s%d" % x for x in a],), input_columns=["a"]',
    'lambda a, info: ([float(x) for x in a],), input_columns=["a"]',
]
_STEPS = [
    'batch(2)', 'batch(2, True)', 'batch(8)', 'batch(lambda info: info.get_batch_num() + 1)',
    'padded_batch(2, pad_info={"b": ([4], 7)})',
    'map(lambda a, b: (b, a), ["a", "b"], ["b", "a"])',
    'map(lambda b: (b, b[0], b * 2), ["b"], ["q", "d", "e"])',
    'map([lambda b: b + b, lambda b: (b, b * b), lambda b, c: b + c], ["b"])',
    'map(lambda a: [int(a), 2], ["a"])', 'map(lambda a: bool(a > 1), ["a"])',
    'project(["b", "a"])', 'rename(["a"], ["z"])', 'zip(Slices({"c": [1, 2, 3]}, shuffle=False))',
    f"concat([{PLAIN}.take(1)])", 'repeat(2).batch(3)', 'batch(3).repeat(2)', 'skip(3)',
    'take(20)', 'shuffle(5)', 'shuffle(2)', 'shuffle(3).repeat(2)',
    'filter(lambda a: a % 2 == 0, "a")', 'split([3, 2], randomize=False)[1]', 'split([3, 2])[0]',
]  # fmt: skip

CASES = [
    *[TEN.format(sampler) for sampler in _SAMPLERS],
    *[f"{RAGGED}.padded_batch(2, pad_info={pads})" for pads in _PADS],
    f'{RAGGED}.padded_batch(2, True, pad_info={{"x": ([6], 9)}})',
    f"{RAGGED}.padded_batch(lambda info: info.get_batch_num() + 1, pad_info={{}})",
    f'{WIDE}.padded_batch(2, pad_info={{"x": ([None, None], 1.5)}})',
    f'{WIDE}.padded_batch(2, pad_info={{"x": ([5, None], 1.5), "s": ([], "q")}})',
    'Slices([["a", "b"], ["cc", "d"]], ["s"], shuffle=False)'
    '.padded_batch(2, pad_info={"s": ([3], "pp")})',
    *[
        f'Generator(lambda: ragged(9), ["x", "y"]).bucket_batch_by_length(["x"], {buckets})'
        for buckets in _BUCKETS
    ],
    *[f"{PLAIN}.batch(2, per_batch_map={function})" for function in _MAPS],
    f"{RAGGED}.batch(2, per_batch_map=lambda x, y, info: ([v[:1] for v in x], y))",
    *[f"{PLAIN}.{step}" for step in _STEPS],
    "Slices([[1, 2], [3]], shuffle=False)",
    'Generator([([1, 2], 3), ([3], 4)], ["x", "y"], shuffle=False)'
    '.padded_batch(2, pad_info={"x": ([3], 0)})',
    f"sampled({PLAIN}, ds.SequentialSampler(1, 2))",
]


def array(shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def ragged(n):
    for i in range(n):
        yield np.arange(i + 1, dtype=np.int32), np.array(i, np.int64)


def wide(n):
    for i in range(n):
        yield np.ones((i + 1, 3 - i % 2), np.float32) * i, np.array("s" * i)


def sampled(dataset, sampler):
    dataset.add_sampler(sampler)
    return dataset


def evaluate(ds, case):
    """Return the rows of a case, its sizes, shapes and types."""
    ds.config.set_seed(3)
    scope = {"ds": ds, "Slices": ds.NumpySlicesDataset, "Generator": ds.GeneratorDataset, "np": np}
    dataset = eval(case, scope | {f.__name__: f for f in (array, ragged, wide, sampled)})
    sizes = dataset.get_dataset_size(), dataset.get_batch_size(), dataset.get_repeat_count()
    rows = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    rows = [
        {name: [str(x.dtype), list(x.shape), x.tolist()] for name, x in row.items()} for row in rows
    ]
    types = [str(dtype) for dtype in dataset.output_types()]
    return {"rows": rows, "told": list(sizes), "shapes": dataset.output_shapes(), "types": types}
