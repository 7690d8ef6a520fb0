r"""Bayesian layers: each weight has a normal distribution learned by gradient descent.

Each weight has a posterior $N(\mu, \sigma)$ with $\sigma = 10^{-6} + \ln(1 + e^\rho)$; $\mu$ and
$\rho$ are the Parameters. `compute_kl_loss` is the KL divergence from a fixed prior, which
`WithBNNLossCell` adds to the loss (Kingma and Welling, arXiv:1312.6114; Blundell et al.,
arXiv:1505.05424).
"""

import numpy as np

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.activation import activation_of
from sporax.nn.cell import Cell
from sporax.nn.probability.distribution import Normal

_SMALLEST = 1e-6  # standard deviation


class NormalPrior(Cell):
    """A fixed normal distribution: call e.g. `prior("kl_loss", "Normal", mean, sd)`."""

    def __init__(self, dtype=float32, mean=0, std=0.1):
        super().__init__()
        self.normal = Normal(float(mean), float(std), dtype=dtype)

    def construct(self, *inputs):
        return self.normal(*inputs)


class NormalPosterior(Cell):
    """A trainable normal distribution for each element of a weight of `shape`.

    `loc_mean`, `loc_std`: of the normal distribution that initializes the means;
    `untransformed_scale_mean`, `untransformed_scale_std`: likewise for $\rho$.
    """

    def __init__(
        self, name, shape, dtype=float32, loc_mean=0, loc_std=0.1, untransformed_scale_mean=-5,
        untransformed_scale_std=0.1,
    ):  # fmt: skip
        super().__init__()
        kinds.STR("NormalPosterior", name=name)
        kinds.SEQUENCE("NormalPosterior", shape=shape)
        draw = lambda mean, std: Tensor(np.random.normal(mean, std, shape), dtype)  # noqa: E731
        self.mean = Parameter(draw(loc_mean, loc_std), name=f"{name}_mean")
        self.untransformed_std = Parameter(
            draw(untransformed_scale_mean, untransformed_scale_std),
            name=f"{name}_untransformed_std",
        )
        self.normal = Normal(dtype=dtype)

    def construct(self, *inputs):
        sd = _SMALLEST + ops.log1p(ops.exp(self.untransformed_std))
        return self.normal(*inputs, mean=self.mean, sd=sd)


def normal_post_fn(name, shape):
    """Return the default posterior: `NormalPosterior(name, shape)`."""
    return NormalPosterior(name=name, shape=shape)


class _Variational(Cell):
    """A layer with a random weight, and a random bias if `has_bias`."""

    def _set_distributions(self, shape, has_bias, weight_fns, bias_fns):
        kinds.BOOL(type(self).__name__, has_bias=has_bias)
        self.has_bias = has_bias
        self.weight_prior, self.weight_posterior = self._pair("weight", weight_fns, shape)
        if has_bias:
            self.bias_prior, self.bias_posterior = self._pair("bias", bias_fns, shape[:1])

    def _pair(self, what, functions, shape):
        prior, posterior = functions
        prior = prior if isinstance(prior, Cell) else prior()
        posterior = posterior(name=f"bnn_{what}", shape=list(shape))
        for kind, cell in (("prior", prior), ("posterior", posterior)):
            fits, who = isinstance(getattr(cell, "normal", None), Normal), type(self).__name__
            fields = {"argument": f"{what}_{kind}_fn", "base": f"Normal{kind.capitalize()}"}
            require(fits, "cell-with-normal", who, got=cell, **fields)
        return prior, posterior

    def compute_kl_loss(self):
        """Return the KL divergence of the posteriors from the priors, summed over all elements."""
        pairs = [(self.weight_prior, self.weight_posterior)]
        if self.has_bias:
            pairs.append((self.bias_prior, self.bias_posterior))
        return sum(
            posterior("kl_loss", prior.normal.get_dist_type(), *prior("get_dist_args")).sum()
            for prior, posterior in pairs
        )


class _DenseVariational(_Variational):
    def __init__(
        self, in_channels, out_channels, activation=None, has_bias=True,
        weight_prior_fn=NormalPrior, weight_posterior_fn=normal_post_fn, bias_prior_fn=NormalPrior,
        bias_posterior_fn=normal_post_fn,
    ):  # fmt: skip
        super().__init__()
        who = type(self).__name__
        kinds.POSITIVE_INT(who, in_channels=in_channels, out_channels=out_channels)
        self.in_channels, self.out_channels = in_channels, out_channels
        self._set_distributions(
            (out_channels, in_channels), has_bias, (weight_prior_fn, weight_posterior_fn),
            (bias_prior_fn, bias_posterior_fn),
        )  # fmt: skip
        self.activation = activation_of(who, activation)

    def construct(self, x):
        x = self._affine(x)
        if self.has_bias:
            x = x + self.bias_posterior("sample")
        return x if self.activation is None else self.activation(x)


