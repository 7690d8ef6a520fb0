"""Graphs as lists of edges: convolution, attention by segments, a readout of each graph."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import XavierUniform, initializer
from mindspore.ops import operations as P


class GCNConv(nn.Cell):
    def __init__(self, in_feat, out_feat, activation=None):
        super().__init__()
        self.fc = nn.Dense(in_feat, out_feat, weight_init=XavierUniform(), has_bias=False)
        self.bias = Parameter(initializer("zeros", (out_feat,), ms.float32), name="bias")
        self.activation = activation
        self.min_clip = Tensor(1, ms.int32)
        self.max_clip = Tensor(100000000, ms.int32)

    def construct(self, x, in_deg, out_deg, src, dst, n_nodes):
        out_deg = ops.clip_by_value(out_deg, self.min_clip, self.max_clip)
        out_deg = ops.Reshape()(ops.Pow()(ops.cast(out_deg, ms.float32), -0.5), (-1, 1))
        x = self.fc(x * out_deg)
        x = ops.unsorted_segment_sum(ops.gather(x, src, 0), dst, n_nodes)
        in_deg = ops.clip_by_value(in_deg, self.min_clip, self.max_clip)
        in_deg = ops.Reshape()(ops.Pow()(ops.cast(in_deg, ms.float32), -0.5), (-1, 1))
        x = x * in_deg + self.bias
        return x if self.activation is None else self.activation(x)


class GATConv(nn.Cell):
    def __init__(self, in_feat, out_size, num_heads, leaky_relu_slope=0.2):
        super().__init__()
        self.num_heads, self.out_size = num_heads, out_size
        self.fc = nn.Dense(in_feat, out_size * num_heads, has_bias=False)
        shape = (1, num_heads, out_size)
        self.attn_src = Parameter(initializer(XavierUniform(), shape), name="attn_src")
        self.attn_dst = Parameter(initializer(XavierUniform(), shape), name="attn_dst")
        self.bias = Parameter(initializer("zero", (num_heads * out_size,)), name="bias")
        self.leaky_relu = nn.LeakyReLU(leaky_relu_slope)
        self.reduce_sum = P.ReduceSum(True)
        self.segment_sum = P.UnsortedSegmentSum()
        self.segment_max = P.UnsortedSegmentMax()
        self.gather = P.Gather()

    def construct(self, x, src, dst, n_nodes):
        feat = self.fc(x).view(-1, self.num_heads, self.out_size)
        left = self.reduce_sum(feat * self.attn_src, -1)
        right = self.reduce_sum(feat * self.attn_dst, -1)
        edge = self.leaky_relu(self.gather(left, src, 0) + self.gather(right, dst, 0))
        highest = self.segment_max(edge, dst, n_nodes)
        edge = ops.exp(edge - self.gather(highest, dst, 0))
        total = self.segment_sum(edge, dst, n_nodes)
        alpha = edge / self.gather(total, dst, 0)
        out = self.segment_sum(self.gather(feat, src, 0) * alpha, dst, n_nodes)
        return ops.elu(out.view((-1, self.num_heads * self.out_size)) + self.bias)


class GraphNet(nn.Cell):
    def __init__(self, features=5, hidden=8, classes=3):
        super().__init__()
        self.conv = GCNConv(features, hidden, activation=ops.tanh)
        self.attention = GATConv(hidden, 4, 2)
        self.update = nn.SequentialCell(nn.Dense(2 * hidden, hidden), nn.ReLU())
        self.out = nn.Dense(hidden, classes)
        self.cat = ops.Concat(-1)

    def construct(self, x, src, dst, graph_ids, n_nodes, n_graphs):
        ones = ops.ones(src.shape, ms.int32)
        in_deg = ops.zeros(n_nodes, ms.int32)
        in_deg = ops.tensor_scatter_add(in_deg, ops.expand_dims(dst, -1), ones)
        out_deg = ops.unsorted_segment_sum(ones, src, n_nodes)
        x = self.conv(x, in_deg, out_deg, src, dst, n_nodes)
        x = self.update(self.cat((x, self.attention(x, src, dst, n_nodes))))
        count = ops.unsorted_segment_sum(ops.ones_like(x[:, :1]), graph_ids, n_graphs)
        pooled = ops.unsorted_segment_sum(x, graph_ids, n_graphs) / count
        return self.out(pooled)


NODES, GRAPHS = 12, 3


class LossNet(nn.Cell):
    """Nodes and graphs are counted outside, as constants."""

    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net
        self.loss_fn = nn.loss.SoftmaxCrossEntropyWithLogits(sparse=True)

    def construct(self, x, src, dst, graph_ids, target):
        predict = self.net(x, src, dst, graph_ids, NODES, GRAPHS)
        return ops.ReduceMean()(self.loss_fn(predict, target))


def build():
    return GraphNet()


def forward(net, x, src, dst, graph_ids, target):
    return net(x, src, dst, graph_ids, NODES, GRAPHS)


def batch(step):
    rng = np.random.default_rng([13, step])
    graph_ids = np.repeat(np.arange(GRAPHS), NODES // GRAPHS)
    src, dst = np.nonzero((graph_ids[:, None] == graph_ids) & (rng.random((NODES, NODES)) < 0.5))
    loops = np.arange(NODES)  # every node hears at least itself
    keep = np.arange(14)  # one number of edges, so that nothing is compiled anew
    src, dst = np.r_[loops, src[keep]], np.r_[loops, dst[keep]]
    features = rng.standard_normal((NODES, 5)).astype(np.float32)
    target = rng.integers(0, 3, GRAPHS).astype(np.int32)
    return features, *(a.astype(np.int32) for a in (src, dst, graph_ids)), target


def training(net):
    optimizer = nn.optim.Adam(net.trainable_params(), learning_rate=0.01, weight_decay=5e-4)
    train_net = nn.TrainOneStepCell(LossNet(net), optimizer)
    train_net.set_train(True)
    return train_net


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
