"""A vision transformer: patches, a class token, learnt positions, AdamW with a warmed-up rate."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, TruncatedNormal, initializer


class PatchEmbedding(nn.Cell):
    def __init__(self, image_size=16, patch_size=4, in_channels=3, embed_dim=16):
        super().__init__()
        self.num_patches = (image_size // patch_size) ** 2
        self.conv = nn.Conv2d(
            in_channels, embed_dim, kernel_size=patch_size, stride=patch_size, has_bias=True
        )
        self.reshape = ops.Reshape()
        self.transpose = ops.Transpose()

    def construct(self, x):
        x = self.conv(x)
        b, c, h, w = x.shape
        x = self.reshape(x, (b, c, h * w))
        return self.transpose(x, (0, 2, 1))


class Attention(nn.Cell):
    def __init__(self, dim, num_heads=4, keep_prob=1.0, attention_keep_prob=1.0):
        super().__init__()
        self.num_heads = num_heads
        head_dim = dim // num_heads
        self.scale = Tensor(head_dim**-0.5)
        self.qkv = nn.Dense(dim, dim * 3)
        self.attn_drop = nn.Dropout(p=1.0 - attention_keep_prob)
        self.out = nn.Dense(dim, dim)
        self.out_drop = nn.Dropout(p=1.0 - keep_prob)
        self.mul = ops.Mul()
        self.reshape = ops.Reshape()
        self.transpose = ops.Transpose()
        self.unstack = ops.Unstack(axis=0)
        self.attn_matmul_v = ops.BatchMatMul()
        self.q_matmul_k = ops.BatchMatMul(transpose_b=True)
        self.softmax = nn.Softmax(axis=-1)

    def construct(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x)
        qkv = self.reshape(qkv, (b, n, 3, self.num_heads, c // self.num_heads))
        qkv = self.transpose(qkv, (2, 0, 3, 1, 4))
        q, k, v = self.unstack(qkv)
        attn = self.q_matmul_k(q, k)
        attn = self.mul(attn, self.scale)
        attn = self.attn_drop(self.softmax(attn))
        out = self.attn_matmul_v(attn, v)
        out = self.transpose(out, (0, 2, 1, 3))
        out = self.reshape(out, (b, n, c))
        return self.out_drop(self.out(out))


class FeedForward(nn.Cell):
    def __init__(self, in_features, hidden_features=None, out_features=None, activation=nn.GELU):
        super().__init__()
        out_features = out_features or in_features
        hidden_features = hidden_features or in_features
        self.dense1 = nn.Dense(in_features, hidden_features)
        self.activation = activation()
        self.dense2 = nn.Dense(hidden_features, out_features)

    def construct(self, x):
        return self.dense2(self.activation(self.dense1(x)))


class ResidualCell(nn.Cell):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def construct(self, x):
        return self.cell(x) + x


class TransformerEncoder(nn.Cell):
    def __init__(self, dim, num_layers, num_heads, mlp_dim, norm=nn.LayerNorm):
        super().__init__()
        layers = []
        for _ in range(num_layers):
            layers.append(
                nn.SequentialCell(
                    [
                        ResidualCell(nn.SequentialCell([norm((dim,)), Attention(dim, num_heads)])),
                        ResidualCell(nn.SequentialCell([norm((dim,)), FeedForward(dim, mlp_dim)])),
                    ]
                )
            )
        self.layers = nn.SequentialCell(layers)

    def construct(self, x):
        return self.layers(x)


def init(init_type, shape, dtype, name, requires_grad):
    initial = initializer(init_type, shape, dtype).init_data()
    return Parameter(initial, name=name, requires_grad=requires_grad)


class ViT(nn.Cell):
    def __init__(self, image_size=16, patch_size=4, embed_dim=16, num_layers=2, num_classes=5):
        super().__init__()
        self.patch_embedding = PatchEmbedding(image_size, patch_size, 3, embed_dim)
        num_patches = self.patch_embedding.num_patches
        self.cls_token = init(
            init_type=Normal(sigma=1.0),
            shape=(1, 1, embed_dim),
            dtype=ms.float32,
            name="cls",
            requires_grad=True,
        )
        self.pos_embedding = init(
            init_type=TruncatedNormal(sigma=0.02),
            shape=(1, num_patches + 1, embed_dim),
            dtype=ms.float32,
            name="pos_embedding",
            requires_grad=True,
        )
        self.transformer = TransformerEncoder(embed_dim, num_layers, num_heads=4, mlp_dim=32)
        self.pool = ops.Identity()
        self.norm = nn.LayerNorm((embed_dim,), epsilon=1e-6)
        self.head = nn.Dense(embed_dim, num_classes, weight_init="xavier_uniform")
        self.tile = ops.Tile()

    def construct(self, x):
        x = self.patch_embedding(x)
        cls_tokens = self.tile(self.cls_token.astype(x.dtype), (x.shape[0], 1, 1))
        x = ops.concat((cls_tokens, x), axis=1)
        x += self.pos_embedding
        x = self.norm(self.transformer(x))
        return self.head(self.pool(x[:, 0]))


class WarmUpCosine(nn.learning_rate_schedule.LearningRateSchedule):
    def __init__(self, peak, floor, warmup_steps, decay_steps):
        super().__init__()
        self.warmup_steps = warmup_steps
        self.warmup = nn.WarmUpLR(peak, warmup_steps)
        self.cosine = nn.CosineDecayLR(floor, peak, decay_steps)
        self.one = Tensor(np.array([1.0]).astype(np.float32))
        self.greater = ops.Greater()
        self.cast = ops.Cast()

    def construct(self, global_step):
        is_warmup = self.cast(self.greater(self.warmup_steps, global_step), ms.float32)
        rate = self.cosine(global_step)
        return (self.one - is_warmup) * rate + is_warmup * self.warmup(global_step)


def build():
    return ViT()


def batch(step):
    rng = np.random.default_rng([7, step])
    images = rng.standard_normal((4, 3, 16, 16)).astype(np.float32)
    return images, rng.integers(0, 5, 4).astype(np.int32)


def decays(parameter):
    return "beta" not in parameter.name and "gamma" not in parameter.name


def training(net):
    net.set_train()
    parameters = net.trainable_params()
    groups = [
        {"params": list(filter(decays, parameters)), "weight_decay": 0.05},
        {"params": list(filter(lambda p: not decays(p), parameters))},
        {"order_params": parameters},
    ]
    optimizer = nn.AdamWeightDecay(groups, WarmUpCosine(2e-3, 1e-5, 2, 10), beta1=0.9, beta2=0.99)
    criterion = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return nn.TrainOneStepCell(nn.WithLossCell(net, criterion), optimizer, sens=1.0)


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
