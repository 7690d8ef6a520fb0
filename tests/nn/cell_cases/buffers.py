"""Buffers, `state_dict`, `load_state_dict` and their hooks."""

import copy
import pickle

import numpy as np

from tests.case_results import result_or_error
from tests.nn.cell_cases.parameters import each, numbers
from tests.nn.cell_cases.registry import bare, case, kind, leaf, names, parameter


def ones(ms, n=2):
    return ms.Tensor(np.ones(n, np.float32))


def buffered(ms):
    """A cell with a Parameter, a buffer, one that is not kept, and a part with a buffer."""
    net = bare(ms)
    net.w = parameter(ms)
    net.register_buffer("b", ones(ms))
    net.register_buffer("passing", ones(ms), persistent=False)
    net.register_buffer("none", None)
    net.part = bare(ms)
    net.part.register_buffer("inner", ones(ms, 3))
    net.part.v = parameter(ms, name="own")
    return net


@case
def buffers_are_found(ms):
    net = buffered(ms)
    return (
        [n for n, _ in net.named_buffers()], [n for n, _ in net.named_buffers("top")],
        [n for n, _ in net.named_buffers(recurse=False)], len(list(net.buffers())),
        len(list(net.buffers(recurse=False))), kind(net.buffers()), kind(net.named_buffers()),
        names(net), kind(net.b), net.none, len(net.trainable_params()),
    )  # fmt: skip


@case
def get_buffer(ms):
    net = buffered(ms)
    return net.get_buffer("part.inner") is net.part.inner, each(ms, [
        lambda: kind(net.get_buffer("w")), lambda: kind(net.get_buffer("nope")),
        lambda: kind(net.get_buffer("nope.b")), lambda: kind(net.get_buffer("w.b")),
        lambda: kind(net.get_buffer("none")), lambda: kind(net.get_buffer("")),
    ])  # fmt: skip


@case
def get_sub_cell(ms):
    net = buffered(ms)
    return net.get_sub_cell("") is net, net.get_sub_cell("part") is net.part, each(ms, [
        lambda: kind(net.get_sub_cell("nope")), lambda: kind(net.get_sub_cell("w")),
        lambda: kind(net.get_sub_cell("part.x")), lambda: kind(net.get_sub_cell(3)),
    ])  # fmt: skip


@case
def register_buffer_refuses(ms):
    net = leaf(ms)
    net.part = bare(ms)
    net.plain = 3
    return each(ms, [
        lambda: net.register_buffer(3, ones(ms)), lambda: net.register_buffer("a.b", ones(ms)),
        lambda: net.register_buffer("", ones(ms)), lambda: net.register_buffer("w", ones(ms)),
        lambda: net.register_buffer("part", ones(ms)),
        lambda: net.register_buffer("plain", ones(ms)),
        lambda: net.register_buffer("construct", ones(ms)),
        lambda: net.register_buffer("n", 3), lambda: net.register_buffer("n", np.ones(2)),
        lambda: net.register_buffer("n", parameter(ms)),
    ])  # fmt: skip


@case
def a_buffer_registered_again(ms):
    net = buffered(ms)
    net.register_buffer("b", ones(ms, 5))
    net.register_buffer("passing", ones(ms, 5))
    return list(net.b.shape), sorted(net.state_dict())


@case
def set_on_a_buffer(ms):
    net = buffered(ms)
    result = each(ms, [
        lambda: setattr(net, "b", ones(ms)), lambda: setattr(net, "b", 3),
        lambda: setattr(net, "b", bare(ms)), lambda: setattr(net, "b", parameter(ms)),
        lambda: setattr(net, "b", None),
    ])  # fmt: skip
    return result, net.b, [n for n, _ in net.named_buffers()]


@case
def a_buffer_deleted(ms):
    net = buffered(ms)
    del net.b
    return hasattr(net, "b"), [n for n, _ in net.named_buffers()]


@case
def a_buffer_set_elsewhere(ms):
    net, other = buffered(ms), bare(ms)
    other.shared = net.b
    return [n for n, _ in other.named_buffers()]


@case
def one_buffer_twice(ms):
    net = bare(ms)
    b = ones(ms)
    net.register_buffer("a", b)
    net.register_buffer("b", b)
    return (
        [n for n, _ in net.named_buffers()],
        [n for n, _ in net.named_buffers(remove_duplicate=False)],
    )


@case
def a_buffer_in_place(ms):
    net = buffered(ms)
    kept = net.b
    net.b[0] = 5.0
    return numbers(net.b), net.b is kept, [n for n, _ in net.named_buffers()]


