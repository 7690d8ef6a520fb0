"""Parameters by themselves: contents, laziness, tuples."""

import copy
import pickle

import numpy as np

from tests.case_results import result_or_error
from tests.nn.cell_cases.registry import bare, case, kind, parameter


def each(ms, actions):
    """The results of several actions."""
    return [result_or_error(lambda _, a=a: a(), ms) for a in actions]


def numbers(tensor):
    return tensor.asnumpy().tolist()


# contents -------------------------------------------------------------------------------------


@case
def index_assignment(ms):
    p = parameter(ms)
    same = p
    p[0] = 5.0
    first = numbers(p)
    p[:] = ms.Tensor(np.array([1.0, 2.0], np.float32))
    return first, numbers(p), p is same, kind(p)


@case
def index_assignment_in_a_cell(ms):
    net = bare(ms)
    net.w = parameter(ms)
    kept = net.w
    net.w[1] = 7
    return numbers(net.w), net.w is kept, net.w.name


@case
def set_data_answers(ms):
    p = parameter(ms, name="p")
    return p.set_data(ms.Tensor([3, 4])) is p, numbers(p), str(p.dtype)


@case
def set_data_takes(ms):
    whole = ms.Parameter(ms.Tensor([1, 2]), name="whole")
    return each(ms, [
        lambda: numbers(ms.Parameter(1.0).set_data(2)),
        lambda: numbers(ms.Parameter(1.0).set_data(2.5)),
        lambda: numbers(ms.Parameter(1).set_data(2)),
        lambda: numbers(ms.Parameter(1).set_data(2.5)),
        lambda: numbers(parameter(ms).set_data([1.0, 2.0])),
        lambda: numbers(parameter(ms).set_data(np.zeros(2, np.float32))),
        lambda: numbers(parameter(ms).set_data("zeros")),
        lambda: numbers(parameter(ms).set_data(None)),
        lambda: numbers(parameter(ms).set_data(parameter(ms))),
        lambda: numbers(parameter(ms).set_data(ms.Tensor([1, 2]))),
        lambda: numbers(whole.set_data(ms.Tensor([True, False]))),
    ])  # fmt: skip


@case
def set_data_with_slice_shape(ms):
    p = parameter(ms)
    p.set_data(ms.Tensor(np.ones(3, np.float32)), slice_shape=True)
    return list(p.shape), p.sliced


@case
def data_attribute(ms):
    p = parameter(ms)
    p.data = ms.Tensor(np.zeros(2, np.float32))
    return numbers(p), numbers(p.data), kind(p.value())


@case
def assigned(ms):
    p = parameter(ms)
    result = numbers(ms.ops.assign(p, ms.Tensor(np.array([3.0, 4.0], np.float32))))
    ms.ops.Assign()(p, ms.Tensor(np.array([5.0, 6.0], np.float32)))
    return result, numbers(p)


@case
def assigned_under_jit(ms):
    p = parameter(ms)

    @ms.jit
    def change(value):
        ms.ops.assign(p, value)
        return p + 1

    y = change(ms.Tensor(np.array([3.0, 4.0], np.float32)))
    return numbers(y), numbers(p)


@case
def assigned_other_dtypes(ms):
    whole = lambda: ms.Parameter(ms.Tensor([1, 2]), name="whole")  # noqa: E731
    return each(ms, [
        lambda: numbers(ms.ops.assign(parameter(ms), ms.Tensor([3, 4]))),
        lambda: numbers(ms.ops.assign(whole(), ms.Tensor([True, False]))),
        lambda: numbers(ms.ops.assign(parameter(ms), ms.Tensor(np.ones(2)))),
        lambda: numbers(ms.ops.assign(whole(), ms.Tensor([1.5, 2.5]))),
    ])  # fmt: skip


@case
def assigned_other_shapes(ms):
    return each(ms, [
        lambda: numbers(ms.ops.assign(parameter(ms), ms.Tensor(np.ones(3, np.float32)))),
        lambda: numbers(ms.ops.assign(parameter(ms), ms.Tensor(np.ones((2, 2), np.float32)))),
    ])  # fmt: skip


@case
def parameter_made_of(ms):
    return each(ms, [
        lambda: str(ms.Parameter(1).dtype), lambda: str(ms.Parameter(1.5).dtype),
        lambda: str(ms.Parameter(np.ones(2)).dtype), lambda: str(ms.Parameter([1.0, 2]).dtype),
        lambda: str(ms.Parameter(True).dtype), lambda: str(ms.Parameter("ones").dtype),
        lambda: str(ms.Parameter(None).dtype), lambda: str(ms.Parameter((1.0, 2.0)).dtype),
        lambda: str(ms.Parameter(ms.init.Normal()).dtype),
    ])  # fmt: skip


@case
def copies_of_a_parameter(ms):
    p = parameter(ms, name="p", requires_grad=False)
    built = [p.clone(), p.copy(), copy.copy(p), copy.deepcopy(p), pickle.loads(pickle.dumps(p))]
    p.set_data(ms.Tensor(np.zeros(2, np.float32)))
    return [[q.name, q.requires_grad, numbers(q), kind(q)] for q in built]


@case
def clones(ms):
    p = parameter(ms, name="p")
    return each(ms, [
        lambda: numbers(p.clone("zeros")), lambda: numbers(p.clone(3)), lambda: p.clone(3).has_init,
        lambda: numbers(p.clone(ms.Tensor([5.0, 6.0], ms.dtype.float32))),
        lambda: numbers(p.clone("nothing")),
    ])  # fmt: skip


