"""LeNet-5 in the classic style: WithLossCell, TrainOneStepCell, Momentum, a checkpoint."""

import argparse
import os
import tempfile

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops.operations as P
import numpy as np
from mindspore import Tensor, context
from mindspore.common import dtype as mstype
from mindspore.train.serialization import load_checkpoint, load_param_into_net, save_checkpoint

rng = np.random.RandomState(3)


def conv(cin, cout, k, pad=0):
    w = Tensor(rng.normal(0, 0.1, (cout, cin, k, k)).astype(np.float32))
    return nn.Conv2d(
        cin,
        cout,
        kernel_size=k,
        stride=1,
        padding=pad,
        weight_init=w,
        has_bias=False,
        pad_mode="valid",
    )


def fc(cin, cout):
    w = Tensor(rng.normal(0, 0.05, (cout, cin)), mstype.float32)
    return nn.Dense(cin, cout, w, Tensor(np.zeros(cout), mstype.float32))


class LeNet5(nn.Cell):
    def __init__(self, num_class=10, channel=1):
        super().__init__()
        self.num_class = num_class
        self.conv1 = conv(channel, 6, 5)
        self.conv2 = conv(6, 16, 5)
        self.fc1 = fc(16 * 5 * 5, 120)
        self.fc2 = fc(120, 84)
        self.fc3 = fc(84, self.num_class)
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.reshape = P.Reshape()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.reshape(x, (P.Shape()(x)[0], -1))
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def make_data(n):
    images = rng.rand(n, 1, 32, 32).astype(np.float32)
    labels = rng.randint(0, 10, n).astype(np.int32)
    for i, l in enumerate(labels):
        images[i, 0, 3 * l : 3 * l + 3] += 1.0
    return images, labels


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="LeNet")
    parser.add_argument("--graph", action="store_true")
    parser.add_argument(
        "--device_target", type=str, default="CPU", choices=["Ascend", "GPU", "CPU"]
    )
    args = parser.parse_args()
    mode = context.GRAPH_MODE if args.graph else context.PYNATIVE_MODE
    context.set_context(mode=mode, device_target=args.device_target)
    ms.set_seed(1)

    images, labels = make_data(64)
    network = LeNet5()
    print(network)
    print("parameters:", sum(p.size for p in network.trainable_params()))
    for p in network.trainable_params():
        print(p.name, p.shape, p.dtype, p.requires_grad)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    opt = nn.Momentum(
        network.trainable_params(), learning_rate=0.02, momentum=0.9, weight_decay=1e-4
    )
    net_with_loss = nn.WithLossCell(network, loss)
    train_net = nn.TrainOneStepCell(net_with_loss, opt)
    train_net.set_train()
    for epoch in range(4):
        for i in range(0, 64, 16):
            out = train_net(Tensor(images[i : i + 16]), Tensor(labels[i : i + 16]))
        print(f"epoch: {epoch + 1} loss: {out}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lenet.ckpt")
        save_checkpoint(network, path)
        param_dict = load_checkpoint(path)
        print(sorted(param_dict))
        other = LeNet5()
        not_loaded = load_param_into_net(other, param_dict)
        print("not loaded:", not_loaded)
    other.set_train(False)
    logits = other(Tensor(images))
    pred = logits.asnumpy().argmax(axis=1)
    print("accuracy: %.4f" % (pred == labels).mean())
    print("logits", logits[0])
    topk = P.TopK(sorted=True)
    values, indices = topk(logits[:3], 2)
    print(values)
    print(indices)
    print(P.Argmax(output_type=mstype.int32)(logits)[:10])
