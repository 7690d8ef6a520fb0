"""Optimizers and schedules as packages write them: subclasses of MindSpore's, and their helpers."""

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, jit, nn, ops
from sporax.nn.learning_rate_schedule import LearningRateSchedule

pytestmark = pytest.mark.usefixtures("on_numpy")

sporax.install_as_mindspore()
X = np.array([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]], np.float32)


@pytest.fixture(autouse=True)
def dynamic_mode():
    yield
    sporax.set_context(mode=sporax.PYNATIVE_MODE)


def test_a_schedules_subclass_drives_an_optimizer():
    class Own(LearningRateSchedule):
        def __init__(self, first):
            super().__init__()
            self.first = first

        def construct(self, global_step):
            return self.first / (1 + ops.cast(global_step, sporax.float32))

    weight = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.SGD([weight], Own(0.5))
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    np.testing.assert_allclose(weight.asnumpy(), [1 - 0.5 - 0.25])


@pytest.mark.executors
def test_an_optimizers_subclass_updates():
    class Own(nn.Optimizer):
        def __init__(self, params, learning_rate=0.1, sign=True):
            super().__init__(learning_rate, params)
            self.sign = sign
            self.moments = self.parameters.clone(prefix="moments", init="zeros")

        def construct(self, gradients):
            rate = self.get_lr()
            for p, m, g in zip(self.parameters, self.moments, gradients, strict=True):
                ops.assign(m, 0.5 * m + g)
                ops.assign_sub(p, rate * (ops.sign(m) if self.sign else m))
            return True

    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    optimizer = Own(net.trainable_params())
    for _ in range(2):
        assert optimizer((Tensor([[2.0, -3.0]]),))
    np.testing.assert_allclose(net.weight.asnumpy(), [[0.8, 1.2]], rtol=1e-6)
    assert [m.name for m in optimizer.moments] == ["moments.weight"]


@pytest.mark.parametrize("run", [lambda f: f, jit], ids=["dynamic", "captured"])
def test_gradients_are_accumulated_over_batches(run):
    """Against NumPy: Momentum's rule once in two calls, with the mean of the gradients."""
    from mindspore.boost.grad_accumulation import GradientAccumulation

    weight = Parameter(Tensor(X[0]), name="weight")
    momentum = nn.Momentum([weight], 0.1, 0.9)
    accumulate = GradientAccumulation(2, momentum)
    step = run(lambda loss, gradient: accumulate(loss, (gradient,)))
    expected, moving = X[0].astype(float), np.zeros(2)
    for i in range(6):
        gradients = X[i % 3], X[(i - 1) % 3]
        step(Tensor(float(i)), Tensor(gradients[0]))
        if i % 2:
            moving = 0.9 * moving + np.mean(gradients, axis=0)
            expected = expected - 0.1 * moving
        np.testing.assert_allclose(weight.asnumpy(), expected, rtol=1e-5)
    assert int(momentum.global_step.asnumpy()[0]) == 3


def test_an_optimizer_in_the_manner_of_model_zoos_updates():
    """It maps a function of many signatures over its Parameters, and counts steps itself."""
    rule = ops.MultitypeFuncGraph("rule")

    @rule.register("Tensor", "Tensor", "Tensor", "Tensor", "Bool", "Bool")
    def _update(rate, decay, parameter, gradient, decayed, used):
        if not used:
            return gradient
        if decayed:
            gradient = gradient + decay * parameter
        return ops.depend(True, ops.assign(parameter, parameter - rate * gradient))

    class Plain(nn.Optimizer):
        def get_lr(self):
            rate = self.learning_rate
            if self.dynamic_lr:
                rate = self.learning_rate(self.global_step).reshape(())
            if self._is_dynamic_lr_or_weight_decay():
                self.assignadd(self.global_step, self.global_step_increase_tensor)
            return rate

        @jit
        def construct(self, gradients):
            gradients = self._grad_sparse_indices_deduplicate(self.scale_grad(gradients))
            update = ops.partial(rule, self.get_lr(), self.get_weight_decay())
            lists = self.parameters, gradients, self.decay_flags, self.optim_filter
            done = self.hyper_map(update, *lists)
            if self.use_parallel:
                self.broadcast_params(done)
            return done

    weights = [Parameter(Tensor(X[0]), name="w"), Parameter(Tensor(X[1]), name="beta")]
    optimizer = Plain([0.5, 0.25], weights, weight_decay=0.1)
    for _ in range(2):
        optimizer((Tensor(X[1]), Tensor(X[2])))
    w, beta = X[0].astype(float), X[1].astype(float)
    for rate in (0.5, 0.25):
        w = w - rate * (X[1] + 0.1 * w)
        beta = beta - rate * X[2]
    for result, expected in zip(weights, (w, beta), strict=True):
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)


@pytest.mark.executors
@pytest.mark.parametrize("mode", [sporax.PYNATIVE_MODE, sporax.GRAPH_MODE])
@pytest.mark.parametrize("settings", [{}, {"use_nesterov": True}, {"use_amsgrad": True}], ids=str)
def test_a_step_written_anew_with_adams_own_update(mode, settings):
    sporax.set_context(mode=mode)

    class Own(nn.Adam):
        def construct(self, gradients):
            gradients = self.decay_weight(self.flatten_gradients(gradients))
            gradients = self.scale_grad(self.gradients_centralization(gradients))
            gradients = self._grad_sparse_indices_deduplicate(gradients)
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            self.beta1_power *= self.beta1
            self.beta2_power *= self.beta2
            return self._apply_adam(
                self._parameters, self.beta1_power, self.beta2_power, self.moment1, self.moment2,
                self.get_lr(), gradients,
            )  # fmt: skip

    result = []
    for kind in (Own, nn.Adam):
        weights = [Parameter(Tensor([1.0, -2.0]), name=name) for name in "ab"]
        inputs = [{"params": weights[:1], "lr": 0.1, "weight_decay": 0.01}, {"params": weights[1:]}]
        optimizer = kind(inputs, 0.5, loss_scale=2.0, **settings)
        for step in range(3):
            optimizer((Tensor([0.5, 3.0 - step]), Tensor([-1.0, step + 1.0])))
        result.append([x.asnumpy() for x in (*weights, optimizer.global_step)])
    np.testing.assert_allclose(np.concatenate(result[0]), np.concatenate(result[1]), rtol=1e-6)


@pytest.mark.executors
def test_a_step_that_maps_a_function_over_gradients_and_parameters():
    class Descent(nn.Optimizer):
        def construct(self, gradients):
            down = ops.MultitypeFuncGraph("down")
            down.register("Tensor", "Tensor", "Tensor")(lambda r, g, p: ops.assign_sub(p, r * g))
            down = ops.partial(down, self.get_lr())
            return self.hyper_map_reverse(down, gradients, self._parameters)

    for name in ("map_", "map_reverse", "hyper_map", "hyper_map_reverse"):
        weight = Parameter(Tensor([1.0]), name="w")
        optimizer = Descent(0.5, [weight])
        assert getattr(optimizer, name)(lambda x: x + 1, (1, 2)) == (2, 3)
        optimizer((Tensor([0.5]),))
        assert weight.asnumpy() == 0.75
        assert not optimizer.use_parallel and optimizer.optim_filter == (True,)
        assert not optimizer._is_dynamic_lr_or_weight_decay()