class DenseReparam(_DenseVariational):
    """A dense layer that samples its weight once per call: `(N, in) -> (N, out)`.

    `activation`: a name, a Cell or None. `weight_prior_fn`, `bias_prior_fn`: Cells or classes like
    `NormalPrior`; `weight_posterior_fn`, `bias_posterior_fn`: functions of `name` and `shape`.

    >>> layer = nn.probability.bnn_layers.DenseReparam(3, 4)
    >>> layer(ops.ones((2, 3))).shape, layer.compute_kl_loss().shape
    ((2, 4), ())
    """

    def _affine(self, x):
        return ops.matmul(x, self.weight_posterior("sample").T)


class DenseLocalReparam(_DenseVariational):
    r"""A dense layer that samples its outputs instead of its weight: for each example
    $N(x \mu^\top, \sqrt{x^2 (\sigma^2)^\top})$. Arguments: see `DenseReparam`.

    >>> nn.probability.bnn_layers.DenseLocalReparam(3, 4)(ops.ones((2, 3))).shape
    (2, 4)
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.normal = Normal()

    def _affine(self, x):
        mean = ops.matmul(x, self.weight_posterior("mean").T)
        variance = ops.matmul(ops.square(x), ops.square(self.weight_posterior("sd")).T)
        return self.normal("sample", mean=mean, sd=ops.sqrt(variance))


class ConvReparam(_Variational):
    """A convolution that samples its weight once per call: `(N, in, H, W) -> (N, out, H', W')`.

    Sizes and padding: see `nn.Conv2d`; distributions: see `DenseReparam`.

    >>> nn.probability.bnn_layers.ConvReparam(2, 3, 3)(ops.ones((1, 2, 5, 5))).shape
    (1, 3, 5, 5)
    """

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_prior_fn=NormalPrior,
        weight_posterior_fn=normal_post_fn, bias_prior_fn=NormalPrior,
        bias_posterior_fn=normal_post_fn,
    ):  # fmt: skip
        super().__init__()
        kernel = (kernel_size,) * 2 if isinstance(kernel_size, int) else tuple(kernel_size)
        kinds.POSITIVE_INT("ConvReparam", in_channels=in_channels, out_channels=out_channels)
        self._set_distributions(
            (out_channels, in_channels // group, *kernel), has_bias,
            (weight_prior_fn, weight_posterior_fn), (bias_prior_fn, bias_posterior_fn),
        )  # fmt: skip
        self.conv2d = ops.Conv2D(
            out_channels, kernel, 1, pad_mode, padding, stride, dilation, group
        )

    def construct(self, x):
        x = self.conv2d(x, self.weight_posterior("sample"))
        return x + self.bias_posterior("sample").reshape(-1, 1, 1) if self.has_bias else x


class WithBNNLossCell(Cell):
    """`dnn_factor` times the loss of a network plus `bnn_factor` times the KL divergences of its
    Bayesian layers; called with data and labels.

    >>> layers = nn.probability.bnn_layers
    >>> loss = layers.WithBNNLossCell(layers.DenseReparam(3, 1), nn.MSELoss())
    >>> loss(ops.ones((2, 3)), ops.ones((2, 1))).shape
    ()
    """

    def __init__(self, backbone, loss_fn, dnn_factor=1, bnn_factor=1):
        super().__init__(auto_prefix=False)
        kinds.NOT_NEGATIVE("WithBNNLossCell", dnn_factor=dnn_factor, bnn_factor=bnn_factor)
        self._backbone, self._loss_fn = backbone, loss_fn
        self.dnn_factor, self.bnn_factor = dnn_factor, bnn_factor

    def construct(self, x, label):
        loss = self._loss_fn(self._backbone(x), label) * self.dnn_factor
        layers = [c for _, c in self._backbone.cells_and_names() if isinstance(c, _Variational)]
        return loss + sum(layer.compute_kl_loss() for layer in layers) * self.bnn_factor

    @property
    def backbone_network(self):
        """The backbone network."""
        return self._backbone


__all__ = [
    "ConvReparam", "DenseLocalReparam", "DenseReparam", "NormalPosterior", "NormalPrior",
    "WithBNNLossCell", "normal_post_fn",
]  # fmt: skip