# laziness -------------------------------------------------------------------------------------


def lazy(ms):
    return ms.init.initializer("ones", [2, 3], ms.dtype.float32)


@case
def an_initializer_is_lazy(ms):
    x = lazy(ms)
    built = ms.Tensor(shape=(2,), dtype=ms.dtype.float32, init=ms.init.One())
    return x.has_init, kind(x.init), built.has_init, list(x.shape), str(x.dtype), x.size, len(x)


@case
def what_is_not_lazy(ms):
    p = ms.Parameter(lazy(ms), name="p")
    x = lazy(ms)
    ms.Parameter(x)
    return (
        p.has_init, p.init, kind(p.init_data()), p.init_data() is p, x.has_init,
        ms.Tensor([1.0]).has_init, ms.init.initializer(ms.Tensor([1.0]), [1]).has_init,
        ms.nn.Dense(2, 2).weight.has_init, numbers(p + 1),
    )  # fmt: skip


@case
def init_data_once(ms):
    x = lazy(ms)
    same = x.init_data() is x
    return (
        same,
        x.has_init,
        x.init,
        result_or_error(lambda _: kind(x.init_data()), ms),
        numbers(x + 1),
    )


@case
def init_data_of_a_full_tensor(ms):
    return each(ms, [lambda: kind(ms.Tensor([1.0]).init_data()),
                     lambda: kind(parameter(ms).init_data())])  # fmt: skip


@case
def computing_with_what_is_lazy(ms):
    return each(ms, [
        lambda: kind(lazy(ms) + 1), lambda: kind(1 - lazy(ms)), lambda: kind(ms.ops.relu(lazy(ms))),
        lambda: kind(lazy(ms)[0]), lambda: kind(lazy(ms) == 1), lambda: kind(lazy(ms).sum()),
        lambda: kind(ms.ops.reshape(lazy(ms), (6,))),
    ])  # fmt: skip


@case
def numbers_of_what_is_lazy(ms):
    x = lazy(ms)
    return numbers(x), x.has_init, result_or_error(lambda _: kind(x.init_data()), ms)


@case
def set_data_to_what_is_lazy(ms):
    p = ms.Parameter(ms.Tensor(np.zeros((2, 3), np.float32)), name="p")
    x = lazy(ms)
    p.set_data(x)
    return numbers(p), p.has_init, x.has_init


@case
def set_data_to_what_is_lazy_of_another_dtype(ms):
    p = ms.Parameter(ms.Tensor(np.zeros((2, 3), np.float16)), name="p")
    p.set_data(lazy(ms))
    return numbers(p), str(p.dtype)


@case
def init_data_of_part(ms):
    x = ms.init.initializer("ones", [4, 3], ms.dtype.float32)
    return list(x.init_data(0, (2, 3)).shape)


@case
def copies_of_what_is_lazy(ms):
    return each(ms, [
        lambda: [copy.deepcopy(lazy(ms)).has_init, numbers(copy.deepcopy(lazy(ms)))],
        lambda: [copy.copy(lazy(ms)).has_init, numbers(copy.copy(lazy(ms)))],
        lambda: numbers(ms.Tensor(lazy(ms))),
        lambda: numbers(pickle.loads(pickle.dumps(lazy(ms)))),
    ])  # fmt: skip


@case
def a_lazy_attribute(ms):
    net = bare(ms)
    net.w = lazy(ms)
    return net.w.has_init, kind(net.w)


# tuples ---------------------------------------------------------------------------------------


def three(ms):
    return ms.ParameterTuple((
        ms.Parameter(ms.Tensor(np.arange(6).reshape(2, 3)), name="x"),
        ms.Parameter(ms.init.initializer("ones", [1, 2, 3], ms.dtype.float32), name="y"),
        ms.Parameter(2.0, name="z"),
    ))  # fmt: skip


@case
def tuple_printed(ms):
    params = three(ms)
    return str(params), repr(params.clone("copy")), kind(params.clone("copy"))


@case
def tuple_cloned(ms):
    params = three(ms)
    built = params.clone("m", "zeros")
    built[2].set_data(5.0)
    return [numbers(p) for p in built], numbers(params[2]), [p.requires_grad for p in built]


@case
def tuple_clone_refuses(ms):
    params = three(ms)
    return each(ms, [
        lambda: params.clone("a.b")[0].name, lambda: params.clone("")[0].name,
        lambda: params.clone(3)[0].name, lambda: params.clone("x y")[0].name,
        lambda: params.clone("a/b-c|d")[0].name,
        lambda: params.clone("a", "nothing")[0].name,
    ])  # fmt: skip


@case
def tuple_parts(ms):
    params = three(ms)
    return (kind(params[:2]), kind(params + params[:0]), len(params), params[0] in params,
            kind(ms.ParameterTuple([])), kind(ms.ParameterTuple(iter(params))))  # fmt: skip


@case
def requires_grad_is_a_flag(ms):
    p = parameter(ms, name="p")
    p.requires_grad = False
    return p.requires_grad, result_or_error(lambda _: setattr(p, "requires_grad", 1), ms)


@case
def names_refused(ms):
    p = parameter(ms)
    return each(ms, [
        lambda n=n: setattr(p, "name", n) or p.name.rstrip("0123456789")
        for n in ("ok", " a b ", "", 3)
    ])  # fmt: skip
