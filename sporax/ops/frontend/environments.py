"""`J`, and environments, which hold a function's gradients with respect to its free variables."""

from typing import Any

from sporax._src.core.cell_tree import is_cell, parameters
from sporax._src.core.parameter import Parameter
from sporax._src.core.tree import map_tensors
from sporax._src.diagnosis.rules import require
from sporax._src.transforms import autodiff
from sporax.ops.declare import composite
from sporax.ops.shape.creation import ones_like, zeros_like


class SymbolicKey:
    """The key of a value, or of a Parameter, in an `Environment`; keys of one object are equal."""

    def __init__(self, node):
        self.node = node

    def __eq__(self, other):
        return isinstance(other, SymbolicKey) and self.node is other.node

    def __hash__(self):
        return id(self.node)


class Environment(dict):
    """A dict of keys and gradients that is not mutated: each function creates another."""


def _check(who, env):
    require(isinstance(env, Environment), "what-environ-create-gives", who, env=env)


@composite()
def embed(x) -> SymbolicKey:
    """Return the key of a value in environments.

    >>> x = Tensor([1.0])
    >>> ops.embed(x) == ops.embed(x)
    True
    """
    return SymbolicKey(x)


@composite()
def ref_to_embed(x) -> SymbolicKey:
    """Return the key of a Parameter in environments.

    >>> p = Parameter(Tensor([1.0]))
    >>> ops.ref_to_embed(p) == ops.ref_to_embed(p)
    True
    """
    require(isinstance(x, Parameter), "parameter-cell-member", "ref_to_embed", x=x)
    return SymbolicKey(x)


@composite()
def environ_create() -> Environment:
    """Return an empty environment.

    >>> ops.environ_get(ops.environ_create(), "a", 3)
    3
    """
    return Environment()


@composite()
def environ_set(env, key, value) -> Environment:
    """Return the environment with `value` at `key`.

    >>> ops.environ_get(ops.environ_set(ops.environ_create(), "a", 5), "a", 3)
    5
    """
    _check("environ_set", env)
    return Environment({**env, key: value})


@composite()
def environ_get(env, key, default) -> Any:
    """Return the environment's value at `key`, or `default`.

    >>> ops.environ_get(ops.environ_create(), "a", 3)
    3
    """
    _check("environ_get", env)
    return env.get(key, default)


@composite()
def environ_add(x, y) -> Environment:
    """Merge two environments, adding the values of keys that both have.

    >>> one = ops.environ_set(ops.environ_create(), "a", 5)
    >>> ops.environ_get(ops.environ_add(one, one), "a", 0)
    10
    """
    _check("environ_add", x)
    _check("environ_add", y)
    return Environment({**x, **{k: x[k] + v if k in x else v for k, v in y.items()}})


@composite()
def env_get(env, parameter):
    """Return the gradient of a Parameter in an environment, zeros if there is none.

    >>> ops.env_get(ops.environ_create(), Parameter(Tensor([1.0]))).asnumpy()
    array([0.], dtype=float32)
    """
    return environ_get(env, ref_to_embed(parameter), zeros_like(parameter))


@composite(function="J(fn)")
def transformed(fn) -> Any:
    """Return a function that computes `fn`'s value and its pullback: `J(fn)(x) = (fn(x), back)`.

    `back(sens)` returns an environment (gradients of a Cell's Parameters, see `env_get`), then the
    gradient of each input.

    >>> y, back = ops.J(lambda x: x * x)(Tensor([3.0]))
    >>> back(Tensor([1.0]))[1].asnumpy()
    array([6.], dtype=float32)
    """
    weights = [p for _, p in parameters(fn) if p.requires_grad] if is_cell(fn) else []

    def with_pullback(*inputs):
        result, pull = autodiff.vjp(fn, *inputs, weights=weights or None)

        def back(sens):
            seeds = sens if isinstance(sens, tuple) else (sens,)
            gradients = pull(*seeds)
            by_input, by_weight = gradients if weights else (gradients, ())
            entries = zip(map(SymbolicKey, weights), by_weight, strict=True)
            return Environment(entries), *by_input

        return result, back

    return with_pullback


@composite()
def _ones_like_for_grad(x) -> Any:
    """Replace Tensors and Python numbers by ones: the initial gradient.

    >>> ops._ones_like_for_grad((Tensor([3.0]), 5))[1]
    1
    """
    return map_tensors(ones_like, x, lambda item: type(item)(1) if _is_number(item) else item)


def _is_number(item):
    return isinstance(item, int | float) and not isinstance(item, bool)


@composite()
def recompute_block(block) -> Any:
    """Return the block as a function whose derivative recomputes it; see `recompute`.

    >>> grad(ops.recompute_block(lambda x: x * x))(Tensor([3.0])).asnumpy()
    array([6.], dtype=float32)
    """

    def recomputed(*args, **kwargs):
        return autodiff.recompute(block, *args, **kwargs)

    return recomputed
