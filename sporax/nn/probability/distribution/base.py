"""`Distribution`, the base class."""

from typing import Any

import numpy as np

from sporax import ops
from sporax._src.core.dtype import float32, to_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.nn.cell import Cell
from sporax.nn.layer_inputs import TENSOR
from sporax.nn.probability.parameter_checks import check_numbers
from sporax.ops.random.draws import next_key, sizes, source_of

_RULES = {
    "any": kinds.NUMBER, "positive": kinds.POSITIVE, "share": kinds.FRACTION,
    "chance": kinds.INSIDE_ONE,
}  # fmt: skip


def _rest(x):
    return 1 - x


def _log_rest(x):
    return ops.log1p(-x)


def _rest_of_exp(x):
    return -ops.expm1(x)


def _log_rest_of_exp(x):
    return ops.log1p(-ops.exp(x))


# derived method -> [(method it is computed from, how)]
_FOLLOWS = {
    "prob": [("log_prob", ops.exp)],
    "log_prob": [("prob", ops.log)],
    "sd": [("var", ops.sqrt)],
    "var": [("sd", ops.square)],
    "cdf": [("log_cdf", ops.exp), ("survival_function", _rest), ("log_survival", _rest_of_exp)],
    "survival_function": [("log_survival", ops.exp), ("cdf", _rest), ("log_cdf", _rest_of_exp)],
    "log_cdf": [
        ("cdf", ops.log), ("survival_function", _log_rest), ("log_survival", _log_rest_of_exp)
    ],
    "log_survival": [
        ("survival_function", ops.log), ("cdf", _log_rest), ("log_cdf", _log_rest_of_exp)
    ],
}  # fmt: skip


