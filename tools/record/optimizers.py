"""Layers and optimizers: numbers, gradients, states and schedules under MindSpore."""

import numpy as np


def layers(ms):
    """Return outputs, gradients and moved statistics of the rows, and printed text of layers."""
    from tests.nn import layer_cases, rare_layer_cases

    names = {"nn": ms.nn, "ops": ms.ops, "ms": ms}
    for module, name in [(layer_cases, "layers"), (rare_layer_cases, "rare_layers")]:
        kept = {}
        for case in module.CASES:
            for train in case.modes:
                for what, array in layer_cases.computed(case, train, ms.nn, ms).items():
                    kept[f"{case.name}|{'train' if train else 'eval'}|{what}"] = array
        yield f"{name}.npz", kept
        yield f"{name}.json", {text: str(eval(text, dict(names))) for text in module.PRINTED}


def optimizers(ms):
    """Return parameters after each of twenty steps and the states after the last; schedules."""
    from mindspore.experimental import optim

    from tests.optim import optimizer_cases as cases

    kit = cases.Kit(ms.nn, ms.Tensor, ms.Parameter, optim)
    arrays, names = {}, {}
    for case in cases.CASES:
        history, state = cases.run(kit, case)
        arrays[case.name] = np.stack(history).astype(np.float32)
        names[case.name] = list(state)
        arrays[f"{case.name}/state"] = np.concatenate([a.ravel() for a in state.values()])
    steps = [ms.Tensor(i, ms.int32) for i in range(cases.STEPS)]
    schedules = {
        name: [float(make(ms.nn)(step).asnumpy()) for step in steps]
        for name, make in cases.SCHEDULES.items()
    }
    lists = {name: make(ms.nn) for name, make in cases.LISTS.items()}
    found = {"names": names, "schedules": schedules, "lists": lists}
    yield "optimizers.npz", arrays
    yield "optimizers.json", found | {"schedulers": cases.scheduler_rates(kit)}
