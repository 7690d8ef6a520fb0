"""Quasi-Newton training in the principal directions of past weight changes."""

import tokenize
from pathlib import Path
from typing import Any

import numpy as np

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.io import load_checkpoint, untrusted_file
from sporax.nn.cell import Cell
from sporax.nn.parameter_tuple import ParameterTuple

_LEAST = 1e-20  # minimal curvature for an update of the inverse Hessian


def principal_directions(weights, count):
    """Return the first `count` principal directions of the rows of `weights`, as unit rows."""
    centred = weights - weights.mean(0)
    directions = np.linalg.svd(centred, full_matrices=False)[2]
    if len(directions) < count:
        raise rejection("at-least-checkpoints-n-components", "DimReduce", count=count,
                        got=len(weights))  # fmt: skip
    return directions[:count]


def directions_of(path, folder, count, network):
    """Load the direction matrix from `path` (.npy), or compute it from checkpoints in `folder`."""
    if path is not None and Path(path).is_file():
        return _matrix(path)
    if folder is None or not Path(folder).is_dir():
        raise rejection("file-weight-load-dir-folder-checkpoints", "DimReduce", pca_mat_path=path,
                        folder=folder)  # fmt: skip
    names = [p.name for p in network.trainable_params()]
    rows = []
    for file in sorted(Path(folder).glob("*.ckpt")):
        saved: Any = load_checkpoint(str(file))
        sizes = [getattr(saved.get(p.name), "shape", None) for p in network.trainable_params()]
        fits = sizes == [p.shape for p in network.trainable_params()]
        require(fits, "parameters-network-shapes", "DimReduce", argument=file, names=names)
        row = np.concatenate([saved[name].asnumpy().ravel() for name in names])
        fits = row.dtype.kind == "f" and np.isfinite(row).all()
        require(fits, "parameters-finite-floats-some", "DimReduce", file=file)
        rows.append(row)
    require(rows, "checkpoints-ckpt", "DimReduce", folder=folder)
    return principal_directions(np.stack(rows), count)


def _matrix(path):
    """Load the matrix in a `.npy` file; its header is checked against its size first."""
    try:
        untrusted_file.check_regular(path)
        # without pickles; the header of a matrix has 128 bytes
        matrix = np.load(path, mmap_mode="r", max_header_size=192)
        fits = isinstance(matrix, np.ndarray) and matrix.ndim == 2 and (matrix.dtype.kind == "f")
        require(fits, "holds-something-else")
        return np.array(matrix)
    except (tokenize.TokenError, *untrusted_file.MALFORMED) as error:
        raise rejection("file-npy-matrix-floats", "DimReduce", argument="pca_mat_path", path=path,
                        cause=untrusted_file.cause(error)) from None  # fmt: skip


