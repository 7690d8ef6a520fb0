"""Losses and steps where a small constant keeps a logarithm or quotient finite: run by MindSpore
once (`tools.record constants`), and by sporax in `test_constant_precision.py`. Each takes the
namespace `ms` and a function that may capture another, and returns arrays.
"""

import numpy as np

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def _tensor(ms, *numbers):
    return ms.Tensor(np.array(numbers, np.float32))


def _both(ms, through, function, *tensors):
    """Return the values of a function, and its derivatives with respect to the first tensor."""
    return through(function)(*tensors), through(ms.grad(function))(*tensors)


@case
def bce_loss(ms, through):
    x, y = _tensor(ms, 0, 1, 0, 1, 0.5, 0.999999), _tensor(ms, 0, 1, 1, 0, 1, 0)
    return _both(ms, through, ms.nn.BCELoss(reduction="none"), x, y)


@case
def bce_loss_of_one_number(ms, through):
    x = _tensor(ms, 1)
    return _both(ms, through, ms.nn.BCELoss(), x, x)


@case
def binary_cross_entropy_with_weights(ms, through):
    x, y, w = _tensor(ms, 1, 0, 1), _tensor(ms, 1, 0, 0.25), _tensor(ms, 2, 3, 4)
    return _both(ms, through, lambda x: ms.ops.binary_cross_entropy(x, y, w, "none"), x)


@case
def logarithm_of_one_minus(ms, through):
    return _both(ms, through, lambda p: ms.ops.log(1 - p + 1e-8), _tensor(ms, 1, 0.5, 0))


@case
def quotient_of_one_minus(ms, through):
    return _both(ms, through, lambda p: 1 / (1 - p + 1e-9), _tensor(ms, 1, 0.5, 0))


@case
def root_of_minus_one(ms, through):
    return _both(ms, through, lambda p: ms.ops.rsqrt(p - 1 + 1e-12), _tensor(ms, 1, 2))


@case
def focal_loss(ms, through):
    y = _tensor(ms, 1, 0, 0, 1)

    def loss(x):
        p = ms.ops.sigmoid(x)
        yes, no = ms.ops.log(p + 1e-8), ms.ops.log(1 - p + 1e-8)
        return -(0.25 * (1 - p) ** 2 * y * yes + 0.75 * p**2 * (1 - y) * no)

    return _both(ms, through, loss, _tensor(ms, 40, 40, -40, -40))


@case
def entropy(ms, through):
    def of(p):
        each = p * ms.ops.log(p + 1e-10) + (1 - p) * ms.ops.log(1 - p + 1e-10)
        return -each.sum()

    return _both(ms, through, of, _tensor(ms, 0, 1, 0.5))


@case
def gan_step(ms, through):
    """A step of a discriminator and of a generator, when the first is certain."""
    real, noise = _tensor(ms, 30, 40), _tensor(ms, 1, 2)

    def judged(w, x):
        return ms.ops.sigmoid(w * x)

    def of_judge(w, g):
        fake = judged(w, g * noise)
        return -(ms.ops.log(judged(w, real) + 1e-8) + ms.ops.log(1 - fake + 1e-8)).mean()

    def of_generator(g, w):
        return -ms.ops.log(1 - judged(w, g * noise) + 1e-8).mean()

    def step(w, g):
        w = w - 1e-9 * ms.grad(of_judge)(w, g)
        return w, g - 1e-9 * ms.grad(of_generator)(g, w), of_judge(w, g), of_generator(g, w)

    return through(step)(_tensor(ms, 2), _tensor(ms, 50))


@case
def an_epoch_of_saturated_data(ms, through, dataset):
    """The weights after an epoch of `Model.train`, and the last loss."""
    x = np.array([[60, 1], [-60, 2], [80, -1], [-70, 1]], np.float32)
    y = np.array([[1], [0], [1], [1]], np.float32)
    net = ms.nn.SequentialCell(ms.nn.Dense(2, 1, has_bias=False), ms.nn.Sigmoid())
    net[0].weight.set_data(_tensor(ms, 1, 0.5).reshape((1, 2)))
    data = dataset((x, y), ["x", "y"], shuffle=False).batch(2)
    optimizer = ms.nn.SGD(net.trainable_params(), 1e-3)
    ms.train.Model(net, ms.nn.BCELoss(), optimizer).train(1, data, dataset_sink_mode=False)
    return net[0].weight, ms.nn.BCELoss()(net(ms.Tensor(x)), ms.Tensor(y))


def evaluate(function, ms, dataset, through=lambda function: function):
    """Return the results of a case, as lists. `dataset`: `NumpySlicesDataset`."""
    args = (ms, through, dataset) if function is an_epoch_of_saturated_data else (ms, through)
    return [np.asarray(t.asnumpy()).tolist() for t in function(*args)]
