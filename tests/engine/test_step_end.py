"""When the pending operations of a training step run, and what their program returns."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.trace_tree import forest

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Steps:
    """Steps of SGD on the mean of (x w)^2; `outputs`: how many arrays each new program returns."""

    def __init__(self, monkeypatch):
        forest.clear()
        self.weight, self.outputs = Parameter(Tensor(np.ones((3, 1), np.float32))), []
        self.optimizer = nn.SGD([self.weight], 0.01)
        self.gradient = ms.value_and_grad(
            lambda x: (ops.matmul(x, self.weight) ** 2).mean(), None, self.optimizer.parameters
        )
        make = compile_policy.prepare

        def prepare(state, alive, dead, inputs):
            self.outputs.append(len(alive))
            return make(state, alive, dead, inputs)

        monkeypatch.setattr("sporax._src.runtime.engine.recorder.prepare", prepare)

    def __call__(self):
        loss, gradients = self.gradient(Tensor(X))
        self.optimizer(gradients)
        return loss, gradients

    def freeing(self):
        return self()[0]

    @staticmethod
    def by_numpy(count):
        w = np.ones((3, 1), np.float32)
        for _ in range(count):
            loss, gradient = ((X @ w) ** 2).mean(), X.T @ (X @ w)
            w = w - np.float32(0.01) * gradient
        return loss, w


@pytest.mark.parametrize("is_read_at_once", [True, False])
def test_gradients_that_the_caller_frees_are_no_results(is_read_at_once, monkeypatch):
    steps = Steps(monkeypatch)
    for _ in range(4):
        loss = steps.freeing()
        if is_read_at_once:
            loss.asnumpy()
    expected, weight = steps.by_numpy(4)
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(steps.weight.asnumpy(), weight, rtol=1e-6)
    assert steps.outputs[-1] == steps.outputs[0] - 1


def test_gradients_that_the_caller_keeps_are_results(monkeypatch):
    steps, kept = Steps(monkeypatch), []
    for _ in range(3):
        _, gradients = steps()
        kept.append(gradients[0])
    w = np.ones((3, 1), np.float32)
    for gradient in kept:
        expected = X.T @ (X @ w)
        np.testing.assert_allclose(gradient.asnumpy(), expected, rtol=1e-5)
        w = w - np.float32(0.01) * expected


def test_a_caller_that_keeps_them_after_all_gets_them(monkeypatch):
    steps = Steps(monkeypatch)
    for _ in range(3):
        steps.freeing()
    _, gradients = steps()
    _, before = steps.by_numpy(3)
    np.testing.assert_allclose(gradients[0].asnumpy(), X.T @ (X @ before), rtol=1e-5)
    del gradients
    np.testing.assert_allclose(steps.weight.asnumpy(), steps.by_numpy(4)[1], rtol=1e-6)
    steps.freeing()
    np.testing.assert_allclose(steps.weight.asnumpy(), steps.by_numpy(5)[1], rtol=1e-6)


def failing_step(monkeypatch, is_hopeless):
    """Return the loss and the weight of a step that fails when the gradients are freed."""
    steps = Steps(monkeypatch)

    def fail(*args):
        raise MemoryError("none left")

    for _ in range(2):
        steps.freeing()
    with monkeypatch.context() as patch:
        patch.setattr("sporax._src.runtime.engine.recorder.prepare", fail)
        refusal = MemoryError("none left")
        patch.setattr(
            "sporax._src.runtime.engine.recorder.out_of_memory", lambda *_: (refusal, is_hopeless)
        )
        return steps.freeing(), steps.weight


def test_a_step_that_fails_when_it_runs_later_runs_again_at_a_read(monkeypatch):
    loss, weight = failing_step(monkeypatch, is_hopeless=False)
    expected, after = Steps.by_numpy(3)
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(weight.asnumpy(), after, rtol=1e-6)


def test_the_error_of_a_step_that_cannot_run_is_raised_at_the_next_read(monkeypatch):
    _, weight = failing_step(monkeypatch, is_hopeless=True)
    with pytest.raises(MemoryError, match="none left"):
        weight.asnumpy()
    np.testing.assert_allclose(weight.asnumpy(), Steps.by_numpy(2)[1], rtol=1e-6)


def test_a_step_of_many_parameters_is_one_program(monkeypatch):
    parameters = [Parameter(Tensor(np.full(2, i, np.float32)), name=f"p{i}") for i in range(300)]
    optimizer = nn.Adam(parameters, 0.5)
    gradient = ms.value_and_grad(lambda: sum(p.sum() for p in parameters), None, parameters)
    programs = []
    make = compile_policy.prepare
    monkeypatch.setattr(
        "sporax._src.runtime.engine.recorder.prepare",
        lambda *args: programs.append(args) or make(*args),
    )

    def step():
        optimizer(gradient()[1])

    for _ in range(3):
        programs.clear()
        step()
        parameters[0].asnumpy()
    assert len(programs) <= 1
    for i, p in enumerate(parameters):  # the gradient is 1: each step subtracts the rate
        np.testing.assert_allclose(p.asnumpy(), np.full(2, i - 1.5, np.float32), rtol=1e-4)
