"""A diffusion model's U-Net: sinusoids of time, group norms, attention, and a table of noise."""

import math
from functools import partial

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import initializer


def exists(x):
    return x is not None


def default(value, other):
    return value if exists(value) else other()


class Residual(nn.Cell):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, x, *args, **kwargs):
        return self.fn(x, *args, **kwargs) + x


class SinusoidalPositionEmbeddings(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        half_dim = dim // 2
        emb = math.log(10000) / (half_dim - 1)
        self.emb = Tensor(np.exp(np.arange(half_dim) * -emb), ms.float32)

    def construct(self, x):
        emb = x[:, None] * self.emb[None, :]
        return ops.concat((ops.sin(emb), ops.cos(emb)), axis=-1)


class Block(nn.Cell):
    def __init__(self, dim, dim_out, groups=2):
        super().__init__()
        self.proj = nn.Conv2d(dim, dim_out, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.GroupNorm(groups, dim_out)
        self.act = nn.SiLU()

    def construct(self, x, scale_shift=None):
        x = self.norm(self.proj(x))
        if exists(scale_shift):
            scale, shift = scale_shift
            x = x * (scale + 1) + shift
        return self.act(x)


class ResnetBlock(nn.Cell):
    def __init__(self, dim, dim_out, *, time_emb_dim=None, groups=2):
        super().__init__()
        self.mlp = (
            nn.SequentialCell(nn.SiLU(), nn.Dense(time_emb_dim, dim_out * 2))
            if exists(time_emb_dim)
            else None
        )
        self.block1 = Block(dim, dim_out, groups=groups)
        self.block2 = Block(dim_out, dim_out, groups=groups)
        same = dim == dim_out
        self.res_conv = nn.Identity() if same else nn.Conv2d(dim, dim_out, 1, has_bias=True)

    def construct(self, x, time_emb=None):
        scale_shift = None
        if exists(self.mlp) and exists(time_emb):
            time_emb = self.mlp(time_emb).expand_dims(-1).expand_dims(-1)
            scale_shift = time_emb.chunk(2, axis=1)
        h = self.block2(self.block1(x, scale_shift=scale_shift))
        return h + self.res_conv(x)


class Attention(nn.Cell):
    def __init__(self, dim, heads=2, dim_head=4):
        super().__init__()
        self.scale = dim_head**-0.5
        self.heads = heads
        hidden_dim = dim_head * heads
        self.to_qkv = nn.Conv2d(dim, hidden_dim * 3, 1, pad_mode="valid", has_bias=False)
        self.to_out = nn.Conv2d(hidden_dim, dim, 1, pad_mode="valid", has_bias=True)
        self.map = ops.Map()
        self.partial = ops.Partial()
        self.bmm = ops.BatchMatMul()

    def construct(self, x):
        b, _, h, w = x.shape
        qkv = ops.split(self.to_qkv(x), self.heads * 4, axis=1)
        q, k, v = self.map(self.partial(rearrange, self.heads), qkv)
        q = q * self.scale
        sim = self.bmm(q.swapaxes(2, 3), k)
        attn = ops.softmax(sim - sim.max(axis=-1, keepdims=True), axis=-1)
        out = self.bmm(attn, v.swapaxes(2, 3))
        out = out.swapaxes(-1, -2).reshape((b, -1, h, w))
        return self.to_out(out)


def rearrange(heads, x):
    b, c, h, w = x.shape
    return x.reshape((b, heads, c // heads, h * w))


class LayerNorm(nn.Cell):
    """Over channels, at each place."""

    def __init__(self, dim):
        super().__init__()
        self.g = Parameter(initializer("ones", (1, dim, 1, 1)), name="g")

    def construct(self, x):
        eps = 1e-5
        var = x.var(1, keepdims=True)
        mean = x.mean(1, keep_dims=True)
        return (x - mean) * ops.rsqrt(var + eps) * self.g


class PreNorm(nn.Cell):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = LayerNorm(dim)

    def construct(self, x):
        return self.fn(self.norm(x))


class Upsample(nn.Cell):
    def __init__(self, dim, dim_out=None):
        super().__init__()
        self.conv = nn.Conv2d(dim, default(dim_out, lambda: dim), 3, pad_mode="same")

    def construct(self, x):
        h, w = x.shape[-2:]
        return self.conv(ops.interpolate(x, size=(h * 2, w * 2), mode="nearest"))


class Unet(nn.Cell):
    def __init__(self, dim=8, dim_mults=(1, 2), channels=1):
        super().__init__()
        self.init_conv = nn.Conv2d(channels, dim, 7, padding=3, pad_mode="pad", has_bias=True)
        dims = [dim, *[dim * m for m in dim_mults]]
        in_out = list(zip(dims[:-1], dims[1:]))
        time_dim = dim * 2
        self.time_mlp = nn.SequentialCell(
            SinusoidalPositionEmbeddings(dim),
            nn.Dense(dim, time_dim),
            nn.GELU(),
            nn.Dense(time_dim, time_dim),
        )
        block = partial(ResnetBlock, time_emb_dim=time_dim)
        self.downs = nn.CellList([])
        self.ups = nn.CellList([])
        for i, (a, b) in enumerate(in_out):
            last = i == len(in_out) - 1
            down = (
                nn.Conv2d(a, b, 3, pad_mode="same")
                if last
                else nn.Conv2d(a, b, 4, 2, pad_mode="pad", padding=1)
            )
            self.downs.append(nn.CellList([block(a, a), Residual(PreNorm(a, Attention(a))), down]))
        self.mid = block(dims[-1], dims[-1])
        for i, (a, b) in enumerate(reversed(in_out)):
            last = i == len(in_out) - 1
            up = nn.Conv2d(b, a, 3, pad_mode="same") if last else Upsample(b, a)
            self.ups.append(nn.CellList([block(a + b, b), up]))
        self.final_res_block = block(dim * 2, dim)
        self.final_conv = nn.Conv2d(dim, channels, 1, has_bias=True)

    def construct(self, x, time):
        x = self.init_conv(x)
        r = x.copy()
        t = self.time_mlp(time)
        h = []
        for block, attn, downsample in self.downs:
            x = attn(block(x, t))
            h.append(x)
            x = downsample(x)
        x = self.mid(x, t)
        for block, upsample in self.ups:
            x = ops.concat((x, h.pop()), 1)
            x = upsample(block(x, t))
        x = ops.concat((x, r), 1)
        return self.final_conv(self.final_res_block(x, t))


TIMESTEPS = 20
BETAS = np.linspace(1e-4, 0.02, TIMESTEPS).astype(np.float32)
ALPHAS_CUMPROD = np.cumprod(1.0 - BETAS, axis=0)
SQRT_ALPHAS_CUMPROD = Tensor(np.sqrt(ALPHAS_CUMPROD))
SQRT_ONE_MINUS_ALPHAS_CUMPROD = Tensor(np.sqrt(1.0 - ALPHAS_CUMPROD))


def extract(a, t, x_shape):
    out = ops.gather_elements(a, -1, t)
    return out.reshape((t.shape[0], *(1,) * (len(x_shape) - 1)))


def q_sample(x_start, t, noise):
    return (
        extract(SQRT_ALPHAS_CUMPROD, t, x_start.shape) * x_start
        + extract(SQRT_ONE_MINUS_ALPHAS_CUMPROD, t, x_start.shape) * noise
    )


def build():
    return Unet()


def forward(net, x, t, noise):
    return net(q_sample(x, t, noise), t)


def batch(step):
    rng = np.random.default_rng([20, step])
    x, noise = rng.standard_normal((2, 2, 1, 8, 8)).astype(np.float32)
    return x, rng.integers(0, TIMESTEPS, 2).astype(np.int32), noise


def training(net):
    for name, parameter in net.parameters_and_names():
        parameter.name = name  # blocks that were appended to a list kept earlier share names
    net.set_train()
    lr = nn.cosine_decay_lr(1e-7, 1e-3, total_step=10, step_per_epoch=5, decay_epoch=2)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=lr)

    def p_losses(x, t, noise):
        found = net(q_sample(x, t, noise), t)
        return ops.smooth_l1_loss(found, noise).mean()

    grad_fn = ms.value_and_grad(p_losses, None, optimizer.parameters, has_aux=False)

    def train_step(x, t, noise):
        loss, grads = grad_fn(x, t, noise)
        optimizer(grads)
        return loss

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
