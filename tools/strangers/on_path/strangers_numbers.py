"""Numbers of a network: its output, loss, gradients and three steps, with weights from NumPy.

Under MindSpore, `compare` writes them to the file of $STRANGERS_NUMBERS; otherwise it compares them
with those in the file of $STRANGERS_EXPECTED.
"""

import json
import os
import zlib
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

SHOWN = 16  # parameters whose gradients are recorded


def generator(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


def uniform(name, *shape):
    """Float32 numbers in [-1, 1), by `name`."""
    return Tensor(generator(name).uniform(-1, 1, shape).astype(np.float32))


def integers(name, high, *shape, dtype=ms.int32):
    return Tensor(generator(name).integers(0, high, shape), dtype)


def compare(name, net, *inputs, loss=None, is_training=True):
    """Compare or record the numbers of `net(*inputs)`.

    `loss`: a function of the outputs. `is_training`: normalise by the batch's statistics, which
    amplify rounding where a batch has few elements.
    """
    _set_weights(net)
    _without_dropout(net)
    loss = loss or _weighted_sum
    net.set_train(False)
    outputs = [out.asnumpy() for out in _floats(net(*inputs))]
    found = {"output": [_summary(out) for out in outputs]}
    net.set_train(is_training)
    optimizer = nn.SGD(net.trainable_params(), 0.001)
    step = ms.value_and_grad(lambda: loss(net(*inputs)), None, optimizer.parameters)
    losses = []
    for i in range(3):
        value, gradients = step()
        if i == 0:
            found["gradients"] = _norms(optimizer.parameters, gradients)
        losses.append(float(value.asnumpy()))
        optimizer(gradients)
    found["losses"] = losses
    _record_or_check(name, found, _check_steps)


def compare_arrays(name, **arrays):
    """Compare or record arrays by name: their means, spreads and four elements."""
    _record_or_check(name, {key: _summary(array) for key, array in arrays.items()}, _check_arrays)


def _check_arrays(found, expected):
    assert found.keys() == expected.keys()
    for key, theirs in expected.items():
        atol = 1e-3 * theirs[1] + 1e-5
        np.testing.assert_allclose(found[key], theirs, rtol=1e-3, atol=atol, err_msg=key)


def _summary(array):
    flat = array.astype(np.float64).ravel()
    return [flat.mean(), flat.std(), *flat[:: max(1, flat.size // 4)][:4]]


def _norms(parameters, gradients):
    norms = {p.name: float(np.linalg.norm(g.asnumpy().astype(np.float64))) for p, g in
             zip(parameters, gradients, strict=True)}  # fmt: skip
    names = sorted(norms)[:: max(1, len(norms) // SHOWN)]
    total = float(np.sqrt(sum(norm**2 for norm in norms.values())))
    return {"all": total} | {name: norms[name] for name in names}


def _floats(outputs):
    if isinstance(outputs, Tensor):
        return [outputs] if outputs.dtype in (ms.float16, ms.float32) else []
    found = [_floats(out) for out in outputs] if isinstance(outputs, tuple | list) else []
    return [out for part in found for out in part]


def _weighted_sum(outputs):
    total = 0
    for i, out in enumerate(_floats(outputs)):
        out = ops.cast(out, ms.float32)
        total = total + (out * uniform(f"loss {i}", *out.shape)).mean() + (out * out).mean()
    return total


def _set_weights(net):
    for name, parameter in net.parameters_and_names():
        if parameter.dtype not in (ms.float16, ms.float32):
            continue
        shape, draw = parameter.shape, generator(name).standard_normal
        if name.endswith(("gamma", "moving_variance")):
            value = 1 + 0.1 * np.abs(draw(shape))
        elif len(shape) < 2:
            value = 0.1 * draw(shape)
        else:
            value = draw(shape) / np.sqrt(np.prod(shape[1:]))
        parameter.set_data(Tensor(value.astype(np.float32), parameter.dtype))


def _without_dropout(net):
    for cell in net.cells_and_names():
        cell = cell[1]
        if "Drop" in type(cell).__name__:
            for attribute, value in (("p", 0.0), ("drop_prob", 0.0), ("keep_prob", 1.0)):
                if isinstance(getattr(cell, attribute, None), float | int):
                    setattr(cell, attribute, value)


def _record_or_check(name, found, check):
    if "STRANGERS_NUMBERS" in os.environ:
        rounded = json.loads(
            json.dumps(found), parse_float=lambda text: float(f"{float(text):.7g}")
        )
        with open(os.environ["STRANGERS_NUMBERS"], "a", encoding="utf8") as file:
            file.write(json.dumps({"case": name, **rounded}) + "\n")
        return
    rows = map(json.loads, Path(os.environ["STRANGERS_EXPECTED"]).read_text("utf8").splitlines())
    expected = next(row for row in rows if row.pop("case") == name)
    check(found, expected)


def _check_steps(found, expected):
    for ours, theirs in zip(found["output"], expected["output"], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3 * theirs[1] + 1e-6)
    norms = expected["gradients"]
    np.testing.assert_allclose(found["losses"][0], expected["losses"][0], rtol=1e-3, atol=1e-5)
    # a step along a large gradient amplifies rounding
    rtol = 5e-3 * max(1, norms["all"] / 10)
    np.testing.assert_allclose(found["losses"], expected["losses"], rtol=rtol, atol=1e-5)
    assert found["gradients"].keys() == norms.keys()
    for key, norm in norms.items():
        close = abs(found["gradients"][key] - norm) <= 1e-2 * norm + 1e-4 * norms["all"]
        assert close, f"gradient of {key}: norm {found['gradients'][key]:.6g}, not {norm:.6g}"
