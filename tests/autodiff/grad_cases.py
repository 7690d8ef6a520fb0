"""Results of derivatives, as small cases: run by MindSpore once (`tools.record cells`), and by
sporax in `test_grad.py`. Each takes the namespace `ms`; results are spelled out with their
containers, dtypes and numbers."""

import itertools

import numpy as np

from tests.case_results import result_or_error

CASES = {}


def case(run_case):
    CASES[run_case.__name__] = run_case
    return run_case


def evaluate(run_case, ms):
    """Return the case's result, spelled out, or the type of its error."""
    return result_or_error(lambda ms: spelled(run_case(ms), ms), ms)


class Spelled(dict):
    """Results that are spelled out already."""


def spelled(result, ms):
    if isinstance(result, Spelled):
        return result
    if isinstance(result, ms.Tensor):
        return [str(result.dtype), result.asnumpy().tolist()]
    if isinstance(result, (tuple, list)):
        return {type(result).__name__: [spelled(item, ms) for item in result]}
    if isinstance(result, dict):
        return {k: spelled(v, ms) for k, v in result.items()}
    return result


def tensor(ms, *numbers, dtype=np.float32):
    return ms.Tensor(np.array(numbers, dtype))


def net(ms, frozen=False):
    """x * w + b, with w = 2, b = 5."""

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(tensor(ms, 2.0), name="w")
            self.b = ms.Parameter(tensor(ms, 5.0), name="b", requires_grad=not frozen)

        def construct(self, x):
            return x * self.w + self.b

    return Net()


def both(ms):
    """Return `grad` and `value_and_grad`."""
    return ms.grad, ms.value_and_grad


def each(ms, cases):
    return Spelled({name: evaluate(lambda _, q=q: q(), ms) for name, q in cases.items()})


@case
def positions(ms):
    x, y = tensor(ms, 3.0), tensor(ms, 4.0)
    rows = [
        0,
        1,
        (0,),
        (1,),
        (0, 1),
        (1, 0),
        [0, 1],
        None,
        -1,
        2,
        (0, 2),
        "0",
        1.0,
        True,
        (),
        (0, 0),
    ]
    return each(ms, {
        f"{make.__name__} {at!r}": lambda make=make, at=at: make(lambda x, y: x * x * y, at)(x, y)
        for make in both(ms) for at in rows
    })  # fmt: skip


@case
def weights(ms):
    n, x = net(ms), tensor(ms, 3.0)
    chosen = {"one": n.w, "list": [n.w, n.b], "list of one": [n.w], "tuple": (n.w, n.b),
              "ParameterTuple": ms.ParameterTuple([n.b, n.w]), "trainable": n.trainable_params(),
              "empty": [], "generator": (p for p in [n.w]), "number": 3, "tensor": x,
              "twice": [n.w, n.w]}  # fmt: skip
    return each(ms, {
        f"{name} {at!r}": lambda at=at, w=w: ms.grad(n, at, w)(x)
        for name, w in chosen.items() for at in (None, 0, (0,))
    })  # fmt: skip


@case
def weights_with_values(ms):
    n, x = net(ms), tensor(ms, 3.0)
    return each(ms, {
        f"{at!r} {name}": lambda at=at, w=w: ms.value_and_grad(n, at, w)(x)
        for name, w in {"one": n.w, "list": [n.w, n.b]}.items() for at in (None, 0, (0,))
    })  # fmt: skip


@case
def identifiers(ms):
    n, x, y = net(ms), tensor(ms, 3.0), tensor(ms, 4.0)
    two = lambda x, y: n(x) * y  # noqa: E731
    return each(ms, {
        f"{name} {at!r}": lambda at=at, w=w: ms.grad(two, at, w, return_ids=True)(x, y)
        for name, w in {"none": None, "one": n.w, "list": [n.w, n.b]}.items()
        for at in (None, 0, (0,), (0, 1))
    })  # fmt: skip


@case
def identifiers_beside_the_rest(ms):
    n, x = net(ms), tensor(ms, 3.0)
    fn = lambda x: (n(x), x)  # noqa: E731
    return (
        ms.grad(fn, 0, [n.w], has_aux=True, return_ids=True)(x),
        ms.value_and_grad(fn, 0, [n.w], has_aux=True, return_ids=True)(x),
    )


