"""Pretrain an autoencoder, put its encoder under a classifier: freezing, checkpoints."""

import os
import tempfile

import mindspore as ms
import mindspore.nn as nn
import numpy as np
from mindspore import Tensor, load_checkpoint, load_param_into_net, save_checkpoint
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor as T

rng = np.random.RandomState(0)
data = (rng.rand(48, 6) @ rng.rand(6, 12)).astype(np.float32)
target = (data.sum(1) > np.median(data.sum(1))).astype(np.int32)


def W(o, i):
    return Tensor(rng.randn(o, i).astype(np.float32) / np.float32(np.sqrt(i)))


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(12, 8, W(8, 12), "zeros", activation="relu")
        self.fc2 = nn.Dense(8, 3, W(3, 8), "zeros")

    def construct(self, x):
        return self.fc2(self.fc1(x))


class AutoEncoder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = nn.SequentialCell(
            [nn.Dense(3, 8, W(8, 3), "zeros"), nn.ReLU(), nn.Dense(8, 12, W(12, 8), "zeros")]
        )

    def construct(self, x):
        return self.decoder(self.encoder(x))


class Classifier(nn.Cell):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.drop = nn.Dropout(p=0.5)
        self.head = nn.Dense(3, 2, W(2, 3), "zeros")

    def construct(self, x):
        return self.head(self.drop(self.encoder(x)))


auto = AutoEncoder()
opt = nn.Adam(
    auto.trainable_params(),
    learning_rate=nn.piecewise_constant_lr([10, 20, 40], [0.02, 0.01, 0.005]),
)
step = nn.TrainOneStepCell(nn.WithLossCell(auto, nn.MSELoss()), opt)
for i in range(30):
    loss = step(T(data), T(data))
print("reconstruction", loss)
folder = tempfile.mkdtemp()
path = os.path.join(folder, "auto.ckpt")
save_checkpoint(auto, path, append_dict={"epoch": 30, "loss": 0.5})
loaded = load_checkpoint(path)
for name in loaded:
    print(name, loaded[name].shape if hasattr(loaded[name], "shape") else loaded[name])
print(isinstance(loaded["encoder.fc1.weight"], Parameter))

classifier = Classifier(Encoder())
kept = {k: v for k, v in loaded.items() if k.startswith("encoder.")}
missing, extra = load_param_into_net(classifier, kept)
print("missing", missing, "extra", extra)
encoded = load_checkpoint(path, filter_prefix="decoder")
print(sorted(encoded))
for p in classifier.encoder.get_parameters():
    p.requires_grad = False
print([p.name for p in classifier.trainable_params()])
frozen = classifier.encoder.fc1.weight.asnumpy().copy()
classifier.set_train(False)
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
opt = nn.SGD(classifier.trainable_params(), 0.5, momentum=0.9)
grad = ms.value_and_grad(lambda x, y: loss_fn(classifier(x), y), None, opt.parameters)
for i in range(10):
    loss, g = grad(T(data), T(target))
    opt(g)
print("head only", loss, np.array_equal(frozen, classifier.encoder.fc1.weight.asnumpy()))
for p in classifier.encoder.get_parameters():
    p.requires_grad = True
groups = [
    {"params": classifier.encoder.trainable_params(), "lr": 0.01, "weight_decay": 0.001},
    {"params": classifier.head.trainable_params(), "lr": 0.1},
]
opt = nn.Momentum(groups, learning_rate=0.05, momentum=0.9)
grad = ms.value_and_grad(lambda x, y: loss_fn(classifier(x), y), None, opt.parameters)
for i in range(10):
    loss, g = grad(T(data), T(target))
    opt(g)
print("all", loss, np.array_equal(frozen, classifier.encoder.fc1.weight.asnumpy()))
print([p.name for p in opt.parameters])
print(opt.get_lr_parameter(classifier.head.weight))
# checkpoint of a dict and of a list
save_checkpoint(
    [{"name": "a", "data": Tensor([1.5, 2.5])}, {"name": "b", "data": Tensor(3, ms.int32)}],
    os.path.join(folder, "list"),
)
print(load_checkpoint(os.path.join(folder, "list.ckpt")))
save_checkpoint(opt, os.path.join(folder, "opt.ckpt"))
for k, v in load_checkpoint(os.path.join(folder, "opt.ckpt")).items():
    print(k, tuple(v.shape), v.dtype)
print((classifier(T(data)).argmax(axis=1) == T(target)).astype(ms.float32).mean())
