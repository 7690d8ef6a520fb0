"""What `mint.nn.functional` has; written by tools/write_stubs.py."""

from sporax.core.tensor import Tensor as Tensor

def adaptive_avg_pool1d(input, output_size) -> Tensor:
    """Means over `output_size` nearly equal parts of the last axis: `(N, C, L)` or `(C, L)`."""
def adaptive_avg_pool2d(input, output_size) -> Tensor:
    r"""Means over $H' \times W'$ nearly equal parts of each plane."""
def adaptive_avg_pool3d(input, output_size) -> Tensor:
    """As `adaptive_avg_pool2d`, of the last three axes."""
def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> Tensor:
    """The mean of each window of `(N, C, H, W)`, the sum over `divisor_override` if that is given."""
def batch_norm(input, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$ for each channel (axis 1)."""
def binary_cross_entropy(input, target, weight=None, reduction='mean') -> Tensor:
    r"""$-w (y \ln x + (1 - y) \ln (1 - x))$ for probabilities $x$ and labels $y$ of one shape."""
def binary_cross_entropy_with_logits(input, target, weight=None, reduction='mean', pos_weight=None) -> Tensor:
    r"""$-w (p \, y \ln \sigma(x) + (1 - y) \ln (1 - \sigma(x)))$, stable for large $|x|$."""
def broadcast_to(input, shape) -> Tensor:
    """`input` repeated to fill `shape`; -1 in it keeps the size that is there."""
def clamp(input, min=None, max=None) -> Tensor:
    """Each element kept between `min` and `max` (numbers, Tensors or None for no bound)."""
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """As `ops.conv2d`; `padding`: ints, or 'valid' or 'same'."""
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """As `ops.conv3d`; `padding`: ints, or 'valid' or 'same'."""
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """The gradient of `conv2d` by its input: `(N, C, H, W)` -> `(N, O, H', W')`."""
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean') -> Tensor:
    r"""$1 - \cos(x_1, x_2)$ where `target` is 1, $\max(0, \cos(x_1, x_2) - margin)$ where it is -1."""
def cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0) -> Tensor:
    r"""$-\ln \operatorname{softmax}(x)_t$ for scores $x$ of the classes (axis 1) and target $t$."""
def dropout(input, p=0.5, training=True, inplace=False) -> Tensor:
    """`ops.dropout` with `p` in [0, 1]; `inplace`: the result is put into `input` too."""
def dropout2d(input, p=0.5, training=True, inplace=False) -> Tensor:
    """`ops.dropout2d`; `inplace`: the result is put into `input` too."""
def elu(input, alpha=1.0) -> Tensor:
    r"""$x$ where it is positive, else $\alpha (e^x - 1)$ (Clevert et al., 2016)."""
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False) -> Tensor:
    """Rows of `weight` `(rows, size)` by the indices in `input`: `(*)` -> `(*, size)`."""
def flatten(input, start_dim=0, end_dim=-1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` made into one."""
def gelu(input, *, approximate='none') -> Tensor:
    r"""$x \Phi(x)$, with the normal distribution function $\Phi$ (Hendrycks and Gimpel, 2016)."""
def glu(input, dim=-1) -> Tensor:
    r"""$a \, \sigma(b)$, with $a$ and $b$ the halves of `input` along `axis`."""
def grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None) -> Tensor:
    """`input` `(N, C, H, W)` at the places `grid` `(N, H', W', 2)`, rows (x, y) in [-1, 1]."""
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over each of `num_groups` groups of channels (Wu and He, 2018). `weight`, `bias`: one number for each channel (axis 1)."""
def hardshrink(input, lambd=0.5) -> Tensor:
    r"""$x$ where $|x| > \lambda$, else 0."""
def hardsigmoid(input) -> Tensor:
    r"""$\min(\max(x + 3, 0), 6) / 6$, element by element."""
def hardswish(input) -> Tensor:
    r"""$x \min(\max(x + 3, 0), 6) / 6$, element by element."""
def hardtanh(input, min_val=-1.0, max_val=1.0) -> Tensor:
    r"""$\min(\max(x, min), max)$; its derivative at the bounds is 0."""
def hinge_embedding_loss(input, target, margin=1.0, reduction='mean') -> Tensor:
    r"""$x$ where `targets` is 1, $\max(0, margin - x)$ where it is -1, 0 elsewhere."""
def interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None) -> Tensor:
    """`input` `(N, C, ...)` resized along all axes after the first two."""
def kl_div(input, target, reduction='mean') -> Tensor:
    r"""$y (\ln y - x)$ for logarithms of probabilities $x$ and probabilities $y$."""
def l1_loss(input, target, reduction='mean') -> Tensor:
    """$|input - target|$, broadcast together; `reduction`: 'mean', 'sum' or 'none'."""
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over the last axes."""
def leaky_relu(input, negative_slope=0.01) -> Tensor:
    r"""$\max(x, 0) + \alpha \min(x, 0)$, element by element."""
