"""What `mint.nn.functional` has; written by tools/write_stubs.py."""

from sporax._src.core.tensor import Tensor as Tensor
from typing import Any

def adaptive_avg_pool1d(input, output_size) -> Tensor:
    """Means over `output_size` nearly equal parts of the last axis: `(N, C, L)` or `(C, L)`."""
def adaptive_avg_pool2d(input, output_size) -> Tensor:
    r"""Means over $H' \times W'$ nearly equal parts of each plane."""
def adaptive_avg_pool3d(input, output_size) -> Tensor:
    """`adaptive_avg_pool2d` over the last three axes."""
def adaptive_max_pool1d(input, output_size, return_indices=False) -> Tensor:
    """Maxima over `output_size` nearly equal parts of the last axis."""
def adaptive_max_pool2d(input, output_size, return_indices=False) -> Tensor:
    r"""Maxima over $H' \times W'$ nearly equal parts of each plane."""
def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> Tensor:
    """As `avg_pool2d`, for `(N, C, L)`."""
def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> Tensor:
    """The mean of each window of `(N, C, H, W)`, or its sum over `divisor_override` if given."""
def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> Tensor:
    """As `avg_pool2d`, for `(N, C, D, H, W)`; settings are ints or three."""
def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05) -> Tensor:
    """As `ops.batch_norm`; without `weight` and `bias` as with ones and zeros; in training without `running_mean` and `running_var`, no running moments are updated."""
def binary_cross_entropy(input, target, weight=None, reduction='mean') -> Tensor:
    r"""$-w (y \ln x + (1 - y) \ln (1 - x))$ for probabilities $x$ and labels $y$ of one shape."""
def binary_cross_entropy_with_logits(input, target, weight=None, reduction='mean', pos_weight=None) -> Tensor:
    r"""$-w (p \, y \ln \sigma(x) + (1 - y) \ln (1 - \sigma(x)))$, stable for large $|x|$."""
def broadcast_to(input, shape) -> Tensor:
    """Broadcast `input` to `shape`; -1 in it keeps the input's size."""
def clamp(input, min=None, max=None) -> Tensor:
    """Clamp each element between `min` and `max` (numbers, Tensors or None for no bound)."""
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """As `ops.conv1d`; `padding`: an int, or 'valid' or 'same'."""
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """As `ops.conv2d`; `padding`: ints, or 'valid' or 'same'."""
def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """As `ops.conv3d`; `padding`: ints, or 'valid' or 'same'."""
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """The gradient of `conv2d` with respect to its input: `(N, C, H, W)` -> `(N, O, H', W')`."""
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean') -> Tensor:
    r"""$1 - \cos(x_1, x_2)$ where `target` is 1, $\max(0, \cos(x_1, x_2) - margin)$ where it is -1."""
def cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0) -> Tensor:
    r"""$-\ln \operatorname{softmax}(x)_t$ for scores $x$ of the classes (axis 1) and target $t$."""
def dropout(input, p=0.5, training=True, inplace=False) -> Tensor:
    """`ops.dropout` with `p` in [0, 1]; `inplace`: also writes the result to `input`."""
def dropout2d(input, p=0.5, training=True, inplace=False) -> Tensor:
    """`ops.dropout2d`; `inplace`: also writes the result to `input`."""
def elu(input, alpha=1.0, inplace=False) -> Tensor:
    r"""$x$ where it is positive, else $\alpha (e^x - 1)$; `inplace`: also writes to `input`."""
def elu_(input, alpha=1.0) -> Tensor:
    """`elu` in place."""
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False) -> Tensor:
    """Look up rows of `weight` `(rows, size)` by the indices in `input`: `(*)` -> `(*, size)`."""