@case
def buffers_in_copies(ms):
    net = buffered(ms)
    copied = copy.deepcopy(net)
    copied.b[0] = 9.0
    return (
        numbers(net.b),
        numbers(copied.b),
        [n for n, _ in copied.named_buffers()],
        sorted(copied.state_dict()),
    )


@case
def buffers_in_files(ms):
    copied = pickle.loads(pickle.dumps(buffered(ms)))
    return [n for n, _ in copied.named_buffers()], sorted(copied.state_dict())


@case
def buffers_printed(ms):
    return repr(buffered(ms))


# state ----------------------------------------------------------------------------------------


@case
def state_dict(ms):
    net = buffered(ms)
    state = net.state_dict()
    return (
        list(state), kind(state), [kind(v) for v in state.values()], state["w"] is net.w,
        state["b"] is net.b, list(net.state_dict(prefix="top.")),
        net.state_dict(keep_vars=True)["w"] is net.w,
    )  # fmt: skip


@case
def state_dict_into(ms):
    net, mine = buffered(ms), {}
    return net.state_dict(destination=mine) is mine, sorted(mine)


@case
def state_dict_refuses(ms):
    net = buffered(ms)
    return each(ms, [
        lambda: kind(net.state_dict(destination=[])), lambda: kind(net.state_dict(prefix=3)),
        lambda: kind(net.state_dict(keep_vars=1)),
    ])  # fmt: skip


@case
def state_of_shared_parameters(ms):
    net, w = bare(ms), parameter(ms, name="mine")
    net.a, net.b = leaf(ms), leaf(ms)
    net.b.w = net.a.w
    net.c = w
    return list(net.state_dict())


def zeros_for(net, ms):
    return {k: ms.Tensor(np.zeros(v.shape, np.float32)) for k, v in net.state_dict().items()}


@case
def load_state_dict(ms):
    net = buffered(ms)
    kept = net.w, net.b
    result = net.load_state_dict(zeros_for(net, ms))
    return (
        repr(result), str(result), list(result.missing_keys), list(result.unexpected_keys),
        numbers(net.w), numbers(net.b), numbers(net.part.inner), numbers(net.passing),
        net.w is kept[0], net.b is kept[1],
    )  # fmt: skip


@case
def load_state_dict_partly(ms):
    net = buffered(ms)
    state = zeros_for(net, ms)
    del state["b"]
    state["more"] = ones(ms)
    state["part.more"] = ones(ms)
    strict = result_or_error(lambda _: kind(net.load_state_dict(state)), ms)
    after = numbers(net.w)
    result = net.load_state_dict(state, strict=False)
    return strict, after, repr(result), numbers(net.w), numbers(net.b)


@case
def load_state_dict_refuses(ms):
    net = buffered(ms)
    tries = [{"w": ones(ms, 5)}, {"w": np.ones(2)}, {"w": 3}, {"none": ones(ms)},
             {"passing": ones(ms)}]  # fmt: skip
    result = [
        result_or_error(lambda _, t=t: kind(net.load_state_dict({**zeros_for(net, ms), **t})), ms)
        for t in tries
    ]
    return result, each(ms, [
        lambda: net.load_state_dict([]),
        lambda: net.load_state_dict({"w": ones(ms, 5)}, strict=False),
    ])  # fmt: skip


@case
def load_state_dict_of_other_dtypes(ms):
    net = leaf(ms)
    net.load_state_dict({"w": ms.Tensor([3, 4])})
    first = numbers(net.w), str(net.w.dtype)
    net.load_state_dict({"w": ms.Tensor(np.array([1.5, 2.5]))})
    return first, numbers(net.w), str(net.w.dtype)


@case
def state_dict_hooks(ms):
    net, seen = buffered(ms), []
    pre = net.register_state_dict_pre_hook(lambda *a: seen.append(["pre", a[0] is net, *a[1:]]))

    def after(cell, state, prefix, local_metadata):
        seen.append(["post", cell is net, sorted(state), prefix, kind(local_metadata)])
        state["extra"] = 3

    post = net.register_state_dict_post_hook(after)
    result = "extra" in net.state_dict(prefix="p.")
    pre.remove()
    post.remove()
    return seen, result, "extra" in net.state_dict(), kind(pre)


@case
def state_dict_hook_that_returns(ms):
    net = buffered(ms)
    net.register_state_dict_post_hook(lambda *a: 3)
    return kind(net.state_dict())