def linear(input, weight, bias=None) -> Tensor:
    r"""$x W^\top + b$: `input` `(*, in)`, `weight` `(out, in)`, `bias` `(out,)` -> `(*, out)`."""
def log_softmax(input, dim, *, dtype=None) -> Tensor:
    r"""$x_i - \ln \sum_j e^{x_j}$ along `axis`."""
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction='mean') -> Tensor:
    r"""$\max(0, -target (input_1 - input_2) + margin)$: 1 in `target` says that the first should be larger, -1 the second."""
def max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False) -> Tensor:
    """The greatest number of each window of `(N, C, H, W)`."""
def mse_loss(input, target, reduction='mean') -> Tensor:
    """$(input - target)^2$, broadcast together; `reduction`: 'mean', 'sum' or 'none'."""
def nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean') -> Tensor:
    """$-w_t x_t$ for logarithms of probabilities $x$ of the classes and the true class $t$."""
def one_hot(tensor, num_classes=-1) -> Tensor:
    """1 at each index along a new last dimension of size `num_classes` (-1: as large as needed)."""
def pad(input, pad, mode='constant', value=None) -> Tensor:
    """`input_x` continued beyond its edges, or cut."""
def pixel_shuffle(input, upscale_factor) -> Tensor:
    """Channels as finer planes: `(*, C r^2, H, W)` -> `(*, C, H r, W r)`, r = `upscale_factor`."""
def prelu(input, weight) -> Tensor:
    r"""$\max(x, 0) + w \min(x, 0)$; `weight` has one number, or one for each channel (axis 1)."""
def relu(input, inplace=False) -> Tensor:
    r"""$\max(x, 0)$, element by element; its derivative at 0 is 0. `inplace`: change `input` too."""
def sigmoid(input) -> Tensor:
    """$1 / (1 + e^{-x})$, element by element."""
def smooth_l1_loss(input, target, reduction='mean', beta=1.0) -> Tensor:
    r"""$d^2 / 2\beta$ where $d = |input - target| < \beta$, else $d - \beta / 2$ (Girshick, 2015)."""
def soft_margin_loss(input, target, reduction='mean') -> Tensor:
    r"""$\ln(1 + e^{-target \cdot input})$, `target` being 1 or -1."""
def softmax(input, dim, dtype=None) -> Tensor:
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `axis`, in `dtype` if given."""
def softplus(input, beta=1, threshold=20) -> Tensor:
    r"""$\ln(1 + e^{\beta x}) / \beta$; $x$ itself where $\beta x$ exceeds `threshold`."""
def softshrink(input, lambd=0.5) -> Tensor:
    r"""$x$ moved toward 0 by $\lambda$, and 0 where $|x| \leq \lambda$."""
def tanh(input) -> Tensor:
    r"""$\tanh x$, element by element."""
def unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Windows as columns: `(N, C, H, W)` -> `(N, C kh kw, L)`, L being how many windows there are."""
