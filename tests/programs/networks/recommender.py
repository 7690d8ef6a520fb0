"""Wide, factorised and deep parts over one large table of embeddings; two optimizers."""

import mindspore as ms
import mindspore.common.dtype as mstype
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn
from mindspore.common.initializer import initializer
from mindspore.nn import Dropout
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P


def init_method(method, shape, name, max_val=1.0):
    if method in ["uniform"]:
        found = Tensor(np.random.uniform(-max_val, max_val, shape).astype(np.float32))
    elif method == "one":
        found = initializer("ones", shape, mstype.float32)
    elif method == "zero":
        found = initializer("zeros", shape, mstype.float32)
    else:
        found = initializer("normal", shape, mstype.float32)
    return Parameter(found, name=name)


class DenseLayer(nn.Cell):
    def __init__(self, input_dim, output_dim, name, use_act=True, drop_out=0.0):
        super().__init__()
        self.weight = init_method("normal", [input_dim, output_dim], f"{name}_weight")
        self.bias = init_method("zero", [output_dim], f"{name}_bias")
        self.act_func = P.ReLU()
        self.matmul = P.MatMul(transpose_b=False)
        self.bias_add = P.BiasAdd()
        self.cast = P.Cast()
        self.dropout = Dropout(p=drop_out)
        self.use_activation = use_act

    def construct(self, x):
        x = self.dropout(x)
        x = self.bias_add(self.matmul(x, self.weight), self.bias)
        return self.act_func(x) if self.use_activation else x


class WideDeep(nn.Cell):
    def __init__(self, vocab=3000, fields=6, width=4, deep=(16, 8)):
        super().__init__()
        self.wide_w = init_method("normal", [vocab, 1], "wide_w")
        self.wide_b = init_method("zero", [1], "wide_b")
        self.embedding_table = init_method("normal", [vocab, width], "embedding_table")
        sizes = [fields * width, *deep, 1]
        self.layers = []
        for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
            layer = DenseLayer(a, b, f"deep{i}", use_act=i < len(deep))
            setattr(self, f"dense_layer_{i}", layer)
            self.layers.append(layer)
        self.gather = P.Gather()
        self.mul = P.Mul()
        self.reduce_sum = P.ReduceSum(keep_dims=False)
        self.reshape = P.Reshape()
        self.square = P.Square()
        self.tile = P.Tile()
        self.shape = (-1, fields * width)

    def construct(self, id_hldr, wt_hldr):
        mask = self.reshape(wt_hldr, (wt_hldr.shape[0], wt_hldr.shape[1], 1))
        wide = self.mul(self.gather(self.wide_w, id_hldr, 0), mask)
        wide_out = self.reshape(self.reduce_sum(wide, 1) + self.wide_b, (-1, 1))
        embedded = self.mul(self.gather(self.embedding_table, id_hldr, 0), mask)
        summed = self.square(self.reduce_sum(embedded, 1))
        squared = self.reduce_sum(self.square(embedded), 1)
        fm_out = 0.5 * self.reduce_sum(summed - squared, 1).expand_dims(-1)
        deep = self.reshape(embedded, self.shape)
        for layer in self.layers:
            deep = layer(deep)
        return wide_out + fm_out + deep, self.embedding_table


class NetWithLossClass(nn.Cell):
    def __init__(self, network, l2_coef=1e-4):
        super().__init__(auto_prefix=False)
        self.loss = P.SigmoidCrossEntropyWithLogits()
        self.network = network
        self.l2_coef = l2_coef
        self.reduce_mean_false = P.ReduceMean(keep_dims=False)
        self.reduce_sum_false = P.ReduceSum(keep_dims=False)
        self.square = P.Square()

    def construct(self, batch_ids, batch_wts, label):
        predict, table = self.network(batch_ids, batch_wts)
        log_loss = self.loss(predict, label)
        wide_loss = self.reduce_mean_false(log_loss)
        l2 = self.reduce_sum_false(self.square(table)) / 2
        return wide_loss, wide_loss + self.l2_coef * l2


class First(nn.Cell):
    """One of a network's outputs."""

    def __init__(self, network, place):
        super().__init__(auto_prefix=False)
        self.network, self.place = network, place

    def construct(self, *inputs):
        return self.network(*inputs)[self.place]


class TrainStepWrap(nn.Cell):
    def __init__(self, network, sens=1000.0):
        super().__init__()
        self.network = network
        self.network.set_train()
        self.trainable_params = network.trainable_params()
        wide = [p for p in self.trainable_params if "wide" in p.name]
        deep = [p for p in self.trainable_params if "wide" not in p.name]
        self.weights_w = ParameterTuple(wide)
        self.weights_d = ParameterTuple(deep)
        self.optimizer_w = nn.Adagrad(
            params=self.weights_w, learning_rate=5e-2, accum=1.0, loss_scale=sens
        )
        self.optimizer_d = nn.Adam(self.weights_d, learning_rate=3.5e-3, eps=1e-8, loss_scale=sens)
        self.grad_w = C.GradOperation(get_by_list=True, sens_param=True)
        self.grad_d = C.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.loss_net_w = First(network, 0)
        self.loss_net_d = First(network, 1)

    def construct(self, batch_ids, batch_wts, label):
        weights_w, weights_d = self.weights_w, self.weights_d
        loss_w, loss_d = self.network(batch_ids, batch_wts, label)
        sens_w = P.Fill()(P.DType()(loss_w), P.Shape()(loss_w), self.sens)
        sens_d = P.Fill()(P.DType()(loss_d), P.Shape()(loss_d), self.sens)
        grads_w = self.grad_w(self.loss_net_w, weights_w)(batch_ids, batch_wts, label, sens_w)
        grads_d = self.grad_d(self.loss_net_d, weights_d)(batch_ids, batch_wts, label, sens_d)
        loss_w = F.depend(loss_w, self.optimizer_w(grads_w))
        loss_d = F.depend(loss_d, self.optimizer_d(grads_d))
        return loss_w, loss_d


def build():
    return WideDeep()


def forward(net, ids, weights, label):
    return P.Sigmoid()(net(ids, weights)[0])


def batch(step):
    rng = np.random.default_rng([16, step])
    ids = rng.integers(0, 3000, (8, 6)).astype(np.int32)
    label = rng.integers(0, 2, (8, 1)).astype(np.float32)
    return ids, rng.random((8, 6)).astype(np.float32), label


def training(net):
    return TrainStepWrap(NetWithLossClass(net))


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