@case
def finding_by_identifier(ms):
    n, x, y = net(ms), tensor(ms, 3.0), tensor(ms, 4.0)
    two = lambda x, y: n(x) * y  # noqa: E731
    full = ms.grad(two, (0, 1), [n.w, n.b], return_ids=True)(x, y)
    single = ms.grad(two, 0, n.w, return_ids=True)(x, y)
    only = ms.grad(two, None, n.w, return_ids=True)(x, y)
    return each(ms, {
        "second": lambda: ms.get_grad(full, 1), "weight": lambda: ms.get_grad(full, n.b),
        "single": lambda: ms.get_grad(single, 0), "single weight": lambda: ms.get_grad(single, n.w),
        "only": lambda: ms.get_grad(only, n.w), "missing": lambda: ms.get_grad(full, 7),
        "another": lambda: ms.get_grad(only, n.b), "string": lambda: ms.get_grad(full, "w"),
        "no ids": lambda: ms.get_grad(ms.grad(two, (0, 1))(x, y), 0),
    })  # fmt: skip


@case
def has_aux(ms):
    x = tensor(ms, 3.0)
    outs = {
        "two": lambda x: (x * x, x + 1), "three": lambda x: (x * x, x + 1, x),
        "number": lambda x: (x * x, 7), "nested": lambda x: (x * x, (x, x + 1)),
        "nested first": lambda x: ((x * x, x), x), "list": lambda x: [x * x, x + 1],
        "one": lambda x: x * x, "tuple of one": lambda x: (x * x,),
    }  # fmt: skip
    return each(ms, {
        f"{make.__name__} {name}": lambda make=make, fn=fn: make(fn, 0, None, True)(x)
        for make in both(ms) for name, fn in outs.items()
    })  # fmt: skip


@case
def several_outputs(ms):
    x, y = tensor(ms, 3.0), tensor(ms, 4.0)
    outs = {
        "tuple": lambda x, y: (x * x, x * y), "list": lambda x, y: [x * x, x * y],
        "nested": lambda x, y: (x * x, (x * y, y)), "dict": lambda x, y: {"a": x * x, "b": x * y},
        "number": lambda x, y: (x * x, 7), "none": lambda x, y: (x * x, None),
        "the same twice": lambda x, y: (x, x), "an input": lambda x, y: x,
    }  # fmt: skip
    return each(ms, {
        f"{make.__name__} {name}": lambda make=make, fn=fn: make(fn, (0, 1))(x, y)
        for make in both(ms) for name, fn in outs.items()
    })  # fmt: skip


@case
def arguments_in_containers(ms):
    x, y, z = tensor(ms, 3.0), tensor(ms, 4.0), tensor(ms, 5.0)
    first = lambda p, z: p[0] * p[1] * z  # noqa: E731
    keyed = lambda p, z: p["a"] * p["b"] * z  # noqa: E731
    deep = lambda p, z: p[0] * p[1][0] * p[1][1] * z  # noqa: E731
    return each(ms, {
        "tuple": lambda: ms.grad(first)((x, y), z), "list": lambda: ms.grad(first)([x, y], z),
        "tuple and tensor": lambda: ms.grad(first, (0, 1))((x, y), z),
        "only the tensor": lambda: ms.grad(first, 1)((x, y), z),
        "dict": lambda: ms.grad(keyed)({"a": x, "b": y}, z),
        "nested": lambda: ms.grad(deep)((x, (y, z)), z),
        "a number inside": lambda: ms.grad(first)((x, 2.0), z),
        "all": lambda: ms.ops.GradOperation(get_all=True)(first)((x, y), z),
    })  # fmt: skip


@case
def numbers_as_arguments(ms):
    x = tensor(ms, 3.0)
    return each(ms, {
        "beside": lambda: ms.grad(lambda x, k: x * k)(x, 2.0),
        "asked": lambda: ms.grad(lambda x, k: x * k, 1)(x, 2.0),
        "both asked": lambda: ms.grad(lambda x, k: x * k, (0, 1))(x, 2.0),
        "none": lambda: ms.grad(lambda x, k: x, 1)(x, None),
        "all": lambda: ms.ops.GradOperation(get_all=True)(lambda x, k: x * k)(x, 2.0),
        "keyword": lambda: ms.grad(lambda x, k=1.0: x * k)(x, k=2.0),
        "tensor keyword": lambda: ms.grad(lambda x, k: x * k)(x, k=x),
        "no arguments": lambda: ms.grad(lambda: x * x)(),
        "number out": lambda: ms.grad(lambda x: 3.0)(x),
        "none out": lambda: ms.grad(lambda x: None)(x),
    })  # fmt: skip


