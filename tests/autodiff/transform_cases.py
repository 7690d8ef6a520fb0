"""Results of `vmap`, `jvp`, `vjp`, `jacfwd` and `jacrev`, as small cases; see `grad_cases`.

The functions are on separate lines, since MindSpore reads their source.
"""

from tests.autodiff.grad_cases import each, net, tensor

CASES = {}


def case(run_case):
    CASES[run_case.__name__] = run_case
    return run_case


def double(a):
    return a * 2


def product(a, b):
    return a * b


def both_doubled(a, b):
    return a * 2, b * 2


def with_itself(a):
    return a * 2, a


def with_number(a):
    return a * 2, 3.0


def with_integer(a):
    return a * 2, 3


def nested(a):
    return (a * 2, a), a


def of_pair(pair):
    return pair[0] * pair[1]


def of_pair_and_more(pair, b):
    return pair[0] * pair[1] + b


def summed(a):
    return (a * a).sum()


def cube(a):
    return a**3


def cube_and_itself(a):
    return a**3, a


def cube_and_two(a):
    return a**3, a, a * 2


def one_in_tuple(a):
    return (a**3,)


def in_list(a):
    return [a**3, a]


def square_times(a, b):
    return a**2 * b


def two_of_two(a, b):
    return a**2, a * b


def matrix(ms):
    return tensor(ms, [0.0, 1.0, 2.0], [3.0, 4.0, 5.0])


@case
def vmap_axes(ms):
    x, y = matrix(ms), tensor(ms, 0.0, 1.0, 2.0)
    return each(ms, {
        "default": lambda: ms.vmap(double)(x),
        "last": lambda: ms.vmap(double, -1, -1)(x),
        "last to first": lambda: ms.vmap(double, -1, 0)(x),
        "second to first": lambda: ms.vmap(double, 1, 0)(x),
        "whole": lambda: ms.vmap(product, (0, None))(x, y),
        "in a list": lambda: ms.vmap(product, [0, None])(x, y),
        "a number": lambda: ms.vmap(product)(x, 2.0),
        "a whole number": lambda: ms.vmap(product, (0, None))(x, 2.0),
        "none": lambda: ms.vmap(double, None)(x),
        "all none": lambda: ms.vmap(double, (None,))(x),
        "too few": lambda: ms.vmap(product, (0,))(x, x),
        "other sizes": lambda: ms.vmap(product, (0, 0))(x, y),
        "out of range": lambda: ms.vmap(double, 3)(x),
        "text": lambda: ms.vmap(double, "0")(x),
        "float": lambda: ms.vmap(double, (0.5,))(x),
        "no function": lambda: ms.vmap(3)(x),
        "no dimension": lambda: ms.vmap(double)(tensor(ms, 1.0)[0]),
        "pair": lambda: ms.vmap(of_pair)((x, x)),
        "nested": lambda: ms.vmap(of_pair_and_more, ((0, None), 0))((x, y), x),
    })  # fmt: skip


@case
def vmap_results(ms):
    x, y = matrix(ms), tensor(ms, 0.0, 1.0, 2.0)
    return each(ms, {
        "out of range": lambda: ms.vmap(double, 0, 5)(x),
        "none": lambda: ms.vmap(double, 0, None)(x),
        "none for what is the same": lambda: ms.vmap(both_doubled, (0, None), (0, None))(x, y),
        "what is the same spread": lambda: ms.vmap(both_doubled, (0, None), (0, 1))(x, y),
        "too few": lambda: ms.vmap(with_itself, 0, (0,))(x),
        "two axes": lambda: ms.vmap(with_itself, 0, (0, 1))(x),
        "number": lambda: ms.vmap(with_number)(x),
        "integer": lambda: ms.vmap(with_integer)(x),
        "nested": lambda: ms.vmap(nested)(x),
        "scalar": lambda: ms.vmap(summed)(x),
        "list": lambda: ms.vmap(in_list)(x),
    })  # fmt: skip


@case
def vmap_with_others(ms):
    x, y, n = matrix(ms), tensor(ms, 0.0, 1.0, 2.0), net(ms)

    def rows(a):
        return ms.vmap(summed)(a).sum()

    def outer(a, b):
        return ms.vmap(product, (None, 0))(a, b)

    return each(ms, {
        "of grad": lambda: ms.vmap(ms.grad(summed))(x),
        "in grad": lambda: ms.grad(rows)(x),
        "of vmap": lambda: ms.vmap(ms.vmap(double))(x),
        "table": lambda: ms.vmap(outer, (0, None))(y, y),
        "cell": lambda: ms.vmap(n)(x),
    })  # fmt: skip