@case
def load_state_dict_hooks(ms):
    net, seen = buffered(ms), []

    def before(cell, state, prefix, local_metadata, strict, missing, unexpected, errors):
        seen.append(["pre", cell is net.part, sorted(state), prefix, kind(local_metadata), strict,
                     list(missing), list(unexpected), list(errors)])  # fmt: skip

    def after(cell, keys):
        seen.append(["post", cell is net, list(keys.missing_keys), list(keys.unexpected_keys)])
        keys.missing_keys.clear()

    net.part.register_load_state_dict_pre_hook(before)
    handle = net.register_load_state_dict_post_hook(after)
    state = zeros_for(net, ms)
    del state["b"]
    result = repr(net.load_state_dict(state))
    handle.remove()
    return seen, result, result_or_error(lambda _: kind(net.load_state_dict(state)), ms)


@case
def load_state_dict_hook_that_returns(ms):
    net = buffered(ms)
    net.register_load_state_dict_post_hook(lambda *a: 3)
    return kind(net.load_state_dict(net.state_dict()))


@case
def extra_state(ms):
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.w, self.seen = parameter(ms), []

        def get_extra_state(self):
            return {"n": 3}

        def set_extra_state(self, state):
            self.seen.append(state)

    outer = bare(ms)
    outer.net = Net()
    state = outer.state_dict()
    outer.load_state_dict(state)
    short = dict(state)
    del short["net._extra_state"]
    plain = leaf(ms)
    return (
        list(state), outer.net.seen,
        result_or_error(lambda _: kind(outer.load_state_dict(short)), ms),
        result_or_error(lambda _: plain.get_extra_state(), ms),
        result_or_error(lambda _: plain.set_extra_state(3), ms),
        result_or_error(
            lambda _: kind(plain.load_state_dict({"w": plain.w, "_extra_state": 3})), ms
        ),
    )  # fmt: skip


@case
def extra_state_on_one_side(ms):
    class Net(ms.nn.Cell):
        def get_extra_state(self):
            return 3

    net = Net()
    return list(net.state_dict()), result_or_error(
        lambda _: kind(net.load_state_dict(net.state_dict())), ms
    )


# conversion -----------------------------------------------------------------------------------


def dtypes_of(net):
    tensors = [*net.get_parameters(), *net.buffers()]
    return [str(t.dtype) for t in tensors]


def mixed(ms):
    net = buffered(ms)
    net.n = ms.Parameter(ms.Tensor([1, 2]), name="n")
    net.part.register_buffer("count", ms.Tensor([3]))
    return net


@case
def to_a_dtype(ms):
    net = mixed(ms)
    kept = net.w
    same = net.to(ms.dtype.float16) is net
    return same, dtypes_of(net), net.w is kept, net.w.name


@case
def to_refuses(ms):
    net, f = mixed(ms), ms.dtype
    return each(ms, [
        lambda: kind(net.to(f.int32)), lambda: kind(net.to("nowhere")), lambda: kind(net.to(3)),
        lambda: kind(net.to()), lambda: kind(net.to(f.bool_)), lambda: kind(net.to("CPU")),
        lambda: kind(net.to(dtype=f.float16, device="CPU")), lambda: dtypes_of(net),
        lambda: kind(net.to(ms.Tensor([1.0]))), lambda: dtypes_of(net),
        lambda: kind(net.to(f.float64, non_blocking=True)), lambda: dtypes_of(net),
        lambda: kind(net.to(None)), lambda: kind(net.to("CPU", f.float16)),
        lambda: kind(net.to(f.float16, copy=True)),
    ])  # fmt: skip


@case
def to_empty(ms):
    net = mixed(ms)
    kept = net.w
    return (net.to_empty() is net, dtypes_of(net), net.w is kept, list(net.w.shape),
            kind(net.to_empty(device="CPU", recurse=False)))  # fmt: skip


# smaller things -------------------------------------------------------------------------------


@case
def parameters_broadcast_dict(ms):
    net = mixed(ms)
    net.w.layerwise_parallel = True
    result = net.parameters_broadcast_dict()
    return (
        list(result),
        kind(result),
        list(net.parameters_broadcast_dict(recurse=False)),
        bare(ms).parameters_broadcast_dict(),
    )


@case
def set_boost(ms):
    net = mixed(ms)
    return net.set_boost("less_bn") is net, result_or_error(lambda _: kind(net.set_boost("x")), ms)


@case
def offload_refuses(ms):
    return each(ms, [lambda: bare(ms).offload(-1), lambda: bare(ms).offload("now"),
                     lambda: bare(ms).offload(1.5)])  # fmt: skip


@case
def update_parameters_name_refuses(ms):
    net = leaf(ms)
    return each(ms, [lambda n=n: net.update_parameters_name(n) or names(net)
                     for n in ("a.", "", None, 3, "a b", "a/b")])  # fmt: skip