@case
def what_is_not_differentiable(ms):
    x, i = tensor(ms, 3.0), tensor(ms, 4, dtype=np.int32)
    b = ms.Tensor(np.array([True]))
    return each(ms, {
        "integer input": lambda: ms.grad(lambda i: i * 2.0)(i),
        "integer beside": lambda: ms.grad(lambda x, i: x * i, (0, 1))(x, i),
        "integer product": lambda: ms.grad(lambda i: i * i)(i),
        "bool input": lambda: ms.grad(lambda b, x: x * b, (0, 1))(b, x),
        "not reached": lambda: ms.grad(lambda x, y: x * 2, (0, 1))(x, x + 1),
        "nothing reached": lambda: ms.grad(lambda x: tensor(ms, 1.0))(x),
        "comparison": lambda: ms.grad(lambda x: x > 2)(x),
        "argmax": lambda: ms.grad(lambda x: x.argmax())(x),
    })  # fmt: skip


@case
def keeping_the_dtype(ms):
    rows = {"half": np.float16, "double": np.float64}
    return each(ms, {
        name: lambda dtype=dtype: ms.grad(lambda x, y: x * y, (0, 1))(
            tensor(ms, 3.0, dtype=dtype), tensor(ms, 4.0))
        for name, dtype in rows.items()
    })  # fmt: skip