@case
def jvp(ms):
    x, v, one = tensor(ms, 1.0, 2.0), tensor(ms, 1.0, 3.0), tensor(ms, 1.0)
    return each(ms, {
        "one": lambda: ms.jvp(cube, x, v),
        "list": lambda: ms.jvp(product, [x, x], [v, v]),
        "tuple": lambda: ms.jvp(square_times, (x, v), (v, x)),
        "in a tuple": lambda: ms.jvp(cube, (x,), (v,)),
        "two results": lambda: ms.jvp(cube_and_itself, x, v),
        "one in a tuple": lambda: ms.jvp(one_in_tuple, x, v),
        "aux": lambda: ms.jvp(cube_and_itself, x, v, True),
        "aux of two": lambda: ms.jvp(cube_and_two, x, v, has_aux=True),
        "no aux": lambda: ms.jvp(cube, x, v, has_aux=True),
        "aux is no bool": lambda: ms.jvp(cube, x, v, has_aux=1),
        "too few": lambda: ms.jvp(product, (x, x), (v,)),
        "other shape": lambda: ms.jvp(cube, x, one),
        "other dtype": lambda: ms.jvp(cube, x, v.astype(ms.dtype.int32)),
        "number": lambda: ms.jvp(cube, 1.0, 1.0),
        "cell": lambda: ms.jvp(net(ms), x, v),
    })  # fmt: skip


@case
def vjp(ms):
    x, y, v, n = tensor(ms, 1.0, 2.0), tensor(ms, 5.0, 6.0), tensor(ms, 1.0, 3.0), net(ms)

    def pulled(fn, *inputs, by=(v,), **options):
        value, pull, *aux = ms.vjp(fn, *inputs, **options)
        return value, pull(*by), *aux

    return each(ms, {
        "one": lambda: pulled(cube, x),
        "two": lambda: pulled(square_times, x, y),
        "two results": lambda: pulled(cube_and_itself, x, by=(v, v)),
        "two results in a tuple": lambda: pulled(cube_and_itself, x, by=((v, v),)),
        "aux": lambda: pulled(cube_and_itself, x, has_aux=True),
        "aux of two": lambda: pulled(cube_and_two, x, has_aux=True),
        "no aux": lambda: pulled(cube, x, has_aux=True),
        "weights": lambda: pulled(n, x, weights=n.trainable_params()),
        "one weight": lambda: pulled(n, x, weights=n.w),
        "other shape": lambda: pulled(cube, x, by=(tensor(ms, 1.0, 2.0, 3.0),)),
        "number": lambda: pulled(cube, 1.0),
    })  # fmt: skip


def _jacobians(ms, make):
    x, y = tensor(ms, 1.0, 2.0), tensor(ms, 5.0, 6.0)
    return each(ms, {
        "one": lambda: make(cube)(x),
        "two inputs": lambda: make(square_times)(x, y),
        "both": lambda: make(square_times, (0, 1))(x, y),
        "in a tuple": lambda: make(square_times, (0,))(x, y),
        "second": lambda: make(square_times, 1)(x, y),
        "two results": lambda: make(cube_and_itself)(x),
        "two of two": lambda: make(two_of_two, (0, 1))(x, y),
        "two of one in a tuple": lambda: make(two_of_two, (0,))(x, y),
        "aux": lambda: make(cube_and_itself, has_aux=True)(x),
        "aux of two": lambda: make(cube_and_two, has_aux=True)(x),
        "no aux": lambda: make(cube, has_aux=True)(x),
        "aux is no bool": lambda: make(cube, has_aux=1)(x),
        "negative": lambda: make(cube, -1)(x),
        "too high": lambda: make(cube, 1)(x),
        "twice": lambda: make(square_times, (0, 0))(x, y),
        "list": lambda: make(square_times, [0, 1])(x, y),
        "scalar": lambda: make(summed)(x),
        "matrix": lambda: make(cube)(matrix(ms)),
        "nested": lambda: make(make(cube))(x),
        "cell": lambda: make(net(ms))(x),
        "half": lambda: make(cube)(x.astype(ms.dtype.float16)),
    })  # fmt: skip


@case
def jacfwd(ms):
    return _jacobians(ms, ms.jacfwd)


@case
def jacrev(ms):
    return _jacobians(ms, ms.jacrev)