class Distribution(Cell):
    """Base class of all distributions.

    A subclass lists its parameters in `RULES` (with their constraints) and defines some of
    `_log_prob(value, *parameters)`, `_prob`, `_cdf`, `_survival_function`, `_mean(*parameters)`,
    `_mode`, `_sd`, `_var`, `_entropy`, `_kl(*others, *parameters)` and
    `_sample(key, shape, *parameters)`; methods that follow from these are derived.

    `param`: the parameters by name: scalars, lists, arrays, Tensors, or None to be passed in each
    call. Every method accepts other parameters after its own arguments or by name. `seed`: 0 uses
    `set_seed`. `dtype`: of the samples.

    >>> nn.probability.distribution.Normal(0.0, 1.0).log_prob(Tensor([0.0])).asnumpy().round(4)
    array([-0.9189], dtype=float32)
    """

    RULES: tuple[tuple[str, str], ...] = ()  # (name, rule) of each parameter
    INTEGERS = False  # True if samples are integers

    def __init__(self, seed, dtype, name, param):
        super().__init__()
        seed = 0 if seed is None else seed
        require(kinds.COUNT.accepts(seed), "int-at-least", name, seed=seed, n=0)
        kind = to_numpy(dtype).kind
        fits = kind in ("iufV" if self.INTEGERS else "fV")
        require(fits, "must-be-type", name, dtype=dtype, kind="a-floating-dtype")
        self.name, self.seed, self.dtype = name, seed, dtype
        self.parameter_type = float32 if kind in "iu" else dtype
        self.parameters = dict(param)
        self.parameter_names = [n for n, _ in self.RULES]
        self.default_parameters: list[Any] = [
            None if param[n] is None else self._parameter(n, param[n], rule)
            for n, rule in self.RULES
        ]

    def _parameter(self, name, value, rule):
        tensor = value if isinstance(value, Tensor) else Tensor(value, self.parameter_type)
        check_numbers(self.name, _RULES[rule], name, value, tensor)
        return ops.cast(tensor, self.parameter_type)

    @property
    def is_scalar_batch(self):
        """True if all parameters are scalars."""
        return all(isinstance(v, (int, float, type(None))) for v in self.parameters.values())

    @property
    def batch_shape(self):
        """Broadcast shape of the parameters; None if one of them is None."""
        if any(p is None for p in self.default_parameters):
            return None
        return tuple(np.broadcast_shapes(*[p.shape for p in self.default_parameters]))

    broadcast_shape = batch_shape

    def get_dist_type(self):
        """Return the name of the distribution class."""
        return type(self).__name__

    def get_dist_args(self, *args, **kwargs):
        """Return the parameters as Tensors; overrides are given in order or by name."""
        if len(args) > len(self.RULES) or set(kwargs) - set(self.parameter_names):
            fields = {"names": self.parameter_names, "got": len(args), "named": [*kwargs]}
            raise rejection("parameters-of-distribution", self.name, **fields)
        arguments = dict(zip(self.parameter_names, args, strict=False)) | kwargs
        values = []
        for name, default in zip(self.parameter_names, self.default_parameters, strict=True):
            value = arguments.get(name)
            value = default if value is None else value
            given = isinstance(value, Tensor)
            require(given, "tensor-parameter", self.name, argument=name, got=value)
            values.append(ops.cast(value, self.parameter_type))
        return tuple(values)

    # what is computed -----------------------------------------------------------------------

    def _find(self, what):
        """Return the method that computes `what`, directly or derived from another."""
        direct = getattr(self, f"_{what}", None)
        if direct is not None:
            return direct
        for source, how in _FOLLOWS.get(what, ()):
            method = getattr(self, f"_{source}", None)
            if method is not None:
                return lambda *arguments, how=how, method=method: how(method(*arguments))
        raise rejection("not-defined", self.name, argument=what)

    def _at(self, what, value, args, kwargs):
        TENSOR(self.name, value=value)
        parameters = self.get_dist_args(*args, **kwargs)
        return self._find(what)(ops.cast(value, self.parameter_type), *parameters)

    def prob(self, value, *args, **kwargs):
        """Return the density, or probability, at `value`."""
        return self._at("prob", value, args, kwargs)

    def log_prob(self, value, *args, **kwargs):
        """Return the log of `prob`."""
        return self._at("log_prob", value, args, kwargs)

    def cdf(self, value, *args, **kwargs):
        """Return the probability of at most `value`."""
        return self._at("cdf", value, args, kwargs)

    def log_cdf(self, value, *args, **kwargs):
        """Return the log of `cdf`."""
        return self._at("log_cdf", value, args, kwargs)

    def survival_function(self, value, *args, **kwargs):
        """Return the probability of more than `value`."""
        return self._at("survival_function", value, args, kwargs)

    def log_survival(self, value, *args, **kwargs):
        """Return the log of `survival_function`."""
        return self._at("log_survival", value, args, kwargs)

    def mean(self, *args, **kwargs):
        """Return the mean."""
        return self._find("mean")(*self.get_dist_args(*args, **kwargs))

    def mode(self, *args, **kwargs):
        """Return the mode, the point of largest density or probability."""
        return self._find("mode")(*self.get_dist_args(*args, **kwargs))

    def sd(self, *args, **kwargs):
        """Return the standard deviation."""
        return self._find("sd")(*self.get_dist_args(*args, **kwargs))

    def var(self, *args, **kwargs):
        """Return the variance."""
        return self._find("var")(*self.get_dist_args(*args, **kwargs))

    def entropy(self, *args, **kwargs):
        r"""$-E[\ln p]$."""
        return self._find("entropy")(*self.get_dist_args(*args, **kwargs))

    def kl_loss(self, dist, *args, **kwargs):
        r"""KL divergence $E[\ln p - \ln q]$, with q of the same class.

        `dist`: the class name. Then the parameters of q (by name with suffix `_b`), then, if they
        differ from this distribution's, the parameters of p.
        """
        wanted = self.get_dist_type()
        require(dist == wanted, "must-equal", self.name, dist=dist, value=wanted)
        count = len(self.RULES)
        others = {n: kwargs.pop(f"{n}_b") for n in self.parameter_names if f"{n}_b" in kwargs}
        if not others and len(args) < count:
            wanted = [f"{n}_b" for n in self.parameter_names]
            raise rejection("given-parameters", self.name, kl_loss=len(args), wanted=wanted)
        first, remaining = ((), args) if others else (args[:count], args[count:])
        others = self.get_dist_args(*first, **others)
        return self._find("kl")(*others, *self.get_dist_args(*remaining, **kwargs))

    def cross_entropy(self, dist, *args, **kwargs):
        r"""$-E[\ln q]$; arguments: see `kl_loss`."""
        divergence = self.kl_loss(dist, *args, **kwargs)
        own = {n: v for n, v in kwargs.items() if n in self.parameter_names}
        remaining = args if any(n.endswith("_b") for n in kwargs) else args[len(self.RULES) :]
        return self.entropy(*remaining, **own) + divergence

    def sample(self, shape=(), *args, **kwargs):
        """Draw samples of shape `shape + batch_shape`."""
        parameters = self.get_dist_args(*args, **kwargs)
        shape = sizes(self.name, shape) + self._batch(*[p.shape for p in parameters])
        key = next_key(source_of(self, self.seed))
        return ops.cast(self._find("sample")(key, shape, *parameters), self.dtype)

    def _batch(self, *shapes):
        return tuple(np.broadcast_shapes(*shapes))

    def construct(self, name, *args, **kwargs):
        """Call the method `name`: `distribution("log_prob", x)`."""
        return getattr(self, name)(*args, **kwargs)

    def extend_repr(self):
        pairs = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{n} = {p}" for n, p in pairs if p is not None)
