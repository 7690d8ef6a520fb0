"""Layers for which MindSpore lacks CPU kernels, or behaves otherwise, as PyTorch computes them."""

from types import SimpleNamespace


def in_place(pt):
    """Return by call and view the memory afterwards, and the derivatives of a scalar of it."""
    from tests.ops import in_place_rows as rows

    functional = ("elu_", "hardtanh_", "threshold_")
    mint = SimpleNamespace(addr_=pt.Tensor.addr_, relu_=pt.relu_, sigmoid_=pt.sigmoid_)
    vars(mint).update({name: getattr(pt.nn.functional, name) for name in functional})
    names = {name: pt.tensor(array) for name, array in rows.NAMES.items()} | {"mint": mint}
    found = {}
    for call in rows.CALLS:
        for view, (shape, _) in rows.VIEWS.items():
            x = pt.tensor(rows.numbers(shape, 1), requires_grad=True)
            s = pt.tensor(rows.numbers((3, 3), 2), requires_grad=True)
            y, loss = rows.program(call, view, names, pt.tensor)(x, s)
            grads = pt.autograd.grad(loss, (x, s), allow_unused=True, materialize_grads=True)
            found[f"{view}: {call}"] = [_flat(y), *map(_flat, grads)]
    return {"in_place.json": found}


def _flat(tensor):
    return [round(n, 5) for n in tensor.detach().reshape(-1).tolist()]


def mint_layers(pt):
    """Return outputs, the gradients of their sums of squares by the input, and buffers."""
    from tests.nn import mint_layer_cases as cases

    table = {}
    for make, shape in cases.ROWS:
        layer = eval(make, {"nn": pt.nn})
        weights = cases.weights(layer.parameters())
        with pt.no_grad():
            for parameter, values in zip(layer.parameters(), weights, strict=True):
                parameter.copy_(pt.tensor(values))
        table[make] = _computed(pt, layer, cases.numbers(shape))
        if buffers := [_flat(buffer) for buffer in layer.buffers()]:
            table[make]["buffers"] = buffers
    names = {"nn": pt.nn, "F": pt.nn.functional}
    for call, shape in cases.CALLS:
        function = eval(f"lambda x: {call}", names)
        table[call] = _computed(pt, function, cases.numbers(shape))
    return {"mint_layers.json": table}


def _computed(pt, function, numbers):
    x = pt.tensor(numbers, requires_grad=True)
    y = function(x)
    (y * y).sum().backward()
    return {"output": [tuple(y.shape), _flat(y)], "gradient": _flat(x.grad)}


def voices(pt):
    """Return the first sample of each voice that torchaudio's `vad` detects, or the length."""
    from torchaudio.functional import vad

    from tests.data.voice_cases import VOICES

    starts = {
        name: wave.shape[-1] - vad(pt.tensor(wave).float(), rate, **options).shape[-1]
        for name, (wave, rate, options) in VOICES.items()
    }
    return {"voices.json": starts}