@case
def grad_operation(ms):
    n, x, y, s = net(ms), tensor(ms, 3.0), tensor(ms, 4.0), tensor(ms, 10.0)

    class Two(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = n

        def construct(self, x, y):
            return self.inner(x) * y

    two, outcomes = Two(), Spelled()
    parameters = {
        "none": None,
        "one": n.w,
        "list": [n.w],
        "tuple": ms.ParameterTuple(two.trainable_params()),
    }
    for get_all, by_list, sens in itertools.product((False, True), repeat=3):
        arguments = (x, y, s) if sens else (x, y)
        maker = ms.ops.GradOperation(get_all=get_all, get_by_list=by_list, sens_param=sens)
        for name, chosen in parameters.items() if by_list else [("none", None)]:
            inputs = (two,) if chosen is None else (two, chosen)
            key = f"all={get_all} list={by_list} sens={sens} {name}"
            outcomes[key] = evaluate(lambda _, m=maker, g=inputs, a=arguments: m(*g)(*a), ms)
    return outcomes


@case
def sens(ms):
    x, y = tensor(ms, 3.0, 4.0), tensor(ms, 10.0, 100.0)
    maker = ms.ops.GradOperation(sens_param=True)
    square, pair = lambda x: x * x, lambda x: (x * x, x + 1)
    return each(ms, {
        "tensor": lambda: maker(square)(x, y), "tuple": lambda: maker(pair)(x, (y, y)),
        "keyword": lambda: maker(lambda x: x * x)(x, sens=y),
        "wrong shape": lambda: maker(square)(x, tensor(ms, 1.0, 2.0, 3.0)),
        "number": lambda: maker(square)(x, 2.0),
        "other dtype": lambda: maker(square)(x, tensor(ms, 1.0, 2.0, dtype=np.float16)),
        "no sens": lambda: maker(square)(),
        "flags": lambda: ms.ops.GradOperation(get_all=1),
    })  # fmt: skip


@case
def absent_arguments(ms):
    x = tensor(ms, 1.0, 2.0)

    def f(x, y, z=None):
        return x * 3.0 if z is None else x + 2.0 * z

    calls = {
        "both": lambda: ms.grad(f, (0, 1))(x, None),
        "alone": lambda: ms.grad(f, 1)(x, None),
        "alone in a tuple": lambda: ms.grad(f, (1,))(x, None),
        "between": lambda: ms.grad(f, (0, 1, 2))(x, None, x + 1.0),
        "with a value": lambda: ms.value_and_grad(f, 1)(x, None),
        "first": lambda: ms.ops.GradOperation()(lambda y, x: f(x, y))(None, x),
        "all": lambda: ms.ops.GradOperation(get_all=True)(f)(x, None),
    }
    p = ms.Parameter(tensor(ms, 3.0), name="p")
    calls["and weights"] = lambda: ms.grad(lambda x: p * 2.0, 0, [p])(None)
    calls["and a weight"] = lambda: ms.grad(lambda x: p * 2.0, 0, p)(None)
    return each(ms, calls)


@case
def sens_of_functions(ms):
    x, y = tensor(ms, 3.0, 4.0), tensor(ms, 10.0, 100.0)
    p = ms.Parameter(tensor(ms, 3.0, 5.0), name="p")
    square, pair = lambda x: x * x, lambda x: (x * x, x + 1)
    with_weight = lambda x: x * p  # noqa: E731
    return each(ms, {
        "tensor": lambda: ms.grad(square, sens_param=True)(x, y),
        "by place": lambda: ms.grad(square, 0, None, False, False, True)(x, y),
        "tuple": lambda: ms.grad(pair, sens_param=True)(x, (y, y)),
        "keyword": lambda: ms.grad(square, sens_param=True)(x, sens=y),
        "value": lambda: ms.value_and_grad(square, sens_param=True)(x, y),
        "weights": lambda: ms.grad(with_weight, None, [p], sens_param=True)(x, y),
        "both": lambda: ms.value_and_grad(with_weight, 0, p, sens_param=True)(x, y),
        "has_aux": lambda: ms.grad(pair, has_aux=True, sens_param=True)(x, y),
        "has_aux, value": lambda: ms.value_and_grad(pair, has_aux=True, sens_param=True)(x, y),
        "identifiers": lambda: ms.grad(square, return_ids=True, sens_param=True)(x, y),
        "flag": lambda: ms.grad(square, sens_param=1),
    })  # fmt: skip


@case
def all_of_nothing(ms):
    return ms.ops.GradOperation(get_all=True)(lambda: tensor(ms, 1.0))()


@case
def all_of_one(ms):
    return ms.ops.GradOperation(get_all=True)(lambda x: x * x)(tensor(ms, 3.0))


@case
def frozen_parameters(ms):
    n, x = net(ms, frozen=True), tensor(ms, 3.0)
    by_list = ms.ops.GradOperation(get_by_list=True)
    return each(ms, {
        "grad listed": lambda: ms.grad(n, None, [n.w, n.b])(x),
        "operation listed": lambda: by_list(n, ms.ParameterTuple([n.w, n.b]))(x),
        "trainable": lambda: by_list(n, ms.ParameterTuple(n.trainable_params()))(x),
        "as an input": lambda: ms.grad(lambda p: p * p)(n.b),
    })  # fmt: skip


@case
def parameters_as_inputs(ms):
    n, x = net(ms), tensor(ms, 3.0)
    return each(ms, {
        "input": lambda: ms.grad(lambda p, x: p * x)(n.w, x),
        "input and weight": lambda: ms.grad(lambda p: p * n.w, 0, n.w)(n.w),
        "weight given as another argument": lambda: ms.grad(lambda x, p: x * p, None, n.w)(x, n.w),
        "weight of a closure": lambda: ms.grad(lambda x: x * n.w, None, n.w)(x),
    })  # fmt: skip


@case
def stopping(ms):
    x, stop = tensor(ms, 3.0), ms.ops.stop_gradient
    return each(ms, {
        "factor": lambda: ms.grad(lambda x: x * stop(x))(x),
        "all": lambda: ms.grad(lambda x: stop(x * x))(x),
        "output": lambda: ms.grad(lambda x: (x * x, stop(x * 7)))(x),
        "pair": lambda: ms.grad(lambda x: stop((x, x * 2))[1] * x)(x),
        "value": lambda: stop(x * 2), "input": lambda: ms.grad(lambda x: x * x)(stop(x)),
        "number": lambda: stop(3.0),
        "class": lambda: ms.grad(lambda x: x * ms.ops.StopGradient()(x))(x),
    })  # fmt: skip


@case
def higher_orders(ms):
    x, y, n = tensor(ms, 3.0), tensor(ms, 4.0), net(ms)
    cube = lambda x: x * x * x * x  # noqa: E731
    mixed = lambda x, y: x * x * y * y * y  # noqa: E731
    squared = lambda x: n(x) * n(x)  # noqa: E731
    return each(ms, {
        "second": lambda: ms.grad(ms.grad(cube))(x),
        "third": lambda: ms.grad(ms.grad(ms.grad(cube)))(x),
        "mixed": lambda: ms.grad(ms.grad(mixed, 0), 1)(x, y),
        "both then both": lambda: ms.grad(ms.grad(mixed, (0, 1)), (0, 1))(x, y),
        "third mixed": lambda: ms.grad(ms.grad(ms.grad(mixed, 0), 1), 1)(x, y),
        "inputs of weights": lambda: ms.grad(ms.grad(squared, None, n.w))(x),
        "weights of inputs": lambda: ms.grad(ms.grad(squared), None, [n.w, n.b])(x),
        "weights of weights": lambda: ms.grad(ms.grad(squared, None, n.w), None, [n.w, n.b])(x),
        "operation": lambda: ms.ops.GradOperation(get_all=True)(
            ms.ops.GradOperation(get_all=True)(mixed))(x, y),
        "penalty": lambda: ms.grad(lambda x: ms.grad(cube)(x) * ms.grad(cube)(x))(x),
        "stopped inside": lambda: ms.grad(lambda x: x * ms.ops.stop_gradient(ms.grad(cube)(x)))(x),
        "value inside": lambda: ms.grad(lambda x: ms.value_and_grad(cube)(x)[0])(x),
    })  # fmt: skip


@case
def the_same_tensor_elsewhere(ms):
    x = tensor(ms, 3.0)
    return each(ms, {
        "two positions": lambda: ms.grad(lambda x, y: x * x * y, (0, 1))(x, x),
        "one of two positions": lambda: ms.grad(lambda x, y: x * x * y, 0)(x, x),
        "closure": lambda: ms.grad(lambda y: y * x)(x),
        "in one tuple": lambda: ms.grad(lambda p: p[0] * p[0] * p[1])((x, x)),
    })  # fmt: skip


@case
def a_copy_is_another(ms):
    x = tensor(ms, 3.0)
    p = ms.Parameter(x, name="p")
    q = ms.Parameter(tensor(ms, 0.0), name="q")
    q.set_data(x)
    n = net(ms)
    copied = ms.Parameter(n.w, name="twin")
    return each(ms, {
        "Parameter of it": lambda: ms.grad(lambda x: x * p)(x),
        "set_data of it": lambda: ms.grad(lambda x: x * q)(x),
        "Parameter of a Parameter": lambda: ms.grad(lambda x: x * n.w * copied, None, n.w)(x),
        "Tensor of it inside": lambda: ms.grad(lambda x: x * ms.Tensor(x))(x),
        "value()": lambda: ms.grad(lambda x: x * n.w.value(), None, n.w)(x),
    })  # fmt: skip


@case
def under_jit(ms):
    x, y, n = tensor(ms, 3.0), tensor(ms, 4.0), net(ms)

    @ms.jit
    def product(x, y):
        return x * x * y

    @ms.jit
    def gradient(x, y):
        return ms.grad(lambda x, y: x * x * y, (0, 1))(x, y)

    @ms.jit
    def of_weights(x):
        return ms.value_and_grad(n, None, n.trainable_params())(x)

    @ms.jit
    def second(x):
        return ms.grad(ms.grad(lambda x: x * x * x))(x)

    return each(ms, {
        "jit inside": lambda: ms.grad(product, (0, 1))(x, y),
        "outside": lambda: gradient(x, y), "weights": lambda: of_weights(x),
        "second": lambda: second(x),
    })  # fmt: skip


@case
def makers_refuse(ms):
    n, x = net(ms), tensor(ms, 3.0)
    return each(ms, {
        "no function": lambda: ms.grad(3)(x), "nothing asked": lambda: ms.grad(n, None)(x),
        "operation without a function": lambda: ms.ops.GradOperation()(3)(x),
    })  # fmt: skip