class DimReduce(Cell):
    r"""One training step for the gradients g of `weight`; P, `pca_mat_local`, projects g to its
    components $P g$ in `n_components` directions.

    In this subspace the step is $-\rho H P g$ with the BFGS approximation H of the inverse Hessian;
    $\rho$ is the first of $1, \rho$, 0 with sufficient decrease of the loss (Armijo's rule with
    `sigma`). The remainder of g is accumulated in a momentum with `gamma`, times `alpha`. Called
    with the loss, the gradients, their loss scale, the weights, copies of these, and the inputs of
    `network`, which returns the loss; returns the loss. `optimizer` applies the step: SGD with rate
    1. `rank`, `rank_size`: 0, 1.

    >>> net = nn.WithLossCell(nn.Dense(2, 1, has_bias=False), nn.MSELoss())
    >>> weights = ParameterTuple(net.trainable_params())
    >>> step = DimReduce(
    ...     net, nn.SGD(weights, 1.0), weights, np.eye(2, dtype=np.float32), 2, 0.5, 0.9, 0.1, 0.4,
    ...     0, 1)
    >>> x, y = ops.ones((3, 2)), ops.ones((3, 1))
    >>> loss, grads = ms.value_and_grad(net, None, weights)(x, y)
    >>> _ = step(loss, grads, Tensor(1.0), weights, weights.clone("copy"), x, y)
    >>> bool(net(x, y) <= loss)
    True
    """

    def __init__(
        self, network, optimizer, weight, pca_mat_local, n_components, rho, gamma, alpha, sigma,
        rank, rank_size,
    ):  # fmt: skip
        super().__init__()
        require(rank_size == 1, "sporax-no-training-several", other="rank_size", value=rank_size)
        kinds.POSITIVE_INT("DimReduce", n_components=n_components)
        sizes = [p.size for p in weight]
        require(pca_mat_local.shape == (n_components, sum(sizes)),
                "shape-n-components-number-weights", "DimReduce", pca_mat_local=pca_mat_local.shape,
                items=(n_components, sum(sizes)))  # fmt: skip
        self.network, self.optimizer = network, optimizer
        self.gamma, self.alpha, self.sigma = gamma, alpha, sigma
        self.rho_list = [1.0, rho]
        ends = np.cumsum(sizes)[:-1]
        self.pca_list_local = tuple(
            Tensor(block, float32) for block in np.split(np.asarray(pca_mat_local), ends, 1)
        )

        def state(name, value):
            return Parameter(Tensor(value, float32), name=name, requires_grad=False)

        self.gk_last = state("gk_last", np.zeros((n_components, 1)))
        self.gk_last_init = Parameter(Tensor(False), name="gk_last_init", requires_grad=False)
        self.bk = state("bk", np.eye(n_components))
        self.sk = state("sk", np.zeros((n_components, 1)))
        self.grad_res_momentum = ParameterTuple(weight).clone("grad_res_momentum", init="zeros")

    def construct(self, loss, old_grad, loss_scale, weight, weight_clone, *inputs):
        scaled = [g.astype(float32) / loss_scale for g in old_grad]
        pairs = list(zip(self.pca_list_local, scaled, strict=True))
        gk = sum(ops.matmul(block, g.reshape(-1, 1)) for block, g in pairs)
        before = self.gk_last * 1.0, self.bk * 1.0
        dk = self._quasi_newton(gk)
        rho = self._searched(loss, gk, dk, weight, weight_clone, inputs)
        accepted = rho > 0
        for state, old in zip((self.gk_last, self.bk), before, strict=True):
            ops.assign(state, ops.where(accepted, state, old))
        ops.assign(self.sk, ops.where(accepted, rho * dk, self.sk))
        steps = []
        for momentum, g, along, inside in zip(
            self.grad_res_momentum, scaled, self._back(dk, scaled), self._back(gk, scaled),
            strict=True,
        ):  # fmt: skip
            ops.assign(momentum, self.gamma * momentum + g - inside)
            steps.append(self.alpha * momentum - rho * along)
        self.optimizer(tuple(steps))
        for copy, p in zip(weight_clone, weight, strict=True):
            ops.assign(copy, p)
        return loss

    def _back(self, coefficients, like):
        """Map coefficients along the directions to the shapes of the weights."""
        return [
            ops.matmul(block.T, coefficients).reshape(g.shape)
            for block, g in zip(self.pca_list_local, like, strict=True)
        ]

    def _quasi_newton(self, gk):
        """Return -H g, with H updated from the last step s and the gradient change y."""
        y, s = gk - self.gk_last, self.sk * 1.0
        curvature = (y * s).sum()
        updates = ops.logical_and(self.gk_last_init, curvature > _LEAST)
        p = 1 / ops.where(updates, curvature, ops.ones_like(curvature))
        turned = ops.eye(len(gk), dtype=float32) - p * ops.matmul(y, s.T)
        new = ops.matmul(ops.matmul(turned.T, self.bk), turned) + p * ops.matmul(s, s.T)
        ops.assign(self.bk, ops.where(updates, new, self.bk))
        ops.assign(self.gk_last_init, Tensor(True))
        ops.assign(self.gk_last, gk)
        return -ops.matmul(self.bk, gk)

    def _searched(self, loss, gk, dk, weight, weight_clone, inputs):
        """Return the first step length with sufficient decrease of the loss, else 0."""
        slope = (gk * dk).sum()
        chosen = ops.zeros_like(slope)
        for rho in self.rho_list:
            for p, along in zip(weight, self._back(dk, weight), strict=True):
                ops.assign(p, p + rho * along)
            falls = self.network(*inputs) < loss + self.sigma * rho * slope
            for p, copy in zip(weight, weight_clone, strict=True):
                ops.assign(p, copy)
            chosen = ops.where(ops.logical_and(chosen == 0, falls), rho, chosen)
        return chosen
