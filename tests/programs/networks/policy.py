"""Reinforcement learning: actor and critic, discounted returns, the clipped objective."""

import mindspore as ms
import mindspore.nn.probability.distribution as msd
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.ops import composite as C


class FullyConnected(nn.SequentialCell):
    def __init__(self, sizes, activation=nn.ReLU):
        layers = []
        for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
            layers += [nn.Dense(fan_in, fan_out, weight_init="xavier_uniform"), activation()]
        super().__init__(layers[:-1])


class ActorCritic(nn.Cell):
    def __init__(self, states=4, actions=3, hidden=16):
        super().__init__()
        self.common = FullyConnected([states, hidden, hidden], nn.Tanh)
        self.actor = nn.Dense(hidden, actions)
        self.critic = nn.Dense(hidden, 1)
        self.softmax = ops.Softmax(axis=-1)

    def construct(self, state):
        x = ops.tanh(self.common(state))
        return self.softmax(self.actor(x)), self.critic(x)


class DiscountedReturn(nn.Cell):
    def __init__(self, gamma):
        super().__init__()
        self.gamma = Tensor([gamma], ms.float32)

    def construct(self, rewards, masks, last):
        steps = rewards.shape[0]
        returns = []
        value = last
        for i in range(steps - 1, -1, -1):
            value = rewards[i] + self.gamma * value * masks[i]
            returns.append(value)
        return ops.stack(returns[::-1])


class PolicyLoss(nn.Cell):
    def __init__(self, net, clip=0.2, critic_coef=0.5, entropy_coef=0.01):
        super().__init__()
        self.net = net
        self.returns = DiscountedReturn(0.9)
        self.clip, self.critic_coef, self.entropy_coef = clip, critic_coef, entropy_coef
        self.gather = ops.GatherD()
        self.smooth_l1 = nn.SmoothL1Loss(beta=1.0, reduction="mean")
        self.low, self.high = Tensor(1.0 - clip, ms.float32), Tensor(1.0 + clip, ms.float32)
        self.categorical = msd.Categorical(dtype=ms.float32)

    def construct(self, states, actions, rewards, masks, old_log_probability):
        probabilities, values = self.net(states)
        returns = ops.stop_gradient(self.returns(rewards, masks, values[-1]))
        advantage = ops.stop_gradient(returns - values)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        log_probability = ops.log(self.gather(probabilities, 1, actions))
        ratio = ops.exp(log_probability - old_log_probability)
        clipped = C.clip_by_value(ratio, self.low, self.high)
        actor_loss = -ops.minimum(ratio * advantage, clipped * advantage).mean()
        entropy = self.categorical.entropy(probabilities).mean()
        critic_loss = self.smooth_l1(values, returns)
        loss = actor_loss + self.critic_coef * critic_loss - self.entropy_coef * entropy
        return loss, actor_loss, critic_loss, entropy


class Learner(nn.Cell):
    """Copies the network into the one that plays, some steps late."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.count = Parameter(Tensor(0, ms.int32), name="count", requires_grad=False)
        self.average = Parameter(
            Tensor(np.zeros(3), ms.float32), name="average", requires_grad=False
        )

    def construct(self, state):
        probabilities, value = self.net(state)
        ops.assign_add(self.count, Tensor(1, ms.int32))
        ops.assign(self.average, 0.9 * self.average + 0.1 * probabilities.mean(axis=0))
        return probabilities, value


def build():
    return Learner(ActorCritic())


def forward(net, states, actions, *rest):
    probabilities, values = net(states)
    best = ops.argmax(probabilities, dim=-1).astype(ms.float32)
    return probabilities, values, best, net.average.value()


def batch(step):
    rng = np.random.default_rng([21, step])
    states = rng.standard_normal((10, 4)).astype(np.float32)
    actions = rng.integers(0, 3, (10, 1)).astype(np.int32)
    rewards = rng.standard_normal((10, 1)).astype(np.float32)
    masks = (rng.random((10, 1)) > 0.2).astype(np.float32)
    old = np.log(rng.uniform(0.2, 0.8, (10, 1))).astype(np.float32)
    return states, actions, rewards, masks, old


def training(learner):
    loss_fn = PolicyLoss(learner.net)
    weights = ms.ParameterTuple(learner.net.trainable_params())
    optimizer = nn.Adam(weights, learning_rate=nn.PolynomialDecayLR(5e-3, 1e-4, 10, power=2.0))
    grad_fn = ms.value_and_grad(loss_fn, grad_position=None, weights=weights, has_aux=True)

    def learn(states, actions, rewards, masks, old):
        losses, grads = grad_fn(states, actions, rewards, masks, old)
        grads = C.clip_by_global_norm(grads, clip_norm=0.5)
        optimizer(grads)
        learner(states)
        return losses

    return learn


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