def flatten(input, start_dim=0, end_dim=-1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` into one."""
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Combine windows given as columns, summed where they overlap: the transpose of `unfold`."""
def gelu(input, *, approximate='none') -> Tensor:
    r"""$x \Phi(x)$, with the normal distribution function $\Phi$ (Hendrycks and Gimpel, 2016)."""
def glu(input, dim=-1) -> Tensor:
    r"""$a \, \sigma(b)$, with $a$ and $b$ the halves of `input` along `axis`."""
def grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None) -> Tensor:
    """Sample `input` `(N, C, H, W)` at the points `grid` `(N, H', W', 2)`, rows (x, y) in [-1, 1]."""
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over each of `num_groups` groups of channels (Wu and He, 2018). `weight`, `bias`: one element per channel (axis 1)."""
def hardshrink(input, lambd=0.5) -> Tensor:
    r"""$x$ where $|x| > \lambda$, else 0."""
def hardsigmoid(input) -> Tensor:
    r"""$\min(\max(x + 3, 0), 6) / 6$, element by element."""
def hardswish(input) -> Tensor:
    r"""$x \min(\max(x + 3, 0), 6) / 6$, element by element."""
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False) -> Tensor:
    r"""$\min(\max(x, min), max)$; `inplace`: also writes to `input`."""
def hardtanh_(input, min_val=-1, max_val=1) -> Tensor:
    """`hardtanh` in place."""
def hinge_embedding_loss(input, target, margin=1.0, reduction='mean') -> Tensor:
    r"""$x$ where `targets` is 1, $\max(0, margin - x)$ where it is -1, 0 elsewhere."""
def interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None) -> Tensor:
    """Resize `input` `(N, C, ...)` along all axes after the first two."""
def kl_div(input, target, reduction='mean', log_target=False) -> Tensor:
    r"""$y (\ln y - x)$ for logarithms $x$ and probabilities $y$; `log_target`: `target` is $\ln y$."""
def l1_loss(input, target, reduction='mean') -> Tensor:
    """$|input - target|$, broadcast together; `reduction`: 'mean', 'sum' or 'none'."""
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over the last axes."""
def leaky_relu(input, negative_slope=0.01) -> Tensor:
    r"""$\max(x, 0) + \alpha \min(x, 0)$, element by element."""
def linear(input, weight, bias=None) -> Tensor:
    r"""$x W^\top + b$: `input` `(*, in)`, `weight` `(out, in)`, `bias` `(out,)` -> `(*, out)`."""
def log_softmax(input, dim=None, *, dtype=None) -> Tensor:
    r"""$x_i - \ln \sum_j e^{x_j}$ along `dim`; None as in `softmax`."""
def logsigmoid(input) -> Tensor:
    r"""$\ln \sigma(x)$, element by element."""
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction='mean') -> Tensor:
    r"""$\max(0, -target (input_1 - input_2) + margin)$: 1 in `target` means that the first should be larger, -1 the second."""
def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False) -> Any:
    """The maximum of each window of `(N, C, H, W)`."""
def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Write each maximum back to its position, zeros elsewhere: `(N, C, H, W)`."""
def mish(input) -> Tensor:
    r"""$x \tanh(\ln(1 + e^x))$, element by element."""
def mse_loss(input, target, reduction='mean') -> Tensor:
    """$(input - target)^2$, broadcast together; `reduction`: 'mean', 'sum' or 'none'."""
def nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean') -> Tensor:
    """$-w_t x_t$ for logarithms of probabilities $x$ of the classes and the true class $t$."""
def normalize(input, p=2.0, dim=1, eps=1e-12) -> Tensor:
    r"""$x / \max(\|x\|_p, \epsilon)$ along `dim`."""
def one_hot(tensor, num_classes=-1) -> Tensor:
    """1 at each index along a new last dimension of size `num_classes` (-1: as large as needed)."""
def pad(input, pad, mode='constant', value=None) -> Tensor:
    """Pad or crop `input_x`."""
def pixel_shuffle(input, upscale_factor) -> Tensor:
    """Channels as finer planes: `(*, C r^2, H, W)` -> `(*, C, H r, W r)`, r = `upscale_factor`."""
def prelu(input, weight) -> Tensor:
    r"""$\max(x, 0) + w \min(x, 0)$; `weight` has one number, or one for each channel (axis 1)."""
def relu(input, inplace=False) -> Tensor:
    r"""$\max(x, 0)$, element by element; its derivative at 0 is 0. `inplace`: updates `input`."""
def relu6(input, inplace=False) -> Tensor:
    r"""$\min(\max(x, 0), 6)$, element by element; `inplace`: also writes to `input`."""
def relu_(input) -> Tensor:
    """`relu` in place."""
def selu(input) -> Tensor:
    r"""$1.0507 (\max(0, x) + \min(0, 1.6733 (e^x - 1)))$, element by element."""
def sigmoid(input) -> Tensor:
    """$1 / (1 + e^{-x})$, element by element."""
def sigmoid_(input) -> Tensor:
    """`sigmoid` in place."""
def silu(input, inplace=False) -> Tensor:
    r"""$x \, \sigma(x)$, element by element; `inplace`: also writes to `input`."""
def smooth_l1_loss(input, target, reduction='mean', beta=1.0) -> Tensor:
    r"""$d^2 / 2\beta$ where $d = |input - target| < \beta$, else $d - \beta / 2$ (Girshick, 2015)."""
def soft_margin_loss(input, target, reduction='mean') -> Tensor:
    r"""$\ln(1 + e^{-target \cdot input})$, `target` being 1 or -1."""
def softmax(input, dim=None, dtype=None) -> Tensor:
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `dim`, in `dtype` if given."""
def softplus(input, beta=1, threshold=20) -> Tensor:
    r"""$\ln(1 + e^{\beta x}) / \beta$; $x$ itself where $\beta x$ exceeds `threshold`."""
def softshrink(input, lambd=0.5) -> Tensor:
    r"""Soft thresholding: $x$ moved toward 0 by $\lambda$, and 0 where $|x| \leq \lambda$."""
def tanh(input) -> Tensor:
    r"""$\tanh x$, element by element."""
def threshold(input, threshold, value, inplace=False) -> Tensor:
    """$x$ where it exceeds `threshold`, else `value`; `inplace`: also writes to `input`."""
def threshold_(input, threshold, value) -> Tensor:
    """`threshold` in place."""
def unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Windows as columns: `(N, C, H, W)` -> `(N, C kh kw, L)`, L being the number of windows."""
def upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None) -> Tensor:
    """Alias of `interpolate`."""
