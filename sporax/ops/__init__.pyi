"""The operations, by name; written by tools/write_stubs.py."""

from sporax._src.core.dtype import Type as Type
from sporax._src.core.tensor import Tensor as Tensor
from sporax._src.core.tensor import is_tensor as is_tensor
from sporax._src.transforms.autodiff.grad import GradOperation as GradOperation
from sporax._src.transforms.autodiff.grad import get_grad as get_grad
from sporax._src.transforms.autodiff.grad import grad as grad
from sporax._src.transforms.autodiff.grad import value_and_grad as value_and_grad
from sporax._src.transforms.autodiff.jacobian import jacfwd as jacfwd
from sporax._src.transforms.autodiff.jacobian import jacrev as jacrev
from sporax._src.transforms.autodiff.jacobian import jvp as jvp
from sporax._src.transforms.autodiff.jacobian import vjp as vjp
from sporax._src.transforms.autodiff.no_grad import stop_gradient as stop_gradient
from sporax._src.transforms.batching.vmap import vmap as vmap
from sporax.ops.communication.groups import ReduceOp as ReduceOp
from sporax.ops.communication.in_place import P2POp as P2POp
from sporax.ops.communication.in_place import barrier as barrier
from sporax.ops.communication.in_place import batch_isend_irecv as batch_isend_irecv
from sporax.ops.communication.in_place import irecv as irecv
from sporax.ops.communication.in_place import recv as recv
from sporax.ops.communication.in_place import set_comm_ops_inplace as set_comm_ops_inplace
from sporax.ops.communication.objects import all_gather_object as all_gather_object
from sporax.ops.communication.objects import broadcast_object_list as broadcast_object_list
from sporax.ops.communication.objects import gather_object as gather_object
from sporax.ops.communication.objects import recv_object_list as recv_object_list
from sporax.ops.communication.objects import scatter_object_list as scatter_object_list
from sporax.ops.communication.objects import send_object_list as send_object_list
from sporax.ops.communication.process_groups import TCPStore as TCPStore
from sporax.ops.communication.process_groups import destroy_process_group as destroy_process_group
from sporax.ops.communication.process_groups import get_backend as get_backend
from sporax.ops.communication.process_groups import get_global_rank as get_global_rank
from sporax.ops.communication.process_groups import get_group_rank as get_group_rank
from sporax.ops.communication.process_groups import get_process_group_ranks as get_process_group_ranks
from sporax.ops.communication.process_groups import get_rank as get_rank
from sporax.ops.communication.process_groups import get_world_size as get_world_size
from sporax.ops.communication.process_groups import init_process_group as init_process_group
from sporax.ops.communication.process_groups import is_available as is_available
from sporax.ops.communication.process_groups import is_initialized as is_initialized
from sporax.ops.communication.process_groups import new_group as new_group
from sporax.ops.control import ForiLoop as ForiLoop
from sporax.ops.control import Scan as Scan
from sporax.ops.control import WhileLoop as WhileLoop
from sporax.ops.custom import Custom as Custom
from sporax.ops.custom import CustomRegOp as CustomRegOp
from sporax.ops.custom import DataType as DataType
from sporax.ops.custom import custom_info_register as custom_info_register
from sporax.ops.debugging import DumpGradient as DumpGradient
from sporax.ops.debugging import InsertGradientOf as InsertGradientOf
from sporax.ops.debugging import Print as Print
from sporax.ops.debugging import TensorDump as TensorDump
from sporax.ops.debugging import print_ as print_
from sporax.ops.debugging import tensordump as tensordump
from sporax.ops.differentiation import HookBackward as HookBackward
from sporax.ops.differentiation import StopGradient as StopGradient
from sporax.ops.differentiation import linearize as linearize
from sporax.ops.differentiation import stop_gradient_ as stop_gradient_
from sporax.ops.frontend.registries import get_vm_impl_fn as get_vm_impl_fn
from sporax.ops.frontend.transforms import _Grad as _Grad
from sporax.ops.frontend.transforms import _Vmap as _Vmap
from sporax.ops.frontend.types import DtypeToEnum as DtypeToEnum
from sporax.ops.host_functions import Morph as Morph
from sporax.ops.host_functions import PyExecute as PyExecute
from sporax.ops.host_functions import PyFunc as PyFunc
from sporax.ops.host_functions import Reusing as Reusing
from sporax.ops.host_functions import UpdateState as UpdateState
from sporax.ops.host_functions import _ms_pyfunc as _ms_pyfunc
from sporax.ops.host_functions import kernel as kernel
from sporax.ops.host_functions import ms_kernel as ms_kernel
from sporax.ops.kernel_info import AiCPURegOp as AiCPURegOp
from sporax.ops.kernel_info import AkgAscendRegOp as AkgAscendRegOp
from sporax.ops.kernel_info import AkgGpuRegOp as AkgGpuRegOp
from sporax.ops.kernel_info import CpuRegOp as CpuRegOp
from sporax.ops.kernel_info import TBERegOp as TBERegOp
from sporax.ops.kernel_info import op_info_register as op_info_register
from sporax.ops.mapping import HyperMap as HyperMap
from sporax.ops.mapping import Map as Map
from sporax.ops.mapping import MultitypeFuncGraph as MultitypeFuncGraph
from sporax.ops.mapping import Partial as Partial
from sporax.ops.mapping import _add_attr as _add_attr
from sporax.ops.mapping import add_flags as add_flags
from sporax.ops.mapping import tail as tail
from sporax.ops.primitive import Primitive as Primitive
from sporax.ops.primitive import PrimitiveWithCheck as PrimitiveWithCheck
from sporax.ops.primitive import PrimitiveWithInfer as PrimitiveWithInfer
from sporax.ops.primitive import _get_cache_prim as _get_cache_prim
from sporax.ops.primitive import prim_arg_register as prim_arg_register
from sporax.ops.primitive import prim_attr_register as prim_attr_register
from sporax.ops.sparse.tensors import COOTensor as COOTensor
from sporax.ops.sparse.tensors import CSRTensor as CSRTensor
from sporax.ops.sparse.tensors import RowTensor as RowTensor
from sporax.ops.sparse.tensors import RowTensorInner as RowTensorInner
from sporax.ops.taylor import derivative as derivative
from sporax.ops.taylor import jet as jet
from typing import Any
import builtins

class ACos(Primitive):
    r"""$\arccos x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Abs(Primitive):
    """$|x|$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class AccumulateNV2(Primitive):
    """The sum of Tensors of one shape: a tuple or list of them."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Acosh(Primitive):
    r"""$\operatorname{arcosh} x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Adam(Primitive):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$, $w \leftarrow w - \eta \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m}{\sqrt{v} + eps}$."""
    def __init__(self, use_locking=False, use_nesterov=False) -> None: ...
    def __call__(self, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient) -> builtins.tuple: ...
class AdamNoUpdateParam(Primitive):
    """Return the change that `Adam` adds to the weights, which are not changed; `m` and `v` are."""
    def __init__(self, use_locking=False, use_nesterov=False) -> None: ...
    def __call__(self, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient) -> Tensor: ...
class AdamWeightDecay(Primitive):
    r"""$m$, $v$ as in `Adam`, $w \leftarrow w - \eta (\frac{m}{\sqrt{v} + eps} + \lambda w)$."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, m, v, lr, beta1, beta2, epsilon, decay, gradient) -> builtins.tuple: ...
class AdaptiveAvgPool2D(Primitive):
    r"""Means over $H' \times W'$ nearly equal parts of each plane."""
    def __init__(self, output_size) -> None: ...
    def __call__(self, input) -> Tensor: ...
class AdaptiveAvgPool3D(Primitive):
    """`adaptive_avg_pool2d` over the last three axes."""
    def __init__(self, output_size) -> None: ...
    def __call__(self, input) -> Tensor: ...
class AdaptiveMaxPool2D(Primitive):
    """`adaptive_max_pool2d`, and the index of each maximum in its plane (Int64)."""
    def __init__(self, output_size) -> None: ...
    def __call__(self, input) -> builtins.tuple[Tensor, ...]: ...
class AdaptiveMaxPool3D(Primitive):
    """`adaptive_max_pool3d`, and the index of each maximum in its volume (Int32)."""
    def __init__(self) -> None: ...
    def __call__(self, x, output_size) -> builtins.tuple[Tensor, ...]: ...
class Add(Primitive):
    """$input + other$, broadcast together; on Bool, "or"."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class AddN(Primitive):
    """The sum of Tensors of one shape: a tuple or list of them."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Addcdiv(Primitive):
    r"""$input + value \cdot tensor1 / tensor2$."""
    def __init__(self) -> None: ...
    def __call__(self, input, tensor1, tensor2, value) -> Tensor: ...
class Addcmul(Primitive):
    r"""$input + value \cdot tensor1 \cdot tensor2$."""
    def __init__(self) -> None: ...
    def __call__(self, input, tensor1, tensor2, value) -> Tensor: ...
class AdjustHue(Primitive):
    """Add `delta` to the hue of colours `(*, 3)`; 1 is a full turn."""
    def __init__(self) -> None: ...
    def __call__(self, image, delta) -> Tensor: ...
class AdjustSaturation(Primitive):
    """Multiply the saturation of colours `(*, 3)` by `scale`, clipped to [0, 1]."""
    def __init__(self) -> None: ...
    def __call__(self, image, scale) -> Tensor: ...
class AffineGrid(Primitive):
    """Map the points of an image by each affine map `theta` `(N, 2, 3)`: `(N, H, W, 2)`."""
    def __init__(self, align_corners=False) -> None: ...
    def __call__(self, theta, size) -> Tensor: ...
class AllGather(Primitive):
    """Concatenate all processes' Tensors along the first axis."""
    def __init__(self, group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class AllGatherV(Primitive):
    """Concatenate all processes' Tensors; `output_split_sizes`: the length of each."""
    def __init__(self, group='hccl_world_group') -> None: ...
    def __call__(self, input_x, output_split_sizes) -> Tensor: ...
class AllReduce(Primitive):
    """Reduce all processes' Tensors (sum, or `op`); every process gets the result."""
    def __init__(self, op='sum', group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class AlltoAll(Primitive):
    """Exchange parts along `split_dim`; concatenate the received parts along `concat_dim`."""
    def __init__(self, split_count, split_dim, concat_dim, group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class AlltoAllV(Primitive):
    """Exchange elements of flat Tensors; returns the received ones."""
    def __init__(self, group='hccl_world_group', block_size=1) -> None: ...
    def __call__(self, input_x, send_numel_list, recv_numel_list) -> Tensor: ...
class AlltoAllVC(Primitive):
    """As `AlltoAllV`; `send_count_matrix[i * ranks + j]`: the number of blocks that process `i` sends to `j`, with `transpose` that `j` sends to `i`."""
    def __init__(self, group='hccl_world_group', block_size=1, transpose=False) -> None: ...
    def __call__(self, input_x, send_count_matrix) -> Tensor: ...
class Angle(Primitive):
    r"""The angle $\operatorname{atan2}(b, a)$ of $a + b i$; 0 or $\pi$ for a real number."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class ApplyAdaMax(Primitive):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \max(\beta_2 v, |g|)$, $w \leftarrow w - \frac{\eta}{1 - \beta_1^t} \frac{m}{v + eps}$."""
    def __init__(self) -> None: ...
    def __call__(self, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad) -> builtins.tuple: ...
class ApplyAdadelta(Primitive):
    r"""$s \leftarrow \rho s + (1 - \rho) g^2$, $d = \sqrt{\frac{u + \epsilon}{s + \epsilon}} g$, $u \leftarrow \rho u + (1 - \rho) d^2$, $w \leftarrow w - \eta d$."""
    def __init__(self) -> None: ...
    def __call__(self, var, accum, accum_update, lr, rho, epsilon, grad) -> builtins.tuple: ...
class ApplyAdagrad(Primitive):
    r"""$s \leftarrow s + g^2$ (if `update_slots`), $w \leftarrow w - \frac{\eta g}{\sqrt{s} + eps}$; $s$ is `accum`."""
    def __init__(self, update_slots=True) -> None: ...
    def __call__(self, var, accum, lr, grad) -> builtins.tuple: ...
class ApplyAdagradDA(Primitive):
    r"""$a \leftarrow a + g$, $s \leftarrow s + g^2$, $w \leftarrow \frac{-\eta \operatorname{sign}(a) \max(|a| - l_1 t, 0)}{l_2 t \eta + \sqrt{s}}$; $t$ is `global_step`."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step) -> Tensor: ...
class ApplyAdagradV2(Primitive):
    r"""$s \leftarrow s + g^2$ (if `update_slots`), $w \leftarrow w - \frac{\eta g}{\sqrt{s} + eps}$; $s$ is `accum`."""
    def __init__(self, epsilon, update_slots=True) -> None: ...
    def __call__(self, var, accum, lr, grad) -> builtins.tuple: ...
class ApplyAdamWithAmsgrad(Primitive):
    r"""`Adam` with $\hat v \leftarrow \max(\hat v, v)$ in place of $v$ under the root."""
    def __init__(self, beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False) -> None: ...
    def __call__(self, var, m, v, vhat, beta1_power, beta2_power, lr, grad) -> builtins.tuple: ...
class ApplyAdamWithAmsgradV2(Primitive):
    r"""`Adam` with $\hat v \leftarrow \max(\hat v, v)$ in place of $v$ under the root."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad) -> builtins.tuple: ...
class ApplyAddSign(Primitive):
    r"""$m \leftarrow \beta m + (1 - \beta) g$, $w \leftarrow w - \eta (\alpha + d \operatorname{ sign}(g) \operatorname{sign}(m)) g$; $d$ is `sign_decay`."""
    def __init__(self) -> None: ...
    def __call__(self, var, m, lr, alpha, sign_decay, beta, grad) -> builtins.tuple: ...
class ApplyCenteredRMSProp(Primitive):
    """`ApplyRMSProp` with the square of the gradient's running mean subtracted under the root."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, mean_gradient, mean_square, moment, grad, learning_rate, decay, momentum, epsilon) -> Tensor: ...
class ApplyFtrl(Primitive):
    r"""$s' = s + g^2$, $z \leftarrow z + g - \frac{s'^{-q} - s^{-q}}{\eta} w$, then $w \leftarrow \frac{\operatorname{sign}(z) l_1 - z}{s'^{-q} / \eta + 2 l_2}$ where $|z| > l_1$ and 0 elsewhere; $s$ is `accum`, $z$ `linear`, $q$ `lr_power`."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, accum, linear, grad, lr, l1, l2, lr_power) -> Tensor: ...
class ApplyGradientDescent(Primitive):
    r"""$w \leftarrow w - \alpha \delta$."""
    def __init__(self) -> None: ...
    def __call__(self, var, alpha, delta) -> Tensor: ...
class ApplyKerasMomentum(Primitive):
    r"""$v \leftarrow u v - \eta g$, $w \leftarrow w + v$; `use_nesterov`: $w \leftarrow w + u v - \eta g$."""
    def __init__(self, use_locking=False, use_nesterov=False) -> None: ...
    def __call__(self, var, accum, lr, grad, momentum) -> builtins.tuple: ...
class ApplyMomentum(Primitive):
    r"""$v \leftarrow u v + g$, $w \leftarrow w - \eta v$, $u$ being `momentum`, $v$ `accumulation`."""
    def __init__(self, use_nesterov=False, use_locking=False, gradient_scale=1.0) -> None: ...
    def __call__(self, variable, accumulation, learning_rate, gradient, momentum) -> Tensor: ...
class ApplyPowerSign(Primitive):
    r"""$m \leftarrow \beta m + (1 - \beta) g$, $w \leftarrow w - \eta e^{b d \operatorname{sign}(g) \operatorname{sign}(m)} g$; $b$ is `logbase`, $d$ `sign_decay`."""
    def __init__(self) -> None: ...
    def __call__(self, var, m, lr, logbase, sign_decay, beta, grad) -> builtins.tuple: ...
class ApplyProximalAdagrad(Primitive):
    r"""$s \leftarrow s + g^2$, $p = w - \frac{\eta}{\sqrt{s}} g$, $w \leftarrow \frac{\operatorname{sign}(p)}{1 + \eta l_2 / \sqrt{s}} \max(|p| - \eta l_1 / \sqrt{s}, 0)$."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, accum, lr, l1, l2, grad) -> builtins.tuple: ...
class ApplyProximalGradientDescent(Primitive):
    r"""$p = w - \alpha \delta$, $w \leftarrow \frac{\operatorname{sign}(p)}{1 + \alpha l_2} \max(|p| - \alpha l_1, 0)$."""
    def __init__(self) -> None: ...
    def __call__(self, var, alpha, l1, l2, delta) -> Tensor: ...
class ApplyRMSProp(Primitive):
    r"""$s \leftarrow \rho s + (1 - \rho) g^2$, $m \leftarrow u m + \eta g / \sqrt{s + eps}$, $w \leftarrow w - m$; $\rho$ is `decay`, $u$ `momentum`."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, mean_square, moment, learning_rate, grad, decay, momentum, epsilon) -> Tensor: ...
class ApplyRotaryPosEmb(Primitive):
    """Rotate `query` and `key` as `rotary_position_embedding` does."""
    def __init__(self, cos_format=0) -> None: ...
    def __call__(self, query, key, cos, sin, position_ids) -> builtins.tuple[Tensor, ...]: ...
class ApproximateEqual(Primitive):
    """Return True where $|x - y|$ is less than `tolerance`."""
    def __init__(self, tolerance=1e-05) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class ArgMaxWithValue(Primitive):
    """The index (Int64) of the largest element along `axis`, and that element."""
    def __init__(self, axis=0, keep_dims=False) -> None: ...
    def __call__(self, input) -> builtins.tuple[Tensor, ...]: ...
class ArgMinWithValue(Primitive):
    """The index (Int64) of the smallest element along `axis`, and that element."""
    def __init__(self, axis=0, keep_dims=False) -> None: ...
    def __call__(self, input) -> builtins.tuple[Tensor, ...]: ...
class Argmax(Primitive):
    """The index of the largest element along `dim`, or among all elements if None: Int64."""
    def __init__(self, axis=-1, output_type=...) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class Argmin(Primitive):
    """The index of the smallest element along `axis`, or among all elements if None: Int32."""
    def __init__(self, axis=-1, output_type=...) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Asin(Primitive):
    r"""$\arcsin x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Asinh(Primitive):
    r"""$\operatorname{arsinh} x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Assert(Primitive):
    """Raise RuntimeError unless `condition`, a bool or a one-element Tensor, is true; the message shows the first `summarize` elements of each Tensor of `inputs`."""
    def __init__(self, summarize=3) -> None: ...
    def __call__(self, condition, inputs) -> Tensor: ...
class Assign(Primitive):
    """Assign `value`, a Tensor of the same shape or a number, to `variable`, cast to its dtype."""
    def __init__(self) -> None: ...
    def __call__(self, variable, value) -> Tensor: ...
class AssignAdd(Primitive):
    """Add `value` to `variable` in place."""
    def __init__(self) -> None: ...
    def __call__(self, variable, value) -> Tensor: ...
class AssignSub(Primitive):
    """Subtract `value` from `variable` in place."""
    def __init__(self) -> None: ...
    def __call__(self, variable, value) -> Tensor: ...
class Atan(Primitive):
    r"""$\arctan x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Atan2(Primitive):
    r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class Atanh(Primitive):
    r"""$\operatorname{artanh} x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class AvgPool(Primitive):
    """The mean of each window of `(N, C, *)` or `(C, *)`, * being the last `axes`."""
    def __init__(self, kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW') -> None: ...
    def __call__(self, x) -> Tensor: ...
class AvgPool3D(Primitive):
    """As `avg_pool3d`; `pad`: one int, three, or front, back, top, bottom, left, right."""
    def __init__(self, kernel_size=1, strides=1, pad_mode='valid', pad=0, ceil_mode=False, count_include_pad=True, divisor_override=0, data_format='NCDHW') -> None: ...
    def __call__(self, input) -> Tensor: ...
class BCEWithLogitsLoss(Primitive):
    r"""$-w (p \, y \ln \sigma(x) + (1 - y) \ln (1 - \sigma(x)))$, stable for large $|x|$."""
    def __init__(self, reduction='mean') -> None: ...
    def __call__(self, input, target, weight=None, posWeight=None) -> Tensor: ...
class Barrier(Primitive):
    """Block until every process of the group has called this."""
    def __init__(self, group='hccl_world_group') -> None: ...
    def __call__(self) -> Tensor: ...
class BartlettWindow(Primitive):
    r"""The triangle $w_n = 1 - |2 n / (N - 1) - 1|$, $n = 0 \ldots N - 1$; Float32 by default."""
    def __init__(self, periodic=True, dtype=...) -> None: ...
    def __call__(self, window_length) -> Tensor: ...
class BasicLSTMCell(Primitive):
    """One step of `DynamicRNN`: the states c and h, the gates i, j, f, o, and tanh(c), `(N, H)`."""
    def __init__(self, keep_prob=1.0, forget_bias=1.0, state_is_tuple=True, activation='tanh') -> None: ...
    def __call__(self, x, h, c, w, b) -> builtins.tuple[Tensor, ...]: ...
class BatchISendIRecv(Primitive):
    """Send and receive several Tensors at once."""
    def __init__(self, op_types, remote_ranks, receive_shapes=None, receive_dtypes=None, group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> builtins.tuple[Tensor, ...]: ...
class BatchMatMul(Primitive):
    """`matmul` with the last two dimensions of either operand swapped first."""
    def __init__(self, transpose_a=False, transpose_b=False) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class BatchNorm(Primitive):
    """As `batch_norm`; also the moments used, twice, as the class returns them."""
    def __init__(self, is_training=False, epsilon=1e-05, momentum=0.1, data_format='NCHW') -> None: ...
    def __call__(self, input_x, scale, bias, mean, variance) -> builtins.tuple[Tensor, ...]: ...
class BatchToSpace(Primitive):
    """The inverse of `space_to_batch_nd`; see `batch_to_space_nd`."""
    def __init__(self, block_size, crops) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class BatchToSpaceND(Primitive):
    """The inverse of `space_to_batch_nd`; see `batch_to_space_nd`."""
    def __init__(self, block_shape, crops) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class BatchToSpaceNDV2(Primitive):
    r"""Move examples to positions within blocks of the last axes: `(n B, *, w_1, ..., w_M)` -> `(n, *, w_1 b_1, ..., w_M b_M)` with $B = b_1 \cdots b_M$, the inverse of `space_to_batch_nd`."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, block_shape, crops) -> Tensor: ...
class Bernoulli(Primitive):
    """Draw 1 with probability `p`, else 0, in the shape and dtype of `x`; -1 means no `seed`."""
    def __init__(self, seed=-1, offset=0) -> None: ...
    def __call__(self, x, p=0.5) -> Tensor: ...
class BesselI0(Primitive):
    r"""$I_0(x) = \frac1\pi \int_0^\pi e^{x \cos t} dt$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselI0e(Primitive):
    """$e^{-|x|} I_0(x)$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselI1(Primitive):
    """$I_1(x) = I_0'(x)$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselI1e(Primitive):
    """$e^{-|x|} I_1(x)$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselJ0(Primitive):
    r"""$J_0(x) = \frac1\pi \int_0^\pi \cos(x \sin t) dt$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselJ1(Primitive):
    """$J_1(x) = -J_0'(x)$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselK0(Primitive):
    r"""$K_0(x) = \int_0^\infty e^{-x \cosh t} dt$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselK0e(Primitive):
    """$e^x K_0(x)$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselK1(Primitive):
    """$K_1(x) = -K_0'(x)$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselK1e(Primitive):
    """$e^x K_1(x)$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselY0(Primitive):
    """$Y_0(x)$, the solution beside $J_0$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class BesselY1(Primitive):
    """$Y_1(x) = -Y_0'(x)$, element by element; nan where it is not real."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Betainc(Primitive):
    r"""$I_x(a, b) = \frac{\Gamma(a + b)}{\Gamma(a) \Gamma(b)} \int_0^x t^{a - 1} (1 - t)^{b - 1} dt$, element by element; NaN unless a, b > 0 and x is in [0, 1]. Differentiable with respect to x; the derivatives with respect to a and b are set to 0."""
    def __init__(self) -> None: ...
    def __call__(self, a, b, x) -> Tensor: ...
class BiasAdd(Primitive):
    """Add `bias` `(C,)` to each channel: axis 1 of `input`, the last for 'NHWC'."""
    def __init__(self, data_format='NCHW') -> None: ...
    def __call__(self, input_x, bias) -> Tensor: ...
class BinaryCrossEntropy(Primitive):
    r"""$-w (y \ln x + (1 - y) \ln (1 - x))$ for probabilities $x$ and labels $y$ of one shape."""
    def __init__(self, reduction='mean') -> None: ...
    def __call__(self, input, target, weight=None) -> Tensor: ...
class Bincount(Primitive):
    """Count each int below `size` in `array`, weighted by `weights`, in their dtype; by 1 if `weights` is empty. Other ints are not counted."""
    def __init__(self) -> None: ...
    def __call__(self, array, size, weights) -> Tensor: ...
class BitwiseAnd(Primitive):
    r"""$input \land other$, element by element, bit by bit, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class BitwiseOr(Primitive):
    r"""$input \lor other$, element by element, bit by bit, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class BitwiseXor(Primitive):
    r"""$input \oplus other$, element by element, bit by bit, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class BlackmanWindow(Primitive):
    r"""$w_n = 0.42 - 0.5 \cos \frac{2 \pi n}{N - 1} + 0.08 \cos \frac{4 \pi n}{N - 1}$."""
    def __init__(self, periodic=True, dtype=...) -> None: ...
    def __call__(self, window_length) -> Tensor: ...
class BoundingBoxDecode(Primitive):
    """Decode `deltas` relative to the anchors to boxes, clipped to an image of `max_shape` (H, W)."""
    def __init__(self, max_shape, means=..., stds=..., wh_ratio_clip=0.016) -> None: ...
    def __call__(self, anchor_box, deltas) -> Tensor: ...
class BoundingBoxEncode(Primitive):
    """Encode each box relative to its anchor: shifts of the centre over the anchor's sizes, and logarithms of the size ratios; minus `means`, over `stds`: `(n, 4)`."""
    def __init__(self, means=..., stds=...) -> None: ...
    def __call__(self, anchor_box, groundtruth_box) -> Tensor: ...
class Broadcast(Primitive):
    """Return the Tensors, a tuple, of the process with global rank `root_rank`."""
    def __init__(self, root_rank, group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> builtins.tuple[Tensor, ...]: ...
class BroadcastTo(Primitive):
    """Broadcast `input` to `shape`; -1 in it keeps the input's size."""
    def __init__(self, shape) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Bucketize(Primitive):
    """`bucketize` with `right=True`: an element equal to a boundary counts as beyond it."""
    def __init__(self, boundaries) -> None: ...
    def __call__(self, input) -> Tensor: ...
class CTCGreedyDecoder(Primitive):
    """The most likely class of each step, without blanks (the last class), for logits `(T, N, C)` and lengths `(N,)`."""
    def __init__(self, merge_repeated=True) -> None: ...
    def __call__(self, inputs, sequence_length) -> builtins.tuple[Tensor, ...]: ...
class CTCLoss(Primitive):
    """(losses, their gradient) of logits `(T, N, C)`, whose last class is the blank."""
    def __init__(self, preprocess_collapse_repeated=False, ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False) -> None: ...
    def __call__(self, x, labels_indices, labels_values, sequence_length) -> builtins.tuple[Tensor, ...]: ...
class CTCLossV2(Primitive):
    """The losses `(N,)` of `ctc_loss` without reduction, and `log_alpha` `(N, T, 2 S + 1)`."""
    def __init__(self, blank=0, reduction='none', zero_infinity=False) -> None: ...
    def __call__(self, log_probs, targets, input_lengths, target_lengths) -> builtins.tuple[Tensor, ...]: ...
class Cast(Primitive):
    """Cast a tensor to `dtype`: a MindSpore or NumPy dtype, a Python type or a name."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, dtype) -> Tensor: ...
class Cauchy(Primitive):
    r"""Draw Float32 numbers with density $\sigma / (\pi ((x - median)^2 + \sigma^2))$."""
    def __init__(self, size, median=0.0, sigma=1.0) -> None: ...
    def __call__(self) -> Tensor: ...
class Cdist(Primitive):
    """The `p`-norm distances between the rows of `(*, n, k)` and of `(*, m, k)`: `(*, n, m)`."""
    def __init__(self, p=2.0) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class CeLU(Primitive):
    r"""$x$ where it is positive, else $\alpha (e^{x / \alpha} - 1)$ (Barron, 2017)."""
    def __init__(self, alpha=1.0) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Ceil(Primitive):
    r"""$\lceil x \rceil$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class ChannelShuffle(Primitive):
    """Interleave the channels of `(N, C, *)` from `groups` equal groups."""
    def __init__(self, group) -> None: ...
    def __call__(self, x) -> Tensor: ...
class CheckNumerics(Primitive):
    """Return `x`; raise RuntimeError if an element is NaN or infinite."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class CheckValid(Primitive):
    """Return True for boxes inside an image; `img_metas`: (height, width, factor for both)."""
    def __init__(self) -> None: ...
    def __call__(self, bboxes, img_metas) -> Tensor: ...
class Cholesky(Primitive):
    """The triangle $L$ with $L L^T = input$, a positive definite matrix (`upper`: $L^T$)."""
    def __init__(self, upper=False) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class CholeskyInverse(Primitive):
    r"""$(L L^\top)^{-1}$ of a triangle L, or $(U^\top U)^{-1}$ where `upper`."""
    def __init__(self, upper=False) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class CholeskySolve(Primitive):
    r"""X with $L L^\top X = input$, `input2` being the triangle L (`upper`: $L^\top$)."""
    def __init__(self, upper=False) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class Coalesce(Primitive):
    """Merge a sparse matrix to one value per position, sorted by rows: (indices, values, shape)."""
    def __init__(self) -> None: ...
    def __call__(self, x_indices, x_values, x_shape) -> builtins.tuple: ...
class Col2Im(Primitive):
    """As `fold`, for `(N, C, kh kw, L)`."""
    def __init__(self, kernel_size, dilation=1, padding=0, stride=1) -> None: ...
    def __call__(self, x, output_size) -> Tensor: ...
class CollectiveGather(Primitive):
    """Concatenate all processes' Tensors along the first axis on process `dest_rank`."""
    def __init__(self, dest_rank, group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class CollectiveScatter(Primitive):
    """Return this process' part, along the first axis, of the Tensor of process `src_rank`."""
    def __init__(self, src_rank=0, group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class CombinedNonMaxSuppression(Primitive):
    """Non-maximum suppression per class: the best boxes of all classes by descending score, boxes `(N, k, 4)`, scores and classes `(N, k)`, all Float32, and their count for each example, `(N,)` Int32; unused entries are 0."""
    def __init__(self, pad_per_class=False, clip_boxes=True) -> None: ...
    def __call__(self, boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold) -> builtins.tuple[Tensor, ...]: ...
class CompareAndBitpack(Primitive):
    """Pack whether elements exceed `threshold`, eight of the last axis in one UInt8, the first in its highest bit: `(*, n)` -> `(*, n / 8)`."""
    def __init__(self) -> None: ...
    def __call__(self, x, threshold) -> Tensor: ...
class Complex(Primitive):
    """$a + b i$ from $a$ and $b$, both Float32 or both Float64."""
    def __init__(self) -> None: ...
    def __call__(self, real, imag) -> Tensor: ...
class ComplexAbs(Primitive):
    """$|x|$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class ComputeAccidentalHits(Primitive):
    """Find the sampled classes that are true classes: the rows of `true_classes` `(n, num_true)` (Int32), the positions in `sampled_candidates` `(k,)` (Int64), and for each the lowest Float32, which masks a logit when added to it."""
    def __init__(self, num_true=1) -> None: ...
    def __call__(self, true_classes, sampled_candidates) -> builtins.tuple[Tensor, ...]: ...
class Concat(Primitive):
    """Concatenate a tuple or list of Tensors along `axis`; their other sizes must be equal."""
    def __init__(self, axis=0) -> None: ...
    def __call__(self, tensors) -> Tensor: ...
class ConfusionMatrix(Primitive):
    """Row i, column j: the number of predictions j for label i (the sum of their `weights`)."""
    def __init__(self, num_classes, dtype='int32') -> None: ...
    def __call__(self, labels, predictions, weights=None) -> Tensor: ...
class Conj(Primitive):
    """$a - b i$ for $a + b i$; real tensors are returned unchanged."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class ConjugateTranspose(Primitive):
    """`x` with its axes in the order of `perm`, conjugated."""
    def __init__(self) -> None: ...
    def __call__(self, x, perm) -> Tensor: ...
class Conv2D(Primitive):
    r"""$y_{no} = b_o + \sum_c x_{nc} \star w_{oc}$: `(N, C, H, W)` -> `(N, O, H', W')`."""
    def __init__(self, out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, data_format='NCHW') -> None: ...
    def __call__(self, x, weight) -> Tensor: ...
class Conv2DBackpropInput(Primitive):
    """The gradient of `Conv2D` with respect to its input, of shape `input_size`."""
    def __init__(self, out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, stride=1, dilation=1, group=1, data_format='NCHW') -> None: ...
    def __call__(self, dout, weight, input_size) -> Tensor: ...
class Conv2DTranspose(Primitive):
    """The gradient of `Conv2D` with respect to its input, of shape `input_size`."""
    def __init__(self, out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, stride=1, dilation=1, group=1, data_format='NCHW') -> None: ...
    def __call__(self, dout, weight, input_size) -> Tensor: ...
class Conv3D(Primitive):
    r"""$y_{no} = b_o + \sum_c x_{nc} \star w_{oc}$: `(N, C, D, H, W)` -> `(N, O, D', H', W')`."""
    def __init__(self, out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, data_format='NCDHW') -> None: ...
    def __call__(self, x, weight) -> Tensor: ...
class Conv3DTranspose(Primitive):
    """The gradient of `Conv3D` with respect to its input."""
    def __init__(self, in_channel, out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, group=1, output_padding=0, data_format='NCDHW') -> None: ...
    def __call__(self, dout, weight, bias=None) -> Tensor: ...
class CopyWithSlice(Primitive):
    """Copy the elements of `y` to `x`, which must have the same shape; returns the result."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class Cos(Primitive):
    r"""$\cos x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Cosh(Primitive):
    r"""$\cosh x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class CountNonZero(Primitive):
    """Count the nonzero elements along `axis` (`()`: all)."""
    def __init__(self, dims=None) -> None: ...
    def __call__(self, x) -> Tensor: ...
class CropAndResize(Primitive):
    """Crop boxes from images `(N, H, W, C)` and resize each: `(n, *crop_size, C)`."""
    def __init__(self, method='bilinear', extrapolation_value=0.0) -> None: ...
    def __call__(self, x, boxes, box_indices, crop_size) -> Tensor: ...
class Cross(Primitive):
    """`cross`, where -65530 stands for the first axis of size 3."""
    def __init__(self, dim=-65530) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class CumProd(Primitive):
    """`cumprod` in the dtype of `x`; `exclusive`: of the elements before, `reverse`: from the end."""
    def __init__(self, exclusive=False, reverse=False) -> None: ...
    def __call__(self, x, axis) -> Tensor: ...
class CumSum(Primitive):
    r"""$y_i = \sum_{j \leq i} x_j$ along `axis`."""
    def __init__(self, exclusive=False, reverse=False) -> None: ...
    def __call__(self, input, axis) -> Tensor: ...
class Cummax(Primitive):
    """The largest element so far along `axis`, and its index (Int64)."""
    def __init__(self, axis) -> None: ...
    def __call__(self, input) -> builtins.tuple[Tensor, ...]: ...
class Cummin(Primitive):
    """The smallest element so far along `axis`, and its index (Int32)."""
    def __init__(self, axis) -> None: ...
    def __call__(self, input) -> builtins.tuple[Tensor, ...]: ...
class CumulativeLogsumexp(Primitive):
    r"""$\ln \sum_{j \le i} e^{x_j}$ along `axis`, without overflow."""
    def __init__(self, exclusive=False, reverse=False) -> None: ...
    def __call__(self, x, axis) -> Tensor: ...
class DType(Primitive):
    """Return the MindSpore dtype of the elements."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Type: ...
class DataFormatDimMap(Primitive):
    """Map axes of the second format, numbered from -4 to 3, to axes of the first."""
    def __init__(self, src_format='NHWC', dst_format='NCHW') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class DataFormatVecPermute(Primitive):
    """Reorder entries for the axes of the first format to the second's: `(4,)`, `(4, 2)`."""
    def __init__(self, src_format='NHWC', dst_format='NCHW') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class DeformableOffsets(Primitive):
    """Return the elements of each deformed window: `(N, C, H, W)` -> `(N, C, H' kh, W' kw)`; see `deformable_conv2d`."""
    def __init__(self, strides, pads, ksize, dilations=(1, 1, 1, 1), data_format='NCHW', deformable_groups=1, modulated=True) -> None: ...
    def __call__(self, x, offsets) -> Tensor: ...
class Dense(Primitive):
    r"""$x W^\top + b$: `input` `(*, in)`, `weight` `(out, in)`, `bias` `(out,)` -> `(*, out)`."""
    def __init__(self) -> None: ...
    def __call__(self, input, weight, bias=None) -> Tensor: ...
class Depend(Primitive):
    """Return `value`; operations take effect in program order anyway."""
    def __init__(self) -> None: ...
    def __call__(self, value, expr) -> Any: ...
class DepthToSpace(Primitive):
    """`(N, C b b, H, W)` -> `(N, C, H b, W b)`: the slowest-varying parts of the channels become rows and columns."""
    def __init__(self, block_size) -> None: ...
    def __call__(self, x) -> Tensor: ...
class DepthwiseConv2dNative(Primitive):
    """Convolve each channel separately: `(N, C, H, W)`, `w` `(M, C, kh, kw)` -> `(N, C M, H', W')` with M = `channel_multiplier`, the results of one channel adjacent."""
    def __init__(self, channel_multiplier, kernel_size, mode=3, pad_mode='valid', pad=0, stride=1, dilation=1, group=1) -> None: ...
    def __call__(self, x, w) -> Tensor: ...
class Diag(Primitive):
    """The elements of `input` on the diagonal of twice as many dimensions, zeros elsewhere."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class DiagPart(Primitive):
    """The diagonal of two dimensions, `offset` above the main one, as the last dimension."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Digamma(Primitive):
    r"""$\psi(x) = \frac{d}{dx} \ln \Gamma(x)$, element by element; infinite at 0."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Dilation2D(Primitive):
    r"""$\max_{m n} (x_{c, s h + d m, s w + d n} + filter_{c m n})$: `(N, C, H, W)`, `(C, kh, kw)`."""
    def __init__(self, stride, dilation, pad_mode='SAME', data_format='NCHW') -> None: ...
    def __call__(self, x, filter) -> Tensor: ...
class Div(Primitive):
    """$input / other$, broadcast together; integers divide to Float32."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class DivNoNan(Primitive):
    """$input / other$; 0 where `other` is 0."""
    def __init__(self) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class Dropout(Primitive):
    """`dropout`, and the mask of kept elements."""
    def __init__(self, keep_prob=0.5, Seed0=0, Seed1=0) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class Dropout2D(Primitive):
    """`dropout2d`, and the mask of kept elements: Bool."""
    def __init__(self, keep_prob=0.5) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class Dropout3D(Primitive):
    """`dropout3d`, and the mask of kept elements: Bool."""
    def __init__(self, keep_prob=0.5) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class DropoutDoMask(Primitive):
    """$x / keep$ where the bits of `mask` are 1, else 0; see `DropoutGenMask`."""
    def __init__(self) -> None: ...
    def __call__(self, x, mask, keep_prob) -> Tensor: ...
class DropoutGenMask(Primitive):
    """Draw a bit for each element of `shape`, 1 with probability `keep_prob`, packed eight per UInt8 and padded to a multiple of 128, for `DropoutDoMask`."""
    def __init__(self, Seed0=0, Seed1=0) -> None: ...
    def __call__(self, shape, keep_prob) -> Tensor: ...
class DynamicGRUV2(Primitive):
    """A GRU along `x` `(L, N, C)`: y, and each step's state h, gates z and r, new contents n and $W_{hn} h + b_{hn}$, `(L, N, H)` each."""
    def __init__(self, direction='UNIDIRECTIONAL', cell_depth=1, keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True, activation='tanh', gate_order='rzh', reset_after=True, is_training=True) -> None: ...
    def __call__(self, x, weight_input, weight_hidden, bias_input, bias_hidden, seq_length, init_h) -> builtins.tuple[Tensor, ...]: ...
class DynamicRNN(Primitive):
    """An LSTM along `x` `(L, N, C)`: y, and each step's states h and c, gates i, j, f, o and tanh(c), `(L, N, H)` each."""
    def __init__(self, cell_type='LSTM', direction='UNIDIRECTIONAL', cell_depth=1, use_peephole=False, keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True, activation='tanh', forget_bias=0.0, is_training=True) -> None: ...
    def __call__(self, x, w, b, seq_length, init_h, init_c) -> builtins.tuple[Tensor, ...]: ...
class DynamicShape(Primitive):
    """Return the size of each dimension, an Int64 tensor."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class EditDistance(Primitive):
    """The edit distance of each sequence to the true one, in labels to replace, insert or delete: Float32, divided by the length of the true one if `normalize` (infinite if it is empty)."""
    def __init__(self, normalize=True) -> None: ...
    def __call__(self, hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape) -> Tensor: ...
class Eig(Primitive):
    """The eigenvalues of matrices, and their eigenvectors if `compute_v`, else an empty Tensor."""
    def __init__(self, compute_v=False) -> None: ...
    def __call__(self, x) -> Any: ...
class Eigh(Primitive):
    """As `scipy.linalg.eigh`: (values, vectors), or only the values."""
    def __init__(self, compute_eigenvectors=True, lower=True) -> None: ...
    def __call__(self, A) -> Any: ...
class Einsum(Primitive):
    """Einstein's summation; `einsum` calls it."""
    def __init__(self, equation) -> None: ...
    def __call__(self, inputs) -> Tensor: ...
class Elu(Primitive):
    r"""$x$ where it is positive, else $\alpha (e^x - 1)$ (Clevert et al., 2016)."""
    def __init__(self, alpha=1.0) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class EmbeddingLookup(Primitive):
    """The rows of `input_params` `(n, d)` (or the elements of a vector) at `input_indices - offset`; zeros for an index out of range."""
    def __init__(self) -> None: ...
    def __call__(self, input_params, input_indices, offset) -> Tensor: ...
class Eps(Primitive):
    """The distance from 1 to the next number in the dtype of `x`, in its shape."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Equal(Primitive):
    """$input = other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class EqualCount(Primitive):
    """Count the equal elements of `x` and `y`: `(1,)`, in their dtype."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class Erf(Primitive):
    r"""$\frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Erfc(Primitive):
    r"""$1 - \operatorname{erf}(x)$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Erfinv(Primitive):
    """The inverse of `erf`, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class EuclideanNorm(Primitive):
    r"""$\sqrt{\sum_i |x_i|^2}$ over `axes`, a Tensor of ints, in the dtype of `x`."""
    def __init__(self, keep_dims=False) -> None: ...
    def __call__(self, x, axes) -> Tensor: ...
class Exp(Primitive):
    """$e^{x}$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Expand(Primitive):
    """As `broadcast_to`."""
    def __init__(self) -> None: ...
    def __call__(self, x, shape) -> Tensor: ...
class ExpandDims(Primitive):
    """Insert a dimension of size 1 at `axis`."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, axis) -> Tensor: ...
class Expm1(Primitive):
    """$e^x - 1$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class ExtractGlimpse(Primitive):
    """Extract a window of `size` (height, width) from each image `(N, H, W, C)`: `(N, *size, C)`."""
    def __init__(self, centered=True, normalized=True, uniform_noise=True, noise='uniform') -> None: ...
    def __call__(self, x, size, offsets) -> Tensor: ...
class ExtractImagePatches(Primitive):
    """Extract windows of images into the channels: `(N, C, H, W)` -> `(N, kh kw C, H', W')`."""
    def __init__(self, ksizes, strides, rates, padding='VALID') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class ExtractVolumePatches(Primitive):
    """Extract windows of volumes to channels: `(N, C, D, H, W)` -> `(N, kd kh kw C, D', H', W')`."""
    def __init__(self, kernel_size, strides, padding) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class Eye(Primitive):
    """An `n` by `m` matrix (`m` is `n` by default) with ones on the diagonal, Float32 by default."""
    def __init__(self) -> None: ...
    def __call__(self, n, m, dtype) -> Tensor: ...
class FFTWithSize(Primitive):
    """Compute the discrete Fourier transform of the last `signal_ndim` axes, or its inverse."""
    def __init__(self, signal_ndim, inverse, real, norm='backward', onesided=True, signal_sizes=()) -> None: ...
    def __call__(self, x) -> Tensor: ...
class FastGeLU(Primitive):
    r"""$x \sigma(1.702 x)$, close to `gelu`."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class FastGelu(Primitive):
    r"""$x \sigma(1.702 x)$, close to `gelu`."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Fill(Primitive):
    """`fill_value` in the shape `size`, in `dtype` or else in the dtype of the value."""
    def __init__(self) -> None: ...
    def __call__(self, dtype, dims, x) -> Tensor: ...
class FillDiagonal(Primitive):
    """`input` with `fill_value` on its main diagonal, where all indices are equal."""
    def __init__(self, fill_value, wrap=False) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class FillV2(Primitive):
    """`fill_value` in the shape `size`, in `dtype` or else in the dtype of the value."""
    def __init__(self) -> None: ...
    def __call__(self, shape, value) -> Tensor: ...
class Fills(Primitive):
    """`value`, a number or a 0-d Tensor, in the shape and dtype of `x`."""
    def __init__(self) -> None: ...
    def __call__(self, x, value) -> Tensor: ...
class Flatten(Primitive):
    """Merge all dimensions but the first into one; a vector becomes a column."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class FloatStatus(Primitive):
    """Return 1 if any element is infinite or NaN, else 0: Float32 `(1,)`."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Floor(Primitive):
    r"""$\lfloor x \rfloor$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class FloorDiv(Primitive):
    r"""$\lfloor input / other \rfloor$, broadcast together; derivatives are stopped."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class FloorMod(Primitive):
    r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class Fmax(Primitive):
    """The greater one, or the other one if one is NaN; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class Fmin(Primitive):
    """The lesser one, or the other one if one is NaN; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class FractionalAvgPool(Primitive):
    """Means over nearly equal parts of `(N, H, W, C)`; otherwise as `FractionalMaxPool`."""
    def __init__(self, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class FractionalMaxPool(Primitive):
    """Maxima over nearly equal parts of `(N, H, W, C)`, and the parts' boundaries along rows and columns (Int64)."""
    def __init__(self, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class FractionalMaxPool3DWithFixedKsize(Primitive):
    """As `fractional_max_pool3d`; returns both results; `data_format` 'NCDHW' or 'NDHWC'."""
    def __init__(self, ksize, output_shape, data_format='NCDHW') -> None: ...
    def __call__(self, x, random_samples) -> builtins.tuple[Tensor, ...]: ...
class FractionalMaxPoolWithFixedKsize(Primitive):
    """As `fractional_max_pool2d`; returns both results."""
    def __init__(self, ksize, output_shape, data_format='NCHW') -> None: ...
    def __call__(self, input_x, random_samples) -> builtins.tuple[Tensor, ...]: ...
class FusedAdaFactor(Primitive):
    r"""AdaFactor's step (Shazeer and Stern, 2018), with $g$ divided by `global_norm`. For a matrix, it keeps only the means $R$ and $C$ of the rows and columns of $g^2 + \epsilon_1$:"""
    def __init__(self, enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False) -> None: ...
    def __call__(self, epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq) -> Tensor: ...
class FusedAdaFactorWithGlobalNorm(Primitive):
    r"""AdaFactor's step (Shazeer and Stern, 2018), with $g$ divided by `global_norm`. For a matrix, it keeps only the means $R$ and $C$ of the rows and columns of $g^2 + \epsilon_1$:"""
    def __init__(self, enable_scale_parameter=False, enable_first_moment=False, enable_weight_decay=False) -> None: ...
    def __call__(self, epsilon, clip_threshold, beta1, beta2, weight_decay, learning_rate, gradient, param, exp_avg, exp_avg_sq_row, exp_avg_sq_col, exp_avg_sq, global_norm) -> Tensor: ...
class FusedCastAdamWeightDecay(Primitive):
    """`AdamWeightDecay` with the gradient divided by `global_norm`."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, m, v, lr, beta1, beta2, epsilon, decay, gradient, global_norm) -> builtins.tuple: ...
class FusedSparseAdam(Primitive):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$, $w \leftarrow w - \eta \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m}{\sqrt{v} + eps}$."""
    def __init__(self, use_locking=False, use_nesterov=False) -> None: ...
    def __call__(self, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, indices) -> builtins.tuple: ...
class FusedSparseFtrl(Primitive):
    r"""$s' = s + g^2$, $z \leftarrow z + g - \frac{s'^{-q} - s^{-q}}{\eta} w$, then $w \leftarrow \frac{\operatorname{sign}(z) l_1 - z}{s'^{-q} / \eta + 2 l_2}$ where $|z| > l_1$ and 0 elsewhere; $s$ is `accum`, $z$ `linear`, $q$ `lr_power`."""
    def __init__(self, lr, l1, l2, lr_power, use_locking=False) -> None: ...
    def __call__(self, var, accum, linear, grad, indices) -> builtins.tuple: ...
class FusedSparseLazyAdam(Primitive):
    r"""$m \leftarrow \beta_1 m + (1 - \beta_1) g$, $v \leftarrow \beta_2 v + (1 - \beta_2) g^2$, $w \leftarrow w - \eta \frac{\sqrt{1 - \beta_2^t}}{1 - \beta_1^t} \frac{m}{\sqrt{v} + eps}$."""
    def __init__(self, use_locking=False, use_nesterov=False) -> None: ...
    def __call__(self, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, gradient, indices) -> builtins.tuple: ...
class FusedSparseProximalAdagrad(Primitive):
    r"""$s \leftarrow s + g^2$, $p = w - \frac{\eta}{\sqrt{s}} g$, $w \leftarrow \frac{\operatorname{sign}(p)}{1 + \eta l_2 / \sqrt{s}} \max(|p| - \eta l_1 / \sqrt{s}, 0)$."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, accum, lr, l1, l2, grad, indices) -> builtins.tuple: ...
class FusedWeightScaleApplyMomentum(Primitive):
    r"""`ApplyMomentum` with the gradient $(g + \lambda w) s$; $\lambda$ is `weight_decay`, $s$ `loss_scale`, a factor."""
    def __init__(self) -> None: ...
    def __call__(self, weight_decay, loss_scale, variable, accumulation, learning_rate, gradient, momentum) -> Tensor: ...
class GLU(Primitive):
    r"""$a \, \sigma(b)$, with $a$ and $b$ the halves of `input` along `axis`."""
    def __init__(self, axis=-1) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Gamma(Primitive):
    """As `gamma`."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, shape, alpha, beta) -> Tensor: ...
class Gather(Primitive):
    """The slices of `input_params` along `axis` at `input_indices` (of any shape)."""
    def __init__(self, batch_dims=0) -> None: ...
    def __call__(self, input_params, input_indices, axis) -> Tensor: ...
class GatherD(Primitive):
    """$y_{i j} = x_{i, index_{ij}}$ for `dim` 1, analogous for others: one element for each index."""
    def __init__(self) -> None: ...
    def __call__(self, x, dim, index) -> Tensor: ...
class GatherNd(Primitive):
    """The elements at the rows of `indices` (last dimension), from the first dimension on."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices) -> Tensor: ...
class GatherV2(Primitive):
    """The slices of `input_params` along `axis` at `input_indices` (of any shape)."""
    def __init__(self) -> None: ...
    def __call__(self, input_params, input_indices, axis) -> Tensor: ...
class Gcd(Primitive):
    """The greatest common divisor of integers; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class GeLU(Primitive):
    """`gelu` with `approximate='tanh'`, as MindSpore's Primitive computes it."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class GeSwitch(Primitive):
    """Return `(data, None)` if `pred` is false, `(None, data)` if it is true; see `merge`."""
    def __init__(self) -> None: ...
    def __call__(self, data, pred) -> builtins.tuple: ...
class Gelu(Primitive):
    """`gelu` with `approximate='tanh'`, as MindSpore's Primitive computes it."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Geqrf(Primitive):
    """R in the upper triangle, below the diagonal the Householder reflections whose product is Q, and their factors: LAPACK's format."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> builtins.tuple[Tensor, ...]: ...
class Ger(Primitive):
    """$a_i b_j$ of two vectors."""
    def __init__(self) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class Greater(Primitive):
    """$input > other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class GreaterEqual(Primitive):
    r"""$input \geq other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class GridSampler2D(Primitive):
    """Sample `input` `(N, C, H, W)` at the points `grid` `(N, H', W', 2)`, rows (x, y) in [-1, 1]."""
    def __init__(self, interpolation_mode='bilinear', padding_mode='zeros', align_corners=False) -> None: ...
    def __call__(self, input_x, grid) -> Tensor: ...
class GridSampler3D(Primitive):
    """Sample `input` `(N, C, H, W)` at the points `grid` `(N, H', W', 2)`, rows (x, y) in [-1, 1]."""
    def __init__(self, interpolation_mode='bilinear', padding_mode='zeros', align_corners=False) -> None: ...
    def __call__(self, input_x, grid) -> Tensor: ...
class GroupTopk(Primitive):
    """Set `token` `(tokens, experts)` to zero for all groups of experts but the `k` best ones of each token, whose `k_inner` largest elements have the largest sum (DeepSeek-AI, 2024)."""
    def __init__(self) -> None: ...
    def __call__(self, token, idx_arr, group_num, k, k_inner=1) -> Tensor: ...
class HSVToRGB(Primitive):
    """Convert hue, saturation and value, all from 0 to 1, to red, green and blue: `(*, 3)`."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class HShrink(Primitive):
    r"""$x$ where $|x| > \lambda$, else 0."""
    def __init__(self, lambd=0.5) -> None: ...
    def __call__(self, input) -> Tensor: ...
class HSigmoid(Primitive):
    r"""$\min(\max(x + 3, 0), 6) / 6$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class HSwish(Primitive):
    r"""$x \min(\max(x + 3, 0), 6) / 6$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class HammingWindow(Primitive):
    r"""$w_n = \alpha - \beta \cos \frac{2 \pi n}{N - 1}$; arguments as for `bartlett_window`."""
    def __init__(self, periodic=True, alpha=0.54, beta=0.46, dtype=...) -> None: ...
    def __call__(self, length) -> Tensor: ...
class Heaviside(Primitive):
    """0 where `input` is negative, 1 where positive, `values` where it is 0; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, values) -> Tensor: ...
class Histogram(Primitive):
    """Count the elements in each of `bins` equal bins from `min` to `max`, in the input's dtype (Float32 for 16-bit floats)."""
    def __init__(self, bins=100, min=0.0, max=0.0) -> None: ...
    def __call__(self, x) -> Tensor: ...
class HistogramFixedWidth(Primitive):
    """Count the elements in each of `nbins` equal bins from `range[0]` to `range[1]`: Int32. Elements outside are counted in the first or the last bin."""
    def __init__(self, nbins, dtype='int32') -> None: ...
    def __call__(self, x, range) -> Tensor: ...
class HistogramSummary(Primitive):
    """Record the Tensor `value` under `name` for the open `SummaryRecord`, which writes the last value. If none is open, a call has no effect."""
    def __init__(self) -> None: ...
    def __call__(self, name, value) -> Tensor: ...
class Hypot(Primitive):
    r"""$\sqrt{input^2 + other^2}$."""
    def __init__(self) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class IOU(Primitive):
    """Intersection over union of pairs of boxes: `(n, 4)`, `(m, 4)` -> `(m, n)`."""
    def __init__(self, mode='iou') -> None: ...
    def __call__(self, anchor_boxes, gt_boxes) -> Tensor: ...
class Identity(Primitive):
    """Return an independent tensor with the same contents; derivatives pass through."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class IdentityN(Primitive):
    """Return copies of the Tensors in `x`, a tuple or list, as a tuple."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> builtins.tuple: ...
class Igamma(Primitive):
    r"""$P(a, x) = \frac{1}{\Gamma(a)} \int_0^x t^{a - 1} e^{-t} dt$ with a `input`, x `other`."""
    def __init__(self) -> None: ...
    def __call__(self, a, x) -> Tensor: ...
class Igammac(Primitive):
    """$Q(a, x) = 1 - P(a, x)$, see `igamma`."""
    def __init__(self) -> None: ...
    def __call__(self, a, x) -> Tensor: ...
class Im2Col(Primitive):
    """Windows as columns, per channel: `(N, C, H, W)` -> `(N, C, kh kw, L)`; settings are ints or pairs."""
    def __init__(self, ksizes, strides=1, dilations=1, pads=0) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Imag(Primitive):
    """The imaginary part; zeros for real tensors."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class ImageSummary(Primitive):
    """Record the Tensor `value` under `name` for the open `SummaryRecord`, which writes the last value. If none is open, a call has no effect."""
    def __init__(self) -> None: ...
    def __call__(self, name, value) -> Tensor: ...
class InTopK(Primitive):
    """Return True if a row's element at index `x2` is among the `k` largest, ties included."""
    def __init__(self, k) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class IndexAdd(Primitive):
    """`x` with the slices of `y` along `axis` added at `indices`; in place for a Parameter."""
    def __init__(self, axis, use_lock=True, check_index_bound=True) -> None: ...
    def __call__(self, x, indices, y) -> Tensor: ...
class IndexFill(Primitive):
    """`x` with `value` in the slices along `axis` at `index`."""
    def __init__(self) -> None: ...
    def __call__(self, x, dim, index, value) -> Tensor: ...
class IndexPut(Primitive):
    """`x1` with the vector `x2` at `indices`, one vector of integers for each of the first axes; added to the old values if `accumulate` is 1."""
    def __init__(self, accumulate=0) -> None: ...
    def __call__(self, x1, x2, indices) -> Tensor: ...
class InplaceAdd(Primitive):
    """`x` with `v[i]` added to row `indices[i]`; repeated indices accumulate."""
    def __init__(self, indices) -> None: ...
    def __call__(self, x, input_v) -> Tensor: ...
class InplaceIndexAdd(Primitive):
    """Add the slices of `updates` along `axis` to `var` at `indices`; returns the result."""
    def __init__(self, axis) -> None: ...
    def __call__(self, var, indices, updates) -> Tensor: ...
class InplaceSub(Primitive):
    """`x` with `v[i]` subtracted from row `indices[i]`; repeated indices accumulate."""
    def __init__(self, indices) -> None: ...
    def __call__(self, x, input_v) -> Tensor: ...
class InplaceUpdate(Primitive):
    """`x` with row `indices[i]` replaced by `v[i]`."""
    def __init__(self, indices) -> None: ...
    def __call__(self, x, v) -> Tensor: ...
class InplaceUpdateV2(Primitive):
    """`x` with row `indices[i]` replaced by `v[i]`."""
    def __init__(self) -> None: ...
    def __call__(self, x, indices, v) -> Tensor: ...
class Inv(Primitive):
    """$1 / x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Invert(Primitive):
    """Flip every bit; on Bool, "not"."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class InvertPermutation(Primitive):
    """The inverse y, with y[x[i]] = i, of a permutation: a tuple or list of the ints from 0 on."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> builtins.tuple: ...
class IsClose(Primitive):
    r"""Return True where $|input - other| \leq atol + rtol \cdot |other|$, elementwise: Bool."""
    def __init__(self, rtol=1e-05, atol=1e-08, equal_nan=False) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class IsFinite(Primitive):
    """True where $x$ is finite, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class IsInf(Primitive):
    """True where $x$ is infinite, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class IsNan(Primitive):
    """True where $x$ is NaN, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
def J(fn) -> Any:
    """Return a function that computes `fn`'s value and its pullback: `J(fn)(x) = (fn(x), back)`."""
class KLDivLoss(Primitive):
    r"""$y (\ln y - x)$ for logarithms of probabilities $x$ and probabilities $y$."""
    def __init__(self, reduction='mean') -> None: ...
    def __call__(self, logits, labels) -> Tensor: ...
class L2Loss(Primitive):
    """Half the sum of the squares."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class L2Normalize(Primitive):
    r"""$x / \sqrt{\max(\sum_i x_i^2, \epsilon)}$, summed along `axis`."""
    def __init__(self, axis=0, epsilon=0.0001) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class LARSUpdate(Primitive):
    r"""$c \frac{\|w\|}{\|g\| + \lambda \|w\| + \epsilon} (g + \lambda w)$; $c$ is `hyperpara`, $\lambda$ `weight_decay`."""
    def __init__(self, epsilon=1e-05, hyperpara=0.001, use_clip=False) -> None: ...
    def __call__(self, weight, gradient, norm_weight, norm_gradient, weight_decay, learning_rate) -> Tensor: ...
class LRN(Primitive):
    r"""$x_c (bias + \alpha \sum_{c'} x_{c'}^2)^{-\beta}$ over the channels from $c - r$ to $c + r$, r being `depth_radius`: `(N, C, H, W)` (Krizhevsky et al., 2012)."""
    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS') -> None: ...
    def __call__(self, x) -> Tensor: ...
class LSTM(Primitive):
    """Layers of LSTM along `input` `(L, N, C)`: outputs `(L, N, D H)` with D directions, the last states h and c `(layers D, N, H)`, and two unused Tensors (zeros)."""
    def __init__(self, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, proj_size=0) -> None: ...
    def __call__(self, input, h, c, w) -> builtins.tuple[Tensor, ...]: ...
class LayerNorm(Primitive):
    r"""$\gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta$, with $\mu$ and $\sigma^2$."""
    def __init__(self, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-07) -> None: ...
    def __call__(self, input_x, gamma, beta) -> builtins.tuple[Tensor, ...]: ...
class Lcm(Primitive):
    """The least common multiple of integers; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class LeftShift(Primitive):
    r"""$input \cdot 2^{other}$ of integers; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x1, x2) -> Tensor: ...
class Lerp(Primitive):
    r"""$input + weight \cdot (end - input)$."""
    def __init__(self) -> None: ...
    def __call__(self, input, end, weight) -> Tensor: ...
class LerpScalar(Primitive):
    r"""$input + weight \cdot (end - input)$."""
    def __init__(self) -> None: ...
    def __call__(self, input, end, weight) -> Tensor: ...
class Less(Primitive):
    """$input < other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class LessEqual(Primitive):
    r"""$input \leq other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class Lgamma(Primitive):
    r"""$\ln |\Gamma(x)|$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class LinSpace(Primitive):
    """`steps` equally spaced numbers from `start` to `end`, both included; Float32."""
    def __init__(self) -> None: ...
    def __call__(self, start, stop, num) -> Tensor: ...
class ListDiff(Primitive):
    """The elements of the vector `x` that are not in `y`, in their order, and their indices."""
    def __init__(self, out_idx=...) -> None: ...
    def __call__(self, x, y) -> builtins.tuple[Tensor, ...]: ...
class Log(Primitive):
    r"""$\ln x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Log1p(Primitive):
    r"""$\ln(1 + x)$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class LogMatrixDeterminant(Primitive):
    """The sign of each matrix' determinant, and the logarithm of its modulus."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> builtins.tuple[Tensor, ...]: ...
class LogNormalReverse(Primitive):
    """$e^z$, z normal with mean `mean`, deviation `std`, in the shape and dtype of `input`."""
    def __init__(self, mean=1.0, std=2.0) -> None: ...
    def __call__(self, input) -> Tensor: ...
class LogSoftmax(Primitive):
    r"""$x_i - \ln \sum_j e^{x_j}$ along `axis`."""
    def __init__(self, axis=-1) -> None: ...
    def __call__(self, logits) -> Tensor: ...
class LogSoftmaxExt(Primitive):
    """`log_softmax` along `dim`; None: axis 0 of 0, 1 or 3 dimensions, else axis 1."""
    def __init__(self) -> None: ...
    def __call__(self, input, dim=None, dtype=None) -> Tensor: ...
class LogSpace(Primitive):
    """`steps` powers of `base` with equally spaced exponents from `start` to `end`."""
    def __init__(self, steps=10, base=10, dtype=...) -> None: ...
    def __call__(self, start, end) -> Tensor: ...
class LogUniformCandidateSampler(Primitive):
    """As `log_uniform_candidate_sampler`."""
    def __init__(self, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0) -> None: ...
    def __call__(self, true_classes) -> builtins.tuple[Tensor, ...]: ...
class LogicalAnd(Primitive):
    r"""$input \land other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class LogicalNot(Primitive):
    """Return True where $input = 0$, element by element: Bool."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class LogicalOr(Primitive):
    r"""$input \lor other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class LogicalXor(Primitive):
    r"""$input \oplus other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class Logit(Primitive):
    r"""$\ln \frac{x}{1 - x}$; `eps`: `input` is first clamped to $[eps, 1 - eps]$."""
    def __init__(self, eps=-1.0) -> None: ...
    def __call__(self, input) -> Tensor: ...
class LowerBound(Primitive):
    """Return, for each element of `values` `(n, k)`, the count of elements of the same row of `sorted_x` `(n, m)`, in ascending order, that are less than it."""
    def __init__(self, out_type=...) -> None: ...
    def __call__(self, sorted_x, values) -> Tensor: ...
class LpNorm(Primitive):
    r"""$\max((\sum_i |x_i|^p)^{1/p}, \epsilon)$ along `axis`."""
    def __init__(self, axis, p=2, keep_dims=False, epsilon=1e-12) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Lstsq(Primitive):
    r"""The Y that minimizes $\|x Y - a\|^2 + l \|Y\|^2$, l being `l2_regularizer`; see `lstsq`."""
    def __init__(self, fast=True, l2_regularizer=0.0) -> None: ...
    def __call__(self, x, a) -> Tensor: ...
class LuSolve(Primitive):
    """Solve A X = b for X, given A's triangles in one matrix `(*, n, n)` and its pivots `(*, n)`, which count from 1."""
    def __init__(self) -> None: ...
    def __call__(self, x, lu_data, lu_pivots) -> Tensor: ...
class LuUnpack(Primitive):
    """Return (P, L, U) with A = P L U, given A's triangles in one matrix `(*, m, n)` and its pivots `(*, k)`, k = min(m, n), which count from 1: `(*, m, m)`, `(*, m, k)`, `(*, k, n)`."""
    def __init__(self, unpack_data=True, unpack_pivots=True) -> None: ...
    def __call__(self, LU_data, LU_pivots) -> builtins.tuple: ...
class MapCacheIdx(Primitive):
    """Look up rows of a large table in a cache, and the swaps that missing rows require."""
    def __init__(self) -> None: ...
    def __call__(self, hashmap, indices, step, emb_max_num, cache_max_num) -> builtins.tuple[Tensor, ...]: ...
class MapUniform(Primitive):
    r"""$x \bmod n \cdot s + \lfloor x / n \rfloor$, n being `group_num` and s `per_group_size`: distributes a table's rows to groups."""
    def __init__(self) -> None: ...
    def __call__(self, input, per_group_size, group_num) -> Tensor: ...
class MaskedFill(Primitive):
    """Fill with `value`, a number or a 0-d tensor, where the Bool `mask` is True."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, mask, value) -> Tensor: ...
class MaskedScatter(Primitive):
    """`input` with the elements of `source`, in their order, where `mask` is True."""
    def __init__(self) -> None: ...
    def __call__(self, input, mask, source) -> Tensor: ...
class MaskedSelect(Primitive):
    """Return the elements where the Bool `mask` is True, flattened; both are broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, mask) -> Tensor: ...
class MatMul(Primitive):
    """`matmul` with the last two dimensions of either operand swapped first."""
    def __init__(self, transpose_a=False, transpose_b=False) -> None: ...
    def __call__(self, input, mat2) -> Tensor: ...
class MatrixBandPart(Primitive):
    """As `ops.matrix_band_part`."""
    def __init__(self) -> None: ...
    def __call__(self, x, lower, upper) -> Tensor: ...
class MatrixDeterminant(Primitive):
    """The determinant of each matrix in the last two dimensions."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class MatrixDiagPartV3(Primitive):
    """The diagonal `k` of matrices, or several for `k` (low, high), as for `matrix_diag`."""
    def __init__(self, align='RIGHT_LEFT') -> None: ...
    def __call__(self, x, k, padding_value) -> Tensor: ...
class MatrixDiagV3(Primitive):
    """Return matrices with the last axis as the diagonal `k`, `padding_value` elsewhere."""
    def __init__(self, align='RIGHT_LEFT') -> None: ...
    def __call__(self, x, k, num_rows, num_cols, padding_value) -> Tensor: ...
class MatrixExp(Primitive):
    r"""$e^A = \sum_k A^k / k!$ of each matrix."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class MatrixInverse(Primitive):
    """The inverse of each matrix in the last two dimensions."""
    def __init__(self, adjoint=False) -> None: ...
    def __call__(self, x) -> Tensor: ...
class MatrixLogarithm(Primitive):
    r"""The principal logarithm of each complex matrix `(*, M, M)`: $e^y = x$, where the eigenvalues of y have imaginary parts in $(-\pi, \pi]$."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class MatrixPower(Primitive):
    """$A^n$ of each matrix; a negative `n` uses the inverse."""
    def __init__(self, n) -> None: ...
    def __call__(self, x) -> Tensor: ...
class MatrixSetDiagV3(Primitive):
    """Replace the diagonal `k` of matrices `x`, or several for `k` (low, high), by `diagonal`."""
    def __init__(self, align='RIGHT_LEFT') -> None: ...
    def __call__(self, x, diagonal, k) -> Tensor: ...
class MatrixSolve(Primitive):
    """Solve A X = b for each matrix `(*, n, n)` and `(*, n, k)`; `adjoint`: with A's adjoint."""
    def __init__(self, adjoint=False) -> None: ...
    def __call__(self, matrix, rhs) -> Tensor: ...
class MatrixSolveLs(Primitive):
    r"""The X that minimizes $\|A X - B\|^2 + \lambda \|X\|^2$, where A is `matrix` `(*, M, N)`, B is `rhs` `(*, M, K)` and $\lambda$ `l2_regularizer`; with `fast` from the normal equations."""
    def __init__(self, fast=True) -> None: ...
    def __call__(self, matrix, rhs, l2_regularizer) -> Tensor: ...
class MatrixTriangularSolve(Primitive):
    """Solve A X = b for a triangular A, its adjoint or its transpose."""
    def __init__(self, lower=True, adjoint=False) -> None: ...
    def __call__(self, matrix, rhs) -> Tensor: ...
class MaxPool(Primitive):
    """The maximum of each window of `(N, C, *)` or `(C, *)`, * being the last `axes`."""
    def __init__(self, kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW') -> None: ...
    def __call__(self, input) -> Tensor: ...
class MaxPool3D(Primitive):
    """As `max_pool3d`; `pad_list`: one int, three, or front, back, top, bottom, left, right."""
    def __init__(self, kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, ceil_mode=None, data_format='NCDHW') -> None: ...
    def __call__(self, x) -> Tensor: ...
class MaxPool3DWithArgmax(Primitive):
    """As `MaxPoolWithArgmaxV2`, for `(N, C, D, H, W)`."""
    def __init__(self, ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format='NCDHW', argmax_type=...) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class MaxPoolWithArgmax(Primitive):
    """As `MaxPoolWithArgmaxV2`, padded by `pad_mode`, 'valid' or 'same'; the indices, Int32, count through all channels of an example."""
    def __init__(self, kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW') -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class MaxPoolWithArgmaxV2(Primitive):
    """The maximum of each window of `(N, C, H, W)`, and its row-major index in its plane."""
    def __init__(self, kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=...) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class MaxUnpool2D(Primitive):
    """As `max_unpool2d`; `output_shape`: all sizes of the result."""
    def __init__(self, ksize, strides=0, pads=0, output_shape=(), data_format='NCHW') -> None: ...
    def __call__(self, x, argmax) -> Tensor: ...
class MaxUnpool3D(Primitive):
    """As `max_unpool3d`; `output_shape`: all sizes of the result."""
    def __init__(self, ksize, strides=0, pads=0, output_shape=(), data_format='NCDHW') -> None: ...
    def __call__(self, x, argmax) -> Tensor: ...
class Maximum(Primitive):
    """The larger of both, element by element; NaN where either is NaN."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class Median(Primitive):
    """Return the lower of the two middle elements along `axis`, and its index (Int64): a pair."""
    def __init__(self, global_median=False, axis=0, keep_dims=False, ignore_nan=False) -> None: ...
    def __call__(self, x) -> builtins.tuple: ...
class Merge(Primitive):
    """Return the first of `inputs` that is not None, and its index, an Int32 Tensor."""
    def __init__(self) -> None: ...
    def __call__(self, inputs) -> builtins.tuple: ...
class Meshgrid(Primitive):
    """Return the coordinates of a grid over 1-d tensors; `meshgrid` calls it."""
    def __init__(self, indexing='xy') -> None: ...
    def __call__(self, inputs) -> builtins.tuple[Tensor, ...]: ...
class Minimum(Primitive):
    """The smaller of both, element by element; NaN where either is NaN."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class MirrorPad(Primitive):
    """Reflect `x` at its edges, without them ('REFLECT') or with them ('SYMMETRIC')."""
    def __init__(self, mode='REFLECT') -> None: ...
    def __call__(self, input_x, paddings) -> Tensor: ...
class Mish(Primitive):
    r"""$x \tanh(\ln(1 + e^x))$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Mod(Primitive):
    """The remainder of a division truncated toward zero, with the dividend's sign."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class MoveTo(Primitive):
    """Convert `input`, a Tensor or ints, to a Tensor on the device `to`: 'CPU', or 'Ascend' or 'GPU', which both mean the computing device. XLA keeps the contents where they are used."""
    def __init__(self) -> None: ...
    def __call__(self, input, to='CPU', blocking=True) -> Tensor: ...
class Mul(Primitive):
    r"""$input \cdot other$, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class MulNoNan(Primitive):
    r"""$input \cdot other$, broadcast together; 0 where `other` is 0, for any `input`."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class MultiMarginLoss(Primitive):
    r"""$\frac1C \sum_{i \ne t} w_t \max(0, margin - x_t + x_i)^p$, x scores and t the true class."""
    def __init__(self, p=1, margin=1.0, reduction='mean') -> None: ...
    def __call__(self, inputs, target, weight=None) -> Tensor: ...
class MultilabelMarginLoss(Primitive):
    """`multilabel_margin_loss`, and 1 (Int32) for each class in its row of `target`."""
    def __init__(self, reduction='mean') -> None: ...
    def __call__(self, x, target) -> builtins.tuple[Tensor, ...]: ...
class Multinomial(Primitive):
    """As `multinomial` with replacement."""
    def __init__(self, seed=0, seed2=0, dtype=...) -> None: ...
    def __call__(self, x, num_samples) -> Tensor: ...
class MultinomialWithReplacement(Primitive):
    """As `multinomial_with_replacement`."""
    def __init__(self, numsamples, replacement=False) -> None: ...
    def __call__(self, x, seed, offset) -> Tensor: ...
class Mvlgamma(Primitive):
    """The logarithm of the multivariate gamma function of dimension `p`."""
    def __init__(self, p) -> None: ...
    def __call__(self, x) -> Tensor: ...
class NLLLoss(Primitive):
    """`nll_loss`, and the sum of the weights used."""
    def __init__(self, reduction='mean', ignore_index=-100) -> None: ...
    def __call__(self, logits, labels, weight) -> builtins.tuple[Tensor, ...]: ...
class NMSWithMask(Primitive):
    """Non-maximum suppression of `(n, 5)`, rows (x1, y1, x2, y2, score): rows by descending score, their indices in this order, and a mask of those kept: IoU of at most `iou_threshold` with each box kept before."""
    def __init__(self, iou_threshold=0.5) -> None: ...
    def __call__(self, bboxes) -> builtins.tuple[Tensor, ...]: ...
class NanToNum(Primitive):
    """`input` with `nan` (0) for NaN, `posinf` and `neginf` (the largest numbers) for infinities."""
    def __init__(self, nan=None, posinf=None, neginf=None) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Neg(Primitive):
    """$-x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class NeighborExchange(Primitive):
    """Send one of `input_x` to each of the group ranks `send_rank_ids`; returns a tuple of the Tensors received from `recv_rank_ids`. All ranks of the group must call it."""
    def __init__(self, send_rank_ids, recv_rank_ids, recv_shapes, send_shapes, recv_type, group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> builtins.tuple[Tensor, ...]: ...
class NeighborExchangeV2(Primitive):
    """Surround images `(N, C, H, W)` with borders received from neighbours."""
    def __init__(self, send_rank_ids, send_lens, recv_rank_ids, recv_lens, data_format, group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class NextAfter(Primitive):
    """The next number after `input` toward `other`, with the derivative 1 of `input`; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class NoRepeatNGram(Primitive):
    """`log_probs` `(batch, beams, vocabulary)` of the next word, with the lowest number for each word that would repeat an n-gram of `state_seq` `(batch, beams, m)`."""
    def __init__(self, ngram_size=1) -> None: ...
    def __call__(self, state_seq, log_probs) -> Tensor: ...
class NonDeterministicInts(Primitive):
    """Draw integers uniformly from all values of `dtype`; they repeat after the same `set_seed`."""
    def __init__(self, dtype=...) -> None: ...
    def __call__(self, shape) -> Tensor: ...
class NonMaxSuppressionV3(Primitive):
    """Return the indices (Int32) of at most `max_output_size` boxes `(n, 4)`, two opposite corners each, by descending score: above `score_threshold`, with an IoU of at most `iou_threshold` with each earlier one."""
    def __init__(self) -> None: ...
    def __call__(self, boxes, scores, max_output_size, iou_threshold, score_threshold) -> Tensor: ...
class NonMaxSuppressionWithOverlaps(Primitive):
    """As `NonMaxSuppressionV3`, with the overlaps as a matrix `(n, n)`; each selected box overlaps less than `overlap_threshold` with each earlier one."""
    def __init__(self) -> None: ...
    def __call__(self, overlaps, scores, max_output_size, overlap_threshold, score_threshold) -> Tensor: ...
class NonZero(Primitive):
    """Return the indices of nonzero elements, one per row, Int64; `as_tuple`: a tuple of columns."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class NotEqual(Primitive):
    r"""$input \neq other$, element by element: Bool, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class NthElement(Primitive):
    """The element at index `n` of the last axis in ascending order, or, with `reverse`, descending."""
    def __init__(self, reverse=False) -> None: ...
    def __call__(self, input, n) -> Tensor: ...
class NuclearNorm(Primitive):
    """The sum of the singular values of each matrix in the two axes `dim`; None: of the matrix `x`."""
    def __init__(self, dim=None, keepdim=False) -> None: ...
    def __call__(self, x) -> Tensor: ...
class OneHot(Primitive):
    """`on_value` at each index along a new dimension `axis` of size `depth`, else `off_value`."""
    def __init__(self, axis=-1) -> None: ...
    def __call__(self, indices, depth, on_value, off_value) -> Tensor: ...
class Ones(Primitive):
    """Ones of that `shape` (an int or a tuple of ints), Float32 unless a `dtype` is given."""
    def __init__(self) -> None: ...
    def __call__(self, shape, dtype=None) -> Tensor: ...
class OnesLike(Primitive):
    """Ones of the shape of `input`, in its dtype unless another is given."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Orgqr(Primitive):
    """The first columns of Q from `geqrf`'s reflections and factors `input2`: `(*, m, n)`."""
    def __init__(self) -> None: ...
    def __call__(self, x, tau) -> Tensor: ...
class Ormqr(Primitive):
    """$Q C$, or without `left` $C Q$, where C is `other` `(*, m, n)` and Q, square, is the product of Householder reflections in `geqrf`'s format: `input` `(*, mn, k)`, below the diagonal, and their factors `tau` `(*, min(mn, k))`. `transpose`: uses Q's (conjugate) transpose."""
    def __init__(self, left=True, transpose=False) -> None: ...
    def __call__(self, x, tau, other) -> Tensor: ...
class PReLU(Primitive):
    r"""$\max(x, 0) + w \min(x, 0)$; `weight` has one number, or one for each channel (axis 1)."""
    def __init__(self) -> None: ...
    def __call__(self, input, weight) -> Tensor: ...
class Pack(Primitive):
    """Stack a tuple or list of Tensors of one shape along a new dimension `axis`."""
    def __init__(self, axis=0) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Pad(Primitive):
    """Pad `x` with zeros: `paddings` has (before, after) for each axis; negative ones crop."""
    def __init__(self, paddings) -> None: ...
    def __call__(self, x) -> Tensor: ...
class PadV3(Primitive):
    """As `pad`; without `paddings_contiguous`: all numbers before, then all after."""
    def __init__(self, mode='constant', paddings_contiguous=True) -> None: ...
    def __call__(self, x, paddings, constant_value=None) -> Tensor: ...
class Padding(Primitive):
    """`x` `(*, 1)` -> `(*, pad_dim_size)`, with zeros appended along the last axis."""
    def __init__(self, pad_dim_size=8) -> None: ...
    def __call__(self, x) -> Tensor: ...
class PagedAttention(Primitive):
    """Attention of tokens `(T, head_num, D)` to keys and values in pages `(pages, size, kv_head_num, D)`: each token's are in its row of `block_tables` `(T, blocks)`, of which `context_lens` `(T,)` are valid."""
    def __init__(self, head_num, scale_value, kv_head_num, kv_cache_quant_mode='DEFAULT', mask_mode='MASK_DEFAULT', mla_v_dim=0) -> None: ...
    def __call__(self, query, key_cache, value_cache=None, block_tables=None, context_lens=None, antiquant_scale=None, antiquant_offset=None, attn_mask=None, q_seq_lens=None, alibi_mask=None) -> Tensor: ...
class PagedAttentionMask(Primitive):
    """As `PagedAttention`, with an `alibi_mask` `(T, head_num, 1, keys)` for each head."""
    def __init__(self, head_num, scale_value, kv_head_num, kv_cache_quant_mode='DEFAULT') -> None: ...
    def __call__(self, query, key_cache, value_cache, block_tables, context_lens, antiquant_scale=None, antiquant_offset=None, alibi_mask=None) -> Tensor: ...
class ParallelConcat(Primitive):
    """Concatenate a tuple or list of Tensors whose first size is 1 along that axis."""
    def __init__(self) -> None: ...
    def __call__(self, values) -> Tensor: ...
class ParameterizedTruncatedNormal(Primitive):
    """Draw from the normal distribution with `mean` and `stdevs`, truncated to [min, max]."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, shape, mean, stdevs, min, max) -> Tensor: ...
class Pdist(Primitive):
    """The `p`-norm distances between all pairs of rows of `(n, k)`, in the order of the rows."""
    def __init__(self, p=2.0) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Poisson(Primitive):
    """As `poisson`, Int32."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, shape, mean) -> Tensor: ...
class Polar(Primitive):
    r"""$r (\cos \varphi + i \sin \varphi)$ from r = `abs` and the angle."""
    def __init__(self) -> None: ...
    def __call__(self, abs, angle) -> Tensor: ...
class Polygamma(Primitive):
    r"""The `n`-th derivative of the digamma function, $\psi^{(n)}(x)$; `n`: an int, or a one-element Tensor."""
    def __init__(self) -> None: ...
    def __call__(self, a, x) -> Tensor: ...
class PopulationCount(Primitive):
    """Count the 1 bits of each integer: UInt8."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class Pow(Primitive):
    """$input^{exponent}$, broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input, exponent) -> Tensor: ...
class Qr(Primitive):
    """$A = Q R$ of each matrix `(*, m, n)`: Q has orthonormal columns, R is upper triangular."""
    def __init__(self, full_matrices=False) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class Quantile(Primitive):
    """As `quantile`, or, with `ignore_nan`, `nanquantile`, along `dim`."""
    def __init__(self, dim=None, keep_dims=False, ignore_nan=False) -> None: ...
    def __call__(self, input, q) -> Tensor: ...
class RGBToHSV(Primitive):
    """Convert red, green and blue to hue, saturation and value, each from 0 to 1: `(*, 3)`."""
    def __init__(self) -> None: ...
    def __call__(self, images) -> Tensor: ...
class RNNTLoss(Primitive):
    r"""$-\ln P(labels \mid acts)$ `(B,)`, and its gradient with respect to `acts`."""
    def __init__(self, blank_label=0) -> None: ...
    def __call__(self, acts, labels, input_lengths, label_lengths) -> builtins.tuple[Tensor, ...]: ...
class ROIAlign(Primitive):
    """Pool regions `(n, 5)` (image, x1, y1, x2, y2) of `(N, C, H, W)` to `(n, C, rows, columns)`: means over `sample_num` by `sample_num` points in each bin of a region."""
    def __init__(self, pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1) -> None: ...
    def __call__(self, features, rois) -> Tensor: ...
class RaggedRange(Primitive):
    """For each start, the numbers from it up to its limit, exclusive, in steps of its delta: the offset of each range in the second result, and its length, in the dtype `Tsplits`; and all ranges, concatenated."""
    def __init__(self, Tsplits) -> None: ...
    def __call__(self, starts, limits, deltas) -> builtins.tuple[Tensor, ...]: ...
class RandomCategorical(Primitive):
    """Draw `num_sample` indices for each row of `logits`, with probabilities $softmax(logits)$."""
    def __init__(self, dtype=...) -> None: ...
    def __call__(self, logits, num_sample, seed=0) -> Tensor: ...
class RandomChoiceWithMask(Primitive):
    """As `choice_with_mask`."""
    def __init__(self, count=256, seed=0, seed2=0) -> None: ...
    def __call__(self, input_x) -> builtins.tuple[Tensor, ...]: ...
class RandomGamma(Primitive):
    """As `random_gamma`."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, shape, alpha) -> Tensor: ...
class RandomPoisson(Primitive):
    """As `random_poisson`."""
    def __init__(self, seed=0, seed2=0, dtype=...) -> None: ...
    def __call__(self, shape, rate) -> Tensor: ...
class RandomShuffle(Primitive):
    """As `shuffle`."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Randperm(Primitive):
    """Return the numbers from 0 to n - 1 shuffled, then `pad` up to `max_length`; n: a Tensor."""
    def __init__(self, max_length=1, pad=-1, dtype=...) -> None: ...
    def __call__(self, n) -> Tensor: ...
class RandpermV2(Primitive):
    """As `randperm`."""
    def __init__(self, seed=0, offset=0, dtype=...) -> None: ...
    def __call__(self, n) -> Tensor: ...
class Range(Primitive):
    """As `arange(start, end, step)`, with at most `maxlen` elements."""
    def __init__(self, maxlen=1000000) -> None: ...
    def __call__(self, start, end, step) -> Tensor: ...
class Rank(Primitive):
    """Return the number of dimensions, an int."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> builtins.int: ...
class ReLU(Primitive):
    r"""$\max(x, 0)$, element by element; its derivative at 0 is 0."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class ReLU6(Primitive):
    r"""$\min(\max(x, 0), 6)$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Real(Primitive):
    """The real part; real tensors are returned unchanged."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class RealDiv(Primitive):
    """$input / other$, broadcast together; integers divide to Float32."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class Receive(Primitive):
    """Receive a Tensor, of this shape and dtype, that group rank `src_rank` passes to `Send`."""
    def __init__(self, sr_tag, src_rank, shape, dtype, group='hccl_world_group', group_back='hccl_world_group') -> None: ...
    def __call__(self, input_x=None) -> Tensor: ...
class Reciprocal(Primitive):
    """$1 / x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Reduce(Primitive):
    """Reduce all processes' Tensors (sum, or `op`) onto process `dest_rank`."""
    def __init__(self, dest_rank, op='sum', group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class ReduceAll(Primitive):
    """True if all elements along `axis` (an int, a tuple of ints, or None) are nonzero: Bool."""
    def __init__(self, keep_dims=False) -> None: ...
    def __call__(self, input, axis=None) -> Tensor: ...
class ReduceAny(Primitive):
    """Return True if any element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool."""
    def __init__(self, keep_dims=False) -> None: ...
    def __call__(self, x, axis=()) -> Tensor: ...
class ReduceMax(Primitive):
    """The largest element along `axis` (an int, a tuple of ints, or None for all)."""
    def __init__(self, keep_dims=False) -> None: ...
    def __call__(self, x, axis=()) -> Tensor: ...
class ReduceMean(Primitive):
    r"""$\frac1n \sum_{i=1}^n x_i$ along `axis`: an int, a tuple of ints, or None for all."""
    def __init__(self, keep_dims=False) -> None: ...
    def __call__(self, x, axis=()) -> Tensor: ...
class ReduceMin(Primitive):
    """The smallest element along `axis` (an int, a tuple of ints, or None for all)."""
    def __init__(self, keep_dims=False) -> None: ...
    def __call__(self, x, axis=()) -> Tensor: ...
class ReduceProd(Primitive):
    r"""$\prod_i x_i$ along `axis`, in the operand's own dtype; `()` means all axes."""
    def __init__(self, keep_dims=False) -> None: ...
    def __call__(self, x, axis=()) -> Tensor: ...
class ReduceScatter(Primitive):
    """Reduce all processes' Tensors (sum, or `op`) and keep this process' part of the first axis."""
    def __init__(self, op='sum', group='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class ReduceScatterV(Primitive):
    """Reduce all processes' Tensors (sum, or `op`) and return this process' part; `input_split_sizes`: the length of each process' part."""
    def __init__(self, op='sum', group='hccl_world_group') -> None: ...
    def __call__(self, input_x, input_split_sizes) -> Tensor: ...
class ReduceStd(Primitive):
    """Return the standard deviation and the mean along `axis`: an int, several, or () for all."""
    def __init__(self, axis=(), unbiased=True, keep_dims=False) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class ReduceSum(Primitive):
    r"""$\sum_i x_i$ along `axis`, in the operand's own dtype; `()` means all axes."""
    def __init__(self, keep_dims=False, skip_mode=False) -> None: ...
    def __call__(self, x, axis=()) -> Tensor: ...
class Renorm(Primitive):
    """Scale each slice along `axis` down so that its `p`-norm is at most `maxnorm`."""
    def __init__(self, p, dim, maxnorm) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Reshape(Primitive):
    """The elements, in row-major order, in another shape; a single -1 in it is inferred."""
    def __init__(self) -> None: ...
    def __call__(self, input, shape) -> Tensor: ...
class ReshapeAndCache(Primitive):
    """Write the rows of `key` and `value` `(T, N, D)` to the slots `slot_mapping` `(T,)` of `key_cache` and `value_cache` `(pages, size, N, D)` in place; negative slots are skipped. Returns `key`."""
    def __init__(self) -> None: ...
    def __call__(self, key, value=None, key_cache=None, value_cache=None, slot_mapping=None) -> Tensor: ...
class Reshard(Primitive):
    """Convert the Tensor from one device layout to another: on one device, unchanged."""
    def __init__(self, in_layout, out_layout, in_strategy) -> None: ...
    def __call__(self, tensor) -> Tensor: ...
class ResizeArea(Primitive):
    """`(N, H, W, C)` -> `(N, *size, C)` in Float32: each element is the mean of the input area that it covers, with partly covered elements weighted by the covered part."""
    def __init__(self, align_corners=False) -> None: ...
    def __call__(self, images, size) -> Tensor: ...
class ResizeBicubic(Primitive):
    """`(N, C, H, W)` -> `(N, C, *size)` by cubic interpolation of the nearest four elements of both axes (Keys, 1981)."""
    def __init__(self, align_corners=False, half_pixel_centers=False) -> None: ...
    def __call__(self, image, size) -> Tensor: ...
class ResizeBilinear(Primitive):
    """`(N, C, H, W)` -> `(N, C, *size)` by bilinear interpolation."""
    def __init__(self, size, align_corners=False, half_pixel_centers=False) -> None: ...
    def __call__(self, x) -> Tensor: ...
class ResizeBilinearV2(Primitive):
    """`(N, C, H, W)` -> `(N, C, *size)` by bilinear interpolation."""
    def __init__(self, align_corners=False, half_pixel_centers=False) -> None: ...
    def __call__(self, image, size) -> Tensor: ...
class ResizeLinear1D(Primitive):
    """`(N, C, L)` -> `(N, C, *size)` by linear interpolation; aligns the outermost elements, or with 'half_pixel' the outer edges."""
    def __init__(self, coordinate_transformation_mode='align_corners') -> None: ...
    def __call__(self, x, size) -> Tensor: ...
class ResizeNearestNeighbor(Primitive):
    """`(N, C, H, W)` -> `(N, C, *size)` by nearest-neighbour interpolation."""
    def __init__(self, size, align_corners=False, half_pixel_centers=False) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class ResizeNearestNeighborV2(Primitive):
    """`(N, C, H, W)` -> `(N, C, *size)` by nearest-neighbour interpolation."""
    def __init__(self, align_corners=False, half_pixel_centers=False) -> None: ...
    def __call__(self, image, size) -> Tensor: ...
class ReverseSequence(Primitive):
    """Reverse the first `seq_lengths` elements along `seq_dim`, for each of a batch."""
    def __init__(self, seq_dim, batch_dim=0) -> None: ...
    def __call__(self, x, seq_lengths) -> Tensor: ...
class ReverseV2(Primitive):
    """Reverse the order of the elements along `dims`, an int or a tuple of ints."""
    def __init__(self, axis) -> None: ...
    def __call__(self, input) -> Tensor: ...
class RightShift(Primitive):
    r"""$\lfloor input / 2^{other} \rfloor$ of integers; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, input_y) -> Tensor: ...
class Rint(Primitive):
    """Round to the nearest integer, halves to even."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class RmsNorm(Primitive):
    r"""$\gamma x r$ and r, where $r = 1 / \sqrt{\overline{x^2} + \epsilon}$ is taken over the last axes, those in `gamma` (Zhang and Sennrich, 2019)."""
    def __init__(self, epsilon=1e-06) -> None: ...
    def __call__(self, x, gamma) -> builtins.tuple[Tensor, ...]: ...
class Roll(Primitive):
    """Shift the elements cyclically by `shifts` along `dims`; with `dims` None, as if all were in one dimension."""
    def __init__(self, shifts, dims=None) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Round(Primitive):
    """Round to `decimals` places; halves go to the even neighbour."""
    def __init__(self) -> None: ...
    def __call__(self, input, decimals=0) -> Tensor: ...
class Rsqrt(Primitive):
    r"""$1 / \sqrt{x}$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class SGD(Primitive):
    r"""$v \leftarrow u v + (1 - dampening) g$, $w \leftarrow w - \eta v$; $u$ is `momentum`, $v$ `accum`. Without momentum $w \leftarrow w - \eta g$."""
    def __init__(self, dampening=0.0, weight_decay=0.0, nesterov=False) -> None: ...
    def __call__(self, parameters, gradient, learning_rate, accum, momentum, stat) -> Tensor: ...
class STFT(Primitive):
    """Compute the spectra of a signal's frames; see `stft`."""
    def __init__(self, n_fft, hop_length, win_length, normalized, onesided, return_complex) -> None: ...
    def __call__(self, x, window) -> Tensor: ...
class SampleDistortedBoundingBoxV2(Primitive):
    """A random crop of an image of `image_size`, (height, width, channels), that covers at least `min_object_covered` of one of `bounding_boxes` `(batch, N, 4)`, (y1, x1, y2, x2) relative to the image: its begin (y, x, 0), size (height, width, -1), and box `(1, 1, 4)`."""
    def __init__(self, seed=0, seed2=0, aspect_ratio_range=..., area_range=..., max_attempts=100, use_image_if_no_bounding_boxes=False) -> None: ...
    def __call__(self, image_size, bounding_boxes, min_object_covered) -> builtins.tuple[Tensor, ...]: ...
class ScalarCast(Primitive):
    """Convert a Python number to another dtype; returns a Python number."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, input_y) -> Any: ...
class ScalarSummary(Primitive):
    """Record the Tensor `value` under `name` for the open `SummaryRecord`, which writes the last value. If none is open, a call has no effect."""
    def __init__(self) -> None: ...
    def __call__(self, name, value) -> Tensor: ...
class ScalarToArray(Primitive):
    """Convert a number to a 0-d tensor of its natural dtype (ints: Int64, floats: Float32)."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class ScalarToTensor(Primitive):
    """Convert a number to a 0-d tensor."""
    def __init__(self) -> None: ...
    def __call__(self, x, dtype=...) -> Tensor: ...
class ScaleAndTranslate(Primitive):
    """`(N, H, W, C)` -> `(N, *size, C)` in Float32: an input element at position i is moved to `scale * i + translation`, along both axes."""
    def __init__(self, kernel_type='lanczos3', antialias=True) -> None: ...
    def __call__(self, images, size, scale, translation) -> Tensor: ...
class ScatterAdd(Primitive):
    """Apply `tensor_scatter_add` in place to whole rows of `input_x`, a Parameter."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterAddWithAxis(Primitive):
    """`input_x` with `updates` added to the elements at `indices` along `axis`; in place for a Parameter."""
    def __init__(self, axis=0) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterDiv(Primitive):
    """Apply `tensor_scatter_div` in place to whole rows of `input_x`, a Parameter."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterMax(Primitive):
    """Apply `tensor_scatter_max` in place to whole rows of `input_x`, a Parameter."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterMin(Primitive):
    """Apply `tensor_scatter_min` in place to whole rows of `input_x`, a Parameter."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterMul(Primitive):
    """Apply `tensor_scatter_mul` in place to whole rows of `input_x`, a Parameter."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterNd(Primitive):
    """Zeros of that `shape`, with `updates` added at the rows of `indices`."""
    def __init__(self) -> None: ...
    def __call__(self, indices, updates, shape) -> Tensor: ...
class ScatterNdAdd(Primitive):
    """Apply `tensor_scatter_add` in place to `input_x`, a Parameter."""
    def __init__(self, use_locking=True) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterNdDiv(Primitive):
    """Apply `tensor_scatter_div` in place to `input_x`, a Parameter."""
    def __init__(self, use_locking=True) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterNdMax(Primitive):
    """Apply `tensor_scatter_max` in place to `input_x`, a Parameter."""
    def __init__(self, use_locking=True) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterNdMin(Primitive):
    """Apply `tensor_scatter_min` in place to `input_x`, a Parameter."""
    def __init__(self, use_locking=True) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterNdMul(Primitive):
    """Apply `tensor_scatter_mul` in place to `input_x`, a Parameter."""
    def __init__(self, use_locking=True) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterNdSub(Primitive):
    """Apply `tensor_scatter_sub` in place to `input_x`, a Parameter."""
    def __init__(self, use_locking=True) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterNdUpdate(Primitive):
    """Apply `tensor_scatter_update` in place to `input_x`, a Parameter."""
    def __init__(self, use_locking=True) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterNonAliasingAdd(Primitive):
    """`tensor_scatter_add` in place, for a Parameter `input_x`."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterSub(Primitive):
    """Apply `tensor_scatter_sub` in place to whole rows of `input_x`, a Parameter."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class ScatterUpdate(Primitive):
    """Apply `tensor_scatter_update` in place to whole rows of `input_x`, a Parameter."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class SeLU(Primitive):
    r"""$1.0507 (\max(0, x) + \min(0, 1.6733 (e^x - 1)))$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class SearchSorted(Primitive):
    """As `ops.searchsorted`; `dtype`: the result's dtype, int32 or int64."""
    def __init__(self, dtype=..., right=False) -> None: ...
    def __call__(self, sorted_sequence, values, sorter=None) -> Tensor: ...
class SegmentMax(Primitive):
    """The largest of the slices of `input_x` with equal `segment_ids`, which are in ascending order."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, segment_ids) -> Tensor: ...
class SegmentMean(Primitive):
    """The mean of the slices of `input_x` with equal `segment_ids`, which are in ascending order."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, segment_ids) -> Tensor: ...
class SegmentMin(Primitive):
    """The smallest of the slices of `input_x` with equal `segment_ids`, which are in ascending order."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, segment_ids) -> Tensor: ...
class SegmentProd(Primitive):
    """The product of the slices of `input_x` with equal `segment_ids`, which are in ascending order."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, segment_ids) -> Tensor: ...
class SegmentSum(Primitive):
    """The sum of the slices of `input_x` with equal `segment_ids`, which are in ascending order."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, segment_ids) -> Tensor: ...
class Select(Primitive):
    """`input` where `condition` is nonzero, else `other`, all broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, condition, input, other) -> Tensor: ...
class SelectView(Primitive):
    """The slice at `index` along `dim`, which is removed."""
    def __init__(self) -> None: ...
    def __call__(self, input_tensor, input_indices, axis) -> Tensor: ...
class Send(Primitive):
    """Send a Tensor to group rank `dest_rank`, which calls `Receive`; returns zeros."""
    def __init__(self, sr_tag, dest_rank, group='hccl_world_group', group_back='hccl_world_group') -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class Shape(Primitive):
    """Return the size of each dimension, a tuple of ints."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> builtins.tuple: ...
class SiLU(Primitive):
    r"""$x \, \sigma(x)$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Sigmoid(Primitive):
    """$1 / (1 + e^{-x})$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class SigmoidCrossEntropyWithLogits(Primitive):
    """Elementwise `binary_cross_entropy_with_logits`."""
    def __init__(self) -> None: ...
    def __call__(self, logits, label) -> Tensor: ...
class Sign(Primitive):
    """-1, 0 or 1, the sign of $x$; 0 of NaN, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Sin(Primitive):
    r"""$\sin x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Sinc(Primitive):
    r"""$\sin(\pi x) / (\pi x)$, and 1 at 0, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Sinh(Primitive):
    r"""$\sinh x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Size(Primitive):
    """Return the number of elements, an int."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> builtins.int: ...
class Slice(Primitive):
    """The block that starts at `begin` and has `size` (-1: up to the end), one int per dimension."""
    def __init__(self) -> None: ...
    def __call__(self, input, begin, size) -> Tensor: ...
def SliceGetItem(x, name) -> Any:
    """Return a slice's 'start', 'stop' or 'step'."""
class SmoothL1Loss(Primitive):
    r"""$d^2 / 2\beta$ where $d = |input - target| < \beta$, else $d - \beta / 2$ (Girshick, 2015)."""
    def __init__(self, beta=1.0, reduction='none') -> None: ...
    def __call__(self, prediction, target) -> Tensor: ...
class SoftMarginLoss(Primitive):
    r"""$\ln(1 + e^{-target \cdot input})$, `target` being 1 or -1."""
    def __init__(self, reduction='mean') -> None: ...
    def __call__(self, logits, labels) -> Tensor: ...
class SoftShrink(Primitive):
    r"""Soft thresholding: $x$ moved toward 0 by $\lambda$, and 0 where $|x| \leq \lambda$."""
    def __init__(self, lambd=0.5) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Softmax(Primitive):
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `axis`, in `dtype` if given."""
    def __init__(self, axis=-1) -> None: ...
    def __call__(self, input) -> Tensor: ...
class SoftmaxCrossEntropyWithLogits(Primitive):
    r"""$-\sum_c y_c \ln \operatorname{softmax}(x)_c$ of each row, and its gradient."""
    def __init__(self) -> None: ...
    def __call__(self, logits, labels) -> builtins.tuple[Tensor, ...]: ...
class Softplus(Primitive):
    r"""$\ln(1 + e^{\beta x}) / \beta$; $x$ itself where $\beta x$ exceeds `threshold`."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Softsign(Primitive):
    """$x / (1 + |x|)$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Sort(Primitive):
    """Sort along `axis`; returns the elements and their former indices (Int32)."""
    def __init__(self, axis=-1, descending=False) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class SpaceToBatch(Primitive):
    r"""Move positions within blocks of the last axes to the batch: `(n, *, w_1, ..., w_M)` -> `(n B, *, w_1 / b_1, ..., w_M / b_M)` with $B = b_1 \cdots b_M$."""
    def __init__(self, block_size, paddings) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class SpaceToBatchND(Primitive):
    r"""Move positions within blocks of the last axes to the batch: `(n, *, w_1, ..., w_M)` -> `(n B, *, w_1 / b_1, ..., w_M / b_M)` with $B = b_1 \cdots b_M$."""
    def __init__(self, block_shape, paddings) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class SpaceToDepth(Primitive):
    """`(N, C, H b, W b)` -> `(N, C b b, H, W)`: the inverse of `DepthToSpace`."""
    def __init__(self, block_size) -> None: ...
    def __call__(self, x) -> Tensor: ...
class SparseApplyAdadelta(Primitive):
    r"""$s \leftarrow \rho s + (1 - \rho) g^2$, $d = \sqrt{\frac{u + \epsilon}{s + \epsilon}} g$, $u \leftarrow \rho u + (1 - \rho) d^2$, $w \leftarrow w - \eta d$."""
    def __init__(self, epsilon, use_locking=False) -> None: ...
    def __call__(self, var, accum, accum_update, lr, rho, grad, indices) -> builtins.tuple: ...
class SparseApplyAdagrad(Primitive):
    r"""$s \leftarrow s + g^2$ (if `update_slots`), $w \leftarrow w - \frac{\eta g}{\sqrt{s} + eps}$; $s$ is `accum`."""
    def __init__(self, lr, update_slots=True, use_locking=False) -> None: ...
    def __call__(self, var, accum, grad, indices) -> builtins.tuple: ...
class SparseApplyAdagradV2(Primitive):
    r"""$s \leftarrow s + g^2$ (if `update_slots`), $w \leftarrow w - \frac{\eta g}{\sqrt{s} + eps}$; $s$ is `accum`."""
    def __init__(self, lr, epsilon, use_locking=False, update_slots=True) -> None: ...
    def __call__(self, var, accum, grad, indices) -> builtins.tuple: ...
class SparseApplyFtrl(Primitive):
    r"""$s' = s + g^2$, $z \leftarrow z + g - \frac{s'^{-q} - s^{-q}}{\eta} w$, then $w \leftarrow \frac{\operatorname{sign}(z) l_1 - z}{s'^{-q} / \eta + 2 l_2}$ where $|z| > l_1$ and 0 elsewhere; $s$ is `accum`, $z$ `linear`, $q$ `lr_power`."""
    def __init__(self, lr, l1, l2, lr_power, use_locking=False) -> None: ...
    def __call__(self, var, accum, linear, grad, indices) -> builtins.tuple: ...
class SparseApplyFtrlV2(Primitive):
    r"""$s' = s + g^2$, $z \leftarrow z + g - \frac{s'^{-q} - s^{-q}}{\eta} w$, then $w \leftarrow \frac{\operatorname{sign}(z) l_1 - z}{s'^{-q} / \eta + 2 l_2}$ where $|z| > l_1$ and 0 elsewhere; $s$ is `accum`, $z$ `linear`, $q$ `lr_power`."""
    def __init__(self, lr, l1, l2, l2_shrinkage, lr_power, use_locking=False) -> None: ...
    def __call__(self, var, accum, linear, grad, indices) -> builtins.tuple: ...
class SparseApplyProximalAdagrad(Primitive):
    r"""$s \leftarrow s + g^2$, $p = w - \frac{\eta}{\sqrt{s}} g$, $w \leftarrow \frac{\operatorname{sign}(p)}{1 + \eta l_2 / \sqrt{s}} \max(|p| - \eta l_1 / \sqrt{s}, 0)$."""
    def __init__(self, use_locking=False) -> None: ...
    def __call__(self, var, accum, lr, l1, l2, grad, indices) -> builtins.tuple: ...
class SparseApplyRMSProp(Primitive):
    """`ApplyRMSProp` for the rows at `indices`, repeated ones summed; $s$ is kept where the gradient is 0."""
    def __init__(self, rho, momentum, epsilon, use_locking=False) -> None: ...
    def __call__(self, var, ms, mom, lr, grad, indices) -> builtins.tuple: ...
class SparseGatherV2(Primitive):
    """The slices of `input_params` along `axis` at `input_indices` (of any shape)."""
    def __init__(self) -> None: ...
    def __call__(self, input_params, input_indices, axis) -> Tensor: ...
class SparseSlice(Primitive):
    """The block of a sparse Tensor from `start` on, of that `size`: (indices, values, shape)."""
    def __init__(self) -> None: ...
    def __call__(self, indices, values, shape, start, size) -> builtins.tuple: ...
class SparseSoftmaxCrossEntropyWithLogits(Primitive):
    """The mean cross entropy of the rows for class indices, or (`is_grad`) its gradient."""
    def __init__(self, is_grad=False) -> None: ...
    def __call__(self, logits, labels) -> Tensor: ...
class SparseTensorDenseAdd(Primitive):
    """Add a sparse Tensor and a Tensor `x2`, of the same shape and dtype."""
    def __init__(self) -> None: ...
    def __call__(self, x1_indices, x1_values, x1_shape, x2) -> Tensor: ...
class SparseTensorDenseMatmul(Primitive):
    """The product of a sparse matrix and a matrix `dense`."""
    def __init__(self, adjoint_st=False, adjoint_dt=False) -> None: ...
    def __call__(self, indices, values, sparse_shape, dense) -> Tensor: ...
class SparseToDense(Primitive):
    """Convert to a dense Tensor: zeros of `sparse_shape`, with `values` at `indices`."""
    def __init__(self) -> None: ...
    def __call__(self, indices, values, sparse_shape) -> Tensor: ...
class Split(Primitive):
    """Split into `output_num` pieces of equal size along `axis`, a tuple."""
    def __init__(self, axis=0, output_num=1) -> None: ...
    def __call__(self, input_x) -> builtins.tuple[Tensor, ...]: ...
class SplitV(Primitive):
    """Split into `num_split` pieces of these sizes along `split_dim`, a tuple; one size may be -1, the remainder."""
    def __init__(self, size_splits, split_dim, num_split) -> None: ...
    def __call__(self, input_x) -> builtins.tuple[Tensor, ...]: ...
class Sqrt(Primitive):
    r"""$\sqrt{x}$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Square(Primitive):
    """$x^2$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class SquareSumAll(Primitive):
    """The sums of the squares of `x` and of `y`, which have the same shape and dtype."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> builtins.tuple[Tensor, ...]: ...
class SquaredDifference(Primitive):
    """$(input - other)^2$."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class Squeeze(Primitive):
    """Remove dimensions of size 1: all of them, or the ones in `axis`."""
    def __init__(self, axis=()) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Stack(Primitive):
    """Stack a tuple or list of Tensors of one shape along a new dimension `axis`."""
    def __init__(self, axis=0) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class StandardLaplace(Primitive):
    """As `standard_laplace`."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, shape) -> Tensor: ...
class StandardNormal(Primitive):
    """As `standard_normal`."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, shape) -> Tensor: ...
class StridedSlice(Primitive):
    """Every `strides[i]`-th slice from `begin[i]` up to `end[i]` of dimension `i`."""
    def __init__(self, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0) -> None: ...
    def __call__(self, input_x, begin, end, strides) -> Tensor: ...
class Sub(Primitive):
    """$input - other$, broadcast together; on Bool, "exclusive or"."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class SubAndFilter(Primitive):
    """The elements of `input_x - offset` in [0, max_num), and their indices."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, max_num, offset) -> builtins.tuple[Tensor, ...]: ...
class Svd(Primitive):
    r"""$A = u \, diag(s) \, v^H$ of each matrix `(*, m, n)`: (s, u, v), or s if not `compute_uv`."""
    def __init__(self, full_matrices=False, compute_uv=True) -> None: ...
    def __call__(self, a) -> Tensor: ...
class Tan(Primitive):
    r"""$\tan x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Tanh(Primitive):
    r"""$\tanh x$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class TensorAdd(Primitive):
    """$input + other$, broadcast together; on Bool, "or"."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class TensorScatterAdd(Primitive):
    """Return `input_x` where `updates` are added to the slice that each row of `indices` selects."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class TensorScatterDiv(Primitive):
    """Return `input_x` where `updates` divide the slice that each row of `indices` selects."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class TensorScatterElements(Primitive):
    r"""$x_{i, index_{ij}} \leftarrow u_{ij}$ for `axis` 1, analogous for others: the reverse of `gather_elements`. `reduction`: 'none' to replace, or 'add', 'sub', 'mul', 'div', 'max', 'min'."""
    def __init__(self, axis=0, reduction='none') -> None: ...
    def __call__(self, data, indices, updates) -> Tensor: ...
class TensorScatterMax(Primitive):
    """Return `input_x` where `updates` replace, if larger, the slice that each row of `indices` selects."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class TensorScatterMin(Primitive):
    """Return `input_x` where `updates` replace, if smaller, the slice that each row of `indices` selects."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class TensorScatterMul(Primitive):
    """Return `input_x` where `updates` multiply the slice that each row of `indices` selects."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class TensorScatterSub(Primitive):
    """Return `input_x` where `updates` are taken off the slice that each row of `indices` selects."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class TensorScatterUpdate(Primitive):
    """Return `input_x` where `updates` replace the slice that each row of `indices` selects."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, indices, updates) -> Tensor: ...
class TensorShape(Primitive):
    """Return the size of each dimension, an Int64 tensor."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class TensorSummary(Primitive):
    """Record the Tensor `value` under `name` for the open `SummaryRecord`, which writes the last value. If none is open, a call has no effect."""
    def __init__(self) -> None: ...
    def __call__(self, name, value) -> Tensor: ...
class TensorToTuple(Primitive):
    """Convert a 1-d or 0-d tensor to a tuple of Python numbers."""
    def __init__(self) -> None: ...
    def __call__(self, input_tensor) -> builtins.tuple: ...
class Tile(Primitive):
    """Repeat `input` `dims[i]` times along dimension `i`; `dims` is aligned on the right."""
    def __init__(self) -> None: ...
    def __call__(self, input, dims) -> Tensor: ...
class TopK(Primitive):
    """The `k` largest (or smallest) elements along `dim` (the last by default), sorted, and their indices (Int32): a pair."""
    def __init__(self, sorted=True) -> None: ...
    def __call__(self, input_x, k) -> builtins.tuple[Tensor, ...]: ...
class Trace(Primitive):
    """The sum of a matrix's diagonal; the method takes an `offset` above the main one, and the planes of `axis1` and `axis2`."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class Transpose(Primitive):
    """Permute the dimensions: dimension `i` of the result is `dims[i]` of `input`."""
    def __init__(self) -> None: ...
    def __call__(self, input, dims) -> Tensor: ...
class TransposeExtView(Primitive):
    """Swap two dimensions."""
    def __init__(self) -> None: ...
    def __call__(self, input, dim0, dim1) -> Tensor: ...
class TransposeView(Primitive):
    """Permute the dimensions: dimension `i` of the result is `dims[i]` of `input`."""
    def __init__(self) -> None: ...
    def __call__(self, input, input_perm) -> Tensor: ...
class TridiagonalMatMul(Primitive):
    """Multiply the matrix with these three diagonals, each `(*, 1, M)`, by `rhs` `(*, M, N)`."""
    def __init__(self) -> None: ...
    def __call__(self, superdiag, maindiag, subdiag, rhs) -> Tensor: ...
class Tril(Primitive):
    """The lower triangle of the last two dimensions, zeros above `diagonal`."""
    def __init__(self, diagonal=0) -> None: ...
    def __call__(self, input) -> Tensor: ...
class TrilIndices(Primitive):
    """Rows and columns of the elements on and below the diagonal `offset`: `(2, n)`."""
    def __init__(self, row, col, offset=0, dtype=...) -> None: ...
    def __call__(self) -> Tensor: ...
class TripletMarginLoss(Primitive):
    r"""$\max(0, d(a, p) - d(a, n) + margin)$ with $d(x, y) = \|x - y + eps\|_p$ of the last axis."""
    def __init__(self, p=2, swap=False, eps=1e-06, reduction='mean') -> None: ...
    def __call__(self, x, positive, negative, margin) -> Tensor: ...
class Triu(Primitive):
    """The upper triangle of the last two dimensions, zeros below `diagonal`."""
    def __init__(self, diagonal=0) -> None: ...
    def __call__(self, input) -> Tensor: ...
class TriuIndices(Primitive):
    """Rows and columns of the elements on and above the diagonal `offset`: `(2, n)`."""
    def __init__(self, row, col, offset=0, dtype=...) -> None: ...
    def __call__(self) -> Tensor: ...
class Trunc(Primitive):
    """$x$ rounded toward zero, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, input) -> Tensor: ...
class TruncateDiv(Primitive):
    """$x / y$ rounded toward zero; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class TruncateMod(Primitive):
    """The remainder of $x / y$ truncated toward zero; it has the sign of `x`; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class TruncatedNormal(Primitive):
    """Draw from the standard normal distribution truncated to [-2, 2]."""
    def __init__(self, dtype=..., seed=0, seed2=0) -> None: ...
    def __call__(self, shape) -> Tensor: ...
class TupleToArray(Primitive):
    """Convert a tuple of numbers to a tensor: Int32 for ints, Float32 for floats."""
    def __init__(self) -> None: ...
    def __call__(self, input_x) -> Tensor: ...
class Uniform(Primitive):
    """Draw uniformly from [minval, maxval), in the shape and dtype of `x`."""
    def __init__(self, minval=0.0, maxval=1.0, seed=0, offset=0) -> None: ...
    def __call__(self, x) -> Tensor: ...
class UniformCandidateSampler(Primitive):
    """As `uniform_candidate_sampler`."""
    def __init__(self, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False) -> None: ...
    def __call__(self, true_classes) -> builtins.tuple[Tensor, ...]: ...
class UniformInt(Primitive):
    """Draw Int32 integers uniformly from `minval` to `maxval - 1`."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, shape, minval, maxval) -> Tensor: ...
class UniformReal(Primitive):
    """Draw Float32 numbers uniformly from [0, 1)."""
    def __init__(self, seed=0, seed2=0) -> None: ...
    def __call__(self, shape) -> Tensor: ...
class Unique(Primitive):
    """The distinct elements in order of first appearance, and each element's index among them (Int64 for Int64 input, else Int32): a pair."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class UniqueConsecutive(Primitive):
    """As `ops.unique_consecutive`, always with indices and counts."""
    def __init__(self, return_inverse=False, return_counts=False, dim=None) -> None: ...
    def __call__(self, input) -> builtins.tuple[Tensor, ...]: ...
class UniqueWithPad(Primitive):
    """The distinct elements in order of first appearance, padded with `pad_num`, and each element's index among them: a pair, of the vector's size and dtype."""
    def __init__(self) -> None: ...
    def __call__(self, x, pad_num) -> builtins.tuple[Tensor, ...]: ...
class Unpack(Primitive):
    """Return the slices along `axis`, which is removed, a tuple; `num`: their number, if given."""
    def __init__(self, axis=0) -> None: ...
    def __call__(self, x) -> builtins.tuple[Tensor, ...]: ...
class UnravelIndex(Primitive):
    """Convert flat, row-major indices to the coordinates in an array of sizes `dims` `(k,)`: `(n,)` -> `(k, n)`, `()` -> `(k,)`."""
    def __init__(self) -> None: ...
    def __call__(self, indices, dims) -> Tensor: ...
class UnsortedSegmentMax(Primitive):
    """The largest of the slices of `x` with equal `segment_ids`, for each segment."""
    def __init__(self) -> None: ...
    def __call__(self, x, segment_ids, num_segments) -> Tensor: ...
class UnsortedSegmentMin(Primitive):
    """The smallest of the slices of `x` with equal `segment_ids`, for each segment."""
    def __init__(self) -> None: ...
    def __call__(self, x, segment_ids, num_segments) -> Tensor: ...
class UnsortedSegmentProd(Primitive):
    """The product of the slices of `x` with equal `segment_ids`, for each segment."""
    def __init__(self) -> None: ...
    def __call__(self, x, segment_ids, num_segments) -> Tensor: ...
class UnsortedSegmentSum(Primitive):
    """The sum of the slices of `input_x` with equal `segment_ids`, for each segment."""
    def __init__(self) -> None: ...
    def __call__(self, input_x, segment_ids, num_segments) -> Tensor: ...
class Unstack(Primitive):
    """Return the slices along `axis`, which is removed, a tuple; `num`: their number, if given."""
    def __init__(self, axis=0, num=None) -> None: ...
    def __call__(self, input_x) -> builtins.tuple[Tensor, ...]: ...
class UpperBound(Primitive):
    """Return, for each element of `values` `(n, k)`, the count of elements of the same row of `sorted_x` `(n, m)`, in ascending order, that are less than or equal to it."""
    def __init__(self, out_type=...) -> None: ...
    def __call__(self, sorted_x, values) -> Tensor: ...
class UpsampleNearest3D(Primitive):
    """Resize `(N, C, D, H, W)` to the sizes `output_size`, or by the factors `scales`, one per axis, by nearest-neighbour interpolation."""
    def __init__(self) -> None: ...
    def __call__(self, x, output_size=None, scales=None) -> Tensor: ...
class UpsampleTrilinear3D(Primitive):
    """Resize `(N, C, D, H, W)` to the sizes `output_size`, or by the factors `scales`, one per axis, by linear interpolation; `align_corners`: aligns the outermost elements, else the edges."""
    def __init__(self, align_corners=False) -> None: ...
    def __call__(self, x, output_size=None, scales=None) -> Tensor: ...
class Xdivy(Primitive):
    """$x / y$, and 0 where `x` is 0; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, y) -> Tensor: ...
class Xlogy(Primitive):
    r"""$input \cdot \ln other$, and 0 where `input` is 0."""
    def __init__(self) -> None: ...
    def __call__(self, input, other) -> Tensor: ...
class Zeros(Primitive):
    """Zeros of shape `size` (an int or a tuple of ints), Float32 unless a `dtype` is given."""
    def __init__(self) -> None: ...
    def __call__(self, size, dtype=None) -> Tensor: ...
class ZerosLike(Primitive):
    """Zeros of the shape of `input`, in its dtype unless another is given."""
    def __init__(self) -> None: ...
    def __call__(self, x) -> Tensor: ...
class Zeta(Primitive):
    r"""Hurwitz' $\sum_{n \ge 0} (n + other)^{-input}$; broadcast together."""
    def __init__(self) -> None: ...
    def __call__(self, x, q) -> Tensor: ...
class _AllSwap(Primitive):
    """Exchange rows of matrices; returns the received ones. `send_size`, `recv_size`: the number of elements sent to and received from each process."""
    def __init__(self, group='hccl_world_group') -> None: ...
    def __call__(self, tensor_in, send_size, recv_size) -> Tensor: ...
def _ones_like_for_grad(x) -> Any:
    """Replace Tensors and Python numbers by ones: the initial gradient."""
def abs(input) -> Tensor:
    """$|x|$, element by element."""
def absolute(input) -> Tensor:
    """$|x|$, element by element."""
def accumulate_n(x) -> Tensor:
    """The sum of Tensors of one shape: a tuple or list of them."""
def acos(input) -> Tensor:
    r"""$\arccos x$, element by element."""
def acosh(input) -> Tensor:
    r"""$\operatorname{arcosh} x$, element by element."""
def adaptive_avg_pool1d(input, output_size) -> Tensor:
    """Means over `output_size` nearly equal parts of the last axis: `(N, C, L)` or `(C, L)`."""
def adaptive_avg_pool2d(input, output_size) -> Tensor:
    r"""Means over $H' \times W'$ nearly equal parts of each plane."""
def adaptive_avg_pool2d_ext(input, output_size) -> Tensor:
    r"""Means over $H' \times W'$ nearly equal parts of each plane."""
def adaptive_avg_pool3d(input, output_size) -> Tensor:
    """`adaptive_avg_pool2d` over the last three axes."""
def adaptive_max_pool1d(input, output_size) -> Tensor:
    """Maxima over `output_size` nearly equal parts of the last axis."""
def adaptive_max_pool2d(input, output_size, return_indices=False) -> Tensor:
    r"""Maxima over $H' \times W'$ nearly equal parts of each plane."""
def adaptive_max_pool3d(input, output_size, return_indices=False) -> Tensor:
    """`adaptive_max_pool2d` over the last three axes; indices are Int32."""
def add(input, other) -> Tensor:
    """$input + other$, broadcast together; on Bool, "or"."""
def add_layer_norm(x1, x2, gamma, beta, epsilon=1e-05, additional_output=False) -> builtins.tuple[Tensor, ...]:
    r"""`layer_norm` of `x1 + x2` over the last axis: the result, the mean, the reciprocal of the deviation $1 / \sqrt{\sigma^2 + \epsilon}$, both with size 1 there, and the sum."""
def add_rms_norm(x1, x2, gamma, epsilon=1e-06) -> builtins.tuple[Tensor, ...]:
    """`rms_norm` of `x1 + x2`: the result, the reciprocal root and the sum."""
def addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \sum_b batch1_b \, batch2_b$."""
def addcdiv(input, tensor1, tensor2, value=1) -> Tensor:
    r"""$input + value \cdot tensor1 / tensor2$."""
def addcmul(input, tensor1, tensor2, value=1) -> Tensor:
    r"""$input + value \cdot tensor1 \cdot tensor2$."""
def addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \cdot mat1 \, mat2$ for matrices."""
def addmv(input, mat, vec, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \cdot mat \, vec$ for a matrix and a vector."""
def addn(x) -> Tensor:
    """The sum of Tensors of one shape: a tuple or list of them."""
def addr(x, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot x + \alpha \cdot vec1 \, vec2^\top$ for vectors."""
def adjoint(x) -> Tensor:
    """Swap the last two axes, and conjugate."""
def affine_grid(theta, size, align_corners=False) -> Tensor:
    """Map the points of an image by each affine map `theta` `(N, 2, 3)`: `(N, H, W, 2)`."""
def all(input, axis=None, keep_dims=False) -> Tensor:
    """True if all elements along `axis` (an int, a tuple of ints, or None) are nonzero: Bool."""
def all_gather(tensor_list, tensor, group=None, async_op=False) -> Any:
    """Gather each process' Tensor, whose shapes may differ."""
def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False) -> Any:
    """Concatenate all processes' Tensors along the first axis."""
def all_gather_into_tensor_uneven(output, input, output_split_sizes=None, group=None, async_op=False) -> Any:
    """As `all_gather_into_tensor`; `output_split_sizes`: the number of rows of each process."""
def all_gather_matmul(input, x2, group, world_size, *, bias=None, gather_index=0, gather_output=True, comm_turn=0, trans_input=False, trans_x2=False) -> builtins.tuple[Tensor, ...]:
    """Concatenate all processes' `input` and multiply by `x2`: (product, gathered input). Without `gather_output` the second is empty."""
def all_reduce(tensor, op='sum', group=None, async_op=False) -> Any:
    """Reduce all processes' Tensors (sum, or `op`); every process gets the result."""
def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False) -> Any:
    """Exchange Tensors, one of `input_tensor_list` for each process."""
def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False) -> Any:
    """Exchange rows between all processes."""
def all_to_all_v_c(output, input, send_count_matrix, group=None, async_op=False) -> Any:
    """Exchange rows; `send_count_matrix[i * ranks + j]`: the number of rows that process `i` sends to `j`."""
def amax(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The largest element along `axis` (an int, a tuple of ints, or None for all)."""
def amin(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The smallest element along `axis` (an int, a tuple of ints, or None for all)."""
def aminmax(input, *, axis=0, keepdims=False) -> builtins.tuple[Tensor, ...]:
    """The smallest and the largest elements along `axis` (None: of all)."""
def angle(input) -> Tensor:
    r"""The angle $\operatorname{atan2}(b, a)$ of $a + b i$; 0 or $\pi$ for a real number."""
def any(input, axis=None, keep_dims=False) -> Tensor:
    """Return True if any element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool."""
def approximate_equal(x, y, tolerance=1e-05) -> Tensor:
    """Return True where $|x - y|$ is less than `tolerance`."""
def arange(start=0, end=None, step=1, *, dtype=None) -> Tensor:
    r"""$start, start + step, \ldots$ before `end`; with one argument, from 0 up to it."""
def arccos(input) -> Tensor:
    r"""$\arccos x$, element by element."""
def arccosh(input) -> Tensor:
    r"""$\operatorname{arcosh} x$, element by element."""
def arcsin(x) -> Tensor:
    r"""$\arcsin x$, element by element."""
def arcsinh(input) -> Tensor:
    r"""$\operatorname{arsinh} x$, element by element."""
def arctan(input) -> Tensor:
    r"""$\arctan x$, element by element."""
def arctan2(input, other) -> Tensor:
    r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
def arctanh(input) -> Tensor:
    r"""$\operatorname{artanh} x$, element by element."""
def argmax(input, dim=None, keepdim=False) -> Tensor:
    """The index of the largest element along `dim`, or among all elements if None: Int64."""
def argmin(input, axis=None, keepdims=False) -> Tensor:
    """The index of the smallest element along `axis`, or among all elements if None: Int32."""
def argsort(input, axis=-1, descending=False) -> Tensor:
    """Return the indices (Int32) that sort the elements along `axis`."""
def argwhere(input) -> Tensor:
    """Return the indices of nonzero elements, as rows: Int64."""
def array_reduce(fn, x, shape) -> Tensor:
    """Reduce `x` to a shape by a function of two Tensors: the reverse of `distribute`."""
def array_to_scalar(x) -> Any:
    """Return the element of a one-element Tensor, as a Python number."""
def asin(input) -> Tensor:
    r"""$\arcsin x$, element by element."""
def asinh(input) -> Tensor:
    r"""$\operatorname{arsinh} x$, element by element."""
def assign(variable, value) -> Tensor:
    """Assign `value`, a Tensor of the same shape or a number, to `variable`, cast to its dtype."""
def assign_add(variable, value) -> Tensor:
    """Add `value` to `variable` in place."""
def assign_sub(variable, value) -> Tensor:
    """Subtract `value` from `variable` in place."""
def atan(input) -> Tensor:
    r"""$\arctan x$, element by element."""
def atan2(input, other) -> Tensor:
    r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
def atanh(input) -> Tensor:
    r"""$\operatorname{artanh} x$, element by element."""
def atleast_1d(inputs) -> Tensor:
    """Add axes of size 1 up to 1 dimensions; to each Tensor of a tuple."""
def atleast_2d(inputs) -> Tensor:
    """Add axes of size 1 up to 2 dimensions; to each Tensor of a tuple."""
def atleast_3d(inputs) -> Tensor:
    """Add axes of size 1 up to 3 dimensions; to each Tensor of a tuple."""
def augassign_add(x, y) -> builtins.object:
    """`x + y` of any objects."""
def augassign_div(x, y) -> builtins.object:
    """`x / y` of any objects."""
def augassign_floordiv(x, y) -> builtins.object:
    """`x // y` of any objects."""
def augassign_mod(x, y) -> builtins.object:
    """`x % y` of any objects."""
def augassign_mul(x, y) -> builtins.object:
    """`x * y` of any objects."""
def augassign_sub(x, y) -> builtins.object:
    """`x - y` of any objects."""
def avg_pool1d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True) -> Tensor:
    """As `avg_pool2d`, for `(N, C, L)`."""
def avg_pool2d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=0) -> Tensor:
    """The mean of each window of `(N, C, H, W)`, or its sum over `divisor_override` if given."""
def avg_pool3d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=0) -> Tensor:
    """As `avg_pool2d`, for `(N, C, D, H, W)`; settings are ints or three."""
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \cdot batch1 \, batch2$, for each matrix of a batch."""
def baddbmm_ext(input, batch1, batch2, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \cdot batch1 \, batch2$, for each matrix of a batch."""
def bartlett_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    r"""The triangle $w_n = 1 - |2 n / (N - 1) - 1|$, $n = 0 \ldots N - 1$; Float32 by default."""
def batch_dot(x1, x2, axes=None) -> Tensor:
    """Contract one axis of each operand, for each element of the first axis, the batch."""
def batch_norm(input_x, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$ for each channel (axis 1)."""
def batch_to_space_nd(input_x, block_shape, crops) -> Tensor:
    r"""Move examples to positions within blocks of the last axes: `(n B, *, w_1, ..., w_M)` -> `(n, *, w_1 b_1, ..., w_M b_M)` with $B = b_1 \cdots b_M$, the inverse of `space_to_batch_nd`."""
def bernoulli(input, p=None, seed=None) -> Tensor:
    """Draw 1 with a probability, else 0, in the shape and dtype of `input`."""
def bernoulli_(input, p=0.5, *, generator=None) -> Tensor:
    """Fill the tensor with 1 with probability `p` (a number or Tensor), else 0."""
def bernoulli_ext(input, *, generator=None) -> Tensor:
    """Draw 1 with a probability, else 0, in the shape and dtype of `input`."""
def bessel_i0(x) -> Tensor:
    r"""$I_0(x) = \frac1\pi \int_0^\pi e^{x \cos t} dt$, element by element; nan where it is not real."""
def bessel_i0e(x) -> Tensor:
    """$e^{-|x|} I_0(x)$, element by element; nan where it is not real."""
def bessel_i1(x) -> Tensor:
    """$I_1(x) = I_0'(x)$, element by element; nan where it is not real."""
def bessel_i1e(x) -> Tensor:
    """$e^{-|x|} I_1(x)$, element by element; nan where it is not real."""
def bessel_j0(x) -> Tensor:
    r"""$J_0(x) = \frac1\pi \int_0^\pi \cos(x \sin t) dt$, element by element; nan where it is not real."""
def bessel_j1(x) -> Tensor:
    """$J_1(x) = -J_0'(x)$, element by element; nan where it is not real."""
def bessel_k0(x) -> Tensor:
    r"""$K_0(x) = \int_0^\infty e^{-x \cosh t} dt$, element by element; nan where it is not real."""
def bessel_k0e(x) -> Tensor:
    """$e^x K_0(x)$, element by element; nan where it is not real."""
def bessel_k1(x) -> Tensor:
    """$K_1(x) = -K_0'(x)$, element by element; nan where it is not real."""
def bessel_k1e(x) -> Tensor:
    """$e^x K_1(x)$, element by element; nan where it is not real."""
def bessel_y0(x) -> Tensor:
    """$Y_0(x)$, the solution beside $J_0$, element by element; nan where it is not real."""
def bessel_y1(x) -> Tensor:
    """$Y_1(x) = -Y_0'(x)$, element by element; nan where it is not real."""
def bias_add(input_x, bias) -> Tensor:
    """Add `bias` `(C,)` to each channel: axis 1 of `input`, the last for 'NHWC'."""
def bidense(input1, input2, weight, bias=None) -> Tensor:
    r"""$x_1^\top A_o x_2 + b_o$ for each o: `input1` `(*, in1)`, `input2` `(*, in2)`, `weight` A `(out, in1, in2)`, `bias` `(out,)` -> `(*, out)`."""
def binary_cross_entropy(logits, labels, weight=None, reduction='mean') -> Tensor:
    r"""$-w (y \ln x + (1 - y) \ln (1 - x))$ for probabilities $x$ and labels $y$ of one shape."""
def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction='mean') -> Tensor:
    r"""$-w (p \, y \ln \sigma(x) + (1 - y) \ln (1 - \sigma(x)))$, stable for large $|x|$."""
def bincount(input, weights=None, minlength=0) -> Tensor:
    """Count each int from 0 on in a vector: Float32, at least `minlength` elements."""
def bitwise_and(input, other) -> Tensor:
    r"""$input \land other$, element by element, bit by bit, broadcast together."""
def bitwise_left_shift(input, other) -> Tensor:
    r"""$input \cdot 2^{other}$ of integers; broadcast together."""
def bitwise_or(input, other) -> Tensor:
    r"""$input \lor other$, element by element, bit by bit, broadcast together."""
def bitwise_right_shift(input, other) -> Tensor:
    r"""$\lfloor input / 2^{other} \rfloor$ of integers; broadcast together."""
def bitwise_xor(input, other) -> Tensor:
    r"""$input \oplus other$, element by element, bit by bit, broadcast together."""
def blackman_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    r"""$w_n = 0.42 - 0.5 \cos \frac{2 \pi n}{N - 1} + 0.08 \cos \frac{4 \pi n}{N - 1}$."""
def block_diag(*inputs) -> Tensor:
    """Build a block-diagonal matrix, zeros elsewhere (vectors are rows, numbers 1 by 1)."""
def bmm(input_x, mat2) -> Tensor:
    """`matmul` of two batches of matrices, with the same axes before the last two."""
def bool_and(x, y) -> builtins.object:
    """`x and y` of bools."""
def bool_eq(x, y) -> builtins.object:
    """`x == y` of bools."""
def bool_not(x) -> builtins.object:
    """`not x` of bools."""
def bool_or(x, y) -> builtins.object:
    """`x or y` of bools."""
def bounding_box_decode(anchor_box, deltas, max_shape, means=..., stds=..., wh_ratio_clip=0.016) -> Tensor:
    """Decode `deltas` relative to the anchors to boxes, clipped to an image of `max_shape` (H, W)."""
def bounding_box_encode(anchor_box, groundtruth_box, means=..., stds=...) -> Tensor:
    """Encode each box relative to its anchor: shifts of the centre over the anchor's sizes, and logarithms of the size ratios; minus `means`, over `stds`: `(n, 4)`."""
def broadcast(tensor, src, group=None, async_op=False) -> Any:
    """Copy the Tensor of process `src` to all processes."""
def broadcast_gradient_args(x_shape, y_shape) -> builtins.tuple:
    """Return the axes to sum over in the gradients of two operands broadcast together."""
def broadcast_to(input, shape) -> Tensor:
    """Broadcast `input` to `shape`; -1 in it keeps the input's size."""
def bucketize(input, boundaries, *, right=False) -> Tensor:
    """Count the ascending `boundaries` less than each element (`right`: or equal): Int32."""
def cartesian_prod(*inputs) -> Tensor:
    """All combinations of an element of each vector, as rows."""
def cast(input, dtype) -> Tensor:
    """Cast a tensor to `dtype`: a MindSpore or NumPy dtype, a Python type or a name."""
def cat(tensors, axis=0) -> Tensor:
    """Concatenate a tuple or list of Tensors along `axis`; their other sizes must be equal."""
def cdist(x1, x2, p=2.0) -> Tensor:
    """The `p`-norm distances between the rows of `(*, n, k)` and of `(*, m, k)`: `(*, n, m)`."""
def ceil(input) -> Tensor:
    r"""$\lceil x \rceil$, element by element."""
def celu(x, alpha=1.0) -> Tensor:
    r"""$x$ where it is positive, else $\alpha (e^{x / \alpha} - 1)$ (Barron, 2017)."""
def channel_shuffle(x, groups) -> Tensor:
    """Interleave the channels of `(N, C, *)` from `groups` equal groups."""
def check_valid(bboxes, img_metas) -> Tensor:
    """Return True for boxes inside an image; `img_metas`: (height, width, factor for both)."""
def choice_with_mask(input_x, count=256, seed=None) -> builtins.tuple[Tensor, ...]:
    """Return the indices of `count` random nonzero elements, each at most once."""
def cholesky(input_x, upper=False) -> Tensor:
    """The triangle $L$ with $L L^T = input$, a positive definite matrix (`upper`: $L^T$)."""
def cholesky_inverse(input_x, upper=False) -> Tensor:
    r"""$(L L^\top)^{-1}$ of a triangle L, or $(U^\top U)^{-1}$ where `upper`."""
def cholesky_solve(input, input2, upper=False) -> Tensor:
    r"""X with $L L^\top X = input$, `input2` being the triangle L (`upper`: $L^\top$)."""
def chunk(input, chunks, axis=0) -> builtins.tuple[Tensor, ...]:
    """Split into at most `chunks` equal pieces along `axis` (the last may be smaller), a tuple."""
def clamp(input, min=None, max=None) -> Tensor:
    """Clamp each element between `min` and `max` (numbers, Tensors or None for no bound)."""
def clamp_(input, min=None, max=None) -> Tensor:
    """`clamp` in place."""
def clip(input, min=None, max=None) -> Tensor:
    """Clamp each element between `min` and `max` (numbers, Tensors or None for no bound)."""
def clip_by_global_norm(x, clip_norm=1.0, use_norm=None) -> builtins.tuple[Tensor, ...]:
    """Scale the Tensors of a tuple or list down together so that their joint Euclidean norm is at most `clip_norm`."""
def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False) -> Tensor:
    """Scale a Tensor, or the Tensors of a tuple or list together, to a norm of at most `max_norm`."""
def clip_by_value(x, clip_value_min=None, clip_value_max=None) -> Tensor:
    """Clamp each element between both bounds; also each Tensor of a tuple or list."""
def coalesce(x_indices, x_values, x_shape) -> builtins.tuple:
    """Merge a sparse matrix to one value per position, sorted by rows: (indices, values, shape)."""
def col2im(input_x, output_size, kernel_size, dilation, padding_value, stride) -> Tensor:
    """As `fold`, for `(N, C, kh kw, L)`."""
def column_stack(tensors) -> Tensor:
    """Concatenate vectors as columns, and matrices, along axis 1."""
def combinations(input, r=2, with_replacement=False) -> Tensor:
    """All choices of `r` elements of a vector, in its order, as rows."""
def concat(tensors, axis=0) -> Tensor:
    """Concatenate a tuple or list of Tensors along `axis`; their other sizes must be equal."""
def cond(A, p=None) -> Tensor:
    r"""The condition number $\|A\| \|A^{-1}\|$ of matrices `(*, n, n)`."""
def conj(input) -> Tensor:
    """$a - b i$ for $a + b i$; real tensors are returned unchanged."""
def conv1d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, groups=1) -> Tensor:
    """`(N, C, L)` with `weight` `(O, C / groups, k)` -> `(N, O, L')`; arguments as for `conv2d`."""
def conv2d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, groups=1) -> Tensor:
    r"""$y_{no} = b_o + \sum_c x_{nc} \star w_{oc}$: `(N, C, H, W)` -> `(N, O, H', W')`."""
def conv3d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, groups=1) -> Tensor:
    r"""$y_{no} = b_o + \sum_c x_{nc} \star w_{oc}$: `(N, C, D, H, W)` -> `(N, O, D', H', W')`."""
def conv3d_transpose(inputs, weight, pad_mode='valid', padding=0, stride=1, dilation=1, group=1, output_padding=0) -> Tensor:
    """The gradient of a three-dimensional convolution with respect to its input: `(N, C, D, H, W)`, `weight` `(C, out / group, *kernel)` -> `(N, out, ...)`."""
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1) -> Tensor:
    """The gradient of `conv2d` with respect to its input: `(N, C, H, W)` -> `(N, O, H', W')`."""
def coo2csr(row_indices, height) -> Tensor:
    """Return the start of each row among the values of a CSR matrix, and the end of the last one."""
def coo_abs(x) -> COOTensor:
    """`abs` of each value of a COOTensor, at the same places."""
def coo_acos(x) -> COOTensor:
    """`acos` of each value of a COOTensor, at the same places."""
def coo_acosh(x) -> COOTensor:
    """`acosh` of each value of a COOTensor, at the same places."""
def coo_add(x1, x2, thresh) -> COOTensor:
    """The sum of two matrices; see `COOTensor.add`."""
def coo_asin(x) -> COOTensor:
    """`asin` of each value of a COOTensor, at the same places."""
def coo_asinh(x) -> COOTensor:
    """`asinh` of each value of a COOTensor, at the same places."""
def coo_atan(x) -> COOTensor:
    """`atan` of each value of a COOTensor, at the same places."""
def coo_atanh(x) -> COOTensor:
    """`atanh` of each value of a COOTensor, at the same places."""
def coo_ceil(x) -> COOTensor:
    """`ceil` of each value of a COOTensor, at the same places."""
def coo_concat(sp_input, concat_dim=0) -> COOTensor:
    """Concatenate matrices along an axis, sorted by rows."""
def coo_cos(x) -> COOTensor:
    """`cos` of each value of a COOTensor, at the same places."""
def coo_cosh(x) -> COOTensor:
    """`cosh` of each value of a COOTensor, at the same places."""
def coo_exp(x) -> COOTensor:
    """`exp` of each value of a COOTensor, at the same places."""
def coo_expm1(x) -> COOTensor:
    """`expm1` of each value of a COOTensor, at the same places."""
def coo_floor(x) -> COOTensor:
    """`floor` of each value of a COOTensor, at the same places."""
def coo_inv(x) -> COOTensor:
    """`inv` of each value of a COOTensor, at the same places."""
def coo_isfinite(x) -> COOTensor:
    """`isfinite` of each value of a COOTensor, at the same places."""
def coo_isinf(x) -> COOTensor:
    """`isinf` of each value of a COOTensor, at the same places."""
def coo_isnan(x) -> COOTensor:
    """`isnan` of each value of a COOTensor, at the same places."""
def coo_log(x) -> COOTensor:
    """`log` of each value of a COOTensor, at the same places."""
def coo_log1p(x) -> COOTensor:
    """`log1p` of each value of a COOTensor, at the same places."""
def coo_neg(x) -> COOTensor:
    """`neg` of each value of a COOTensor, at the same places."""
def coo_relu(x) -> COOTensor:
    """`relu` of each value of a COOTensor, at the same places."""
def coo_relu6(x) -> COOTensor:
    """`relu6` of each value of a COOTensor, at the same places."""
def coo_round(x) -> COOTensor:
    """`round` of each value of a COOTensor, at the same places."""
def coo_sigmoid(x) -> COOTensor:
    """`sigmoid` of each value of a COOTensor, at the same places."""
def coo_sin(x) -> COOTensor:
    """`sin` of each value of a COOTensor, at the same places."""
def coo_sinh(x) -> COOTensor:
    """`sinh` of each value of a COOTensor, at the same places."""
def coo_softsign(x) -> COOTensor:
    """`softsign` of each value of a COOTensor, at the same places."""
def coo_sqrt(x) -> COOTensor:
    """`sqrt` of each value of a COOTensor, at the same places."""
def coo_square(x) -> COOTensor:
    """`square` of each value of a COOTensor, at the same places."""
def coo_tan(x) -> COOTensor:
    """`tan` of each value of a COOTensor, at the same places."""
def coo_tanh(x) -> COOTensor:
    """`tanh` of each value of a COOTensor, at the same places."""
def coo_tensor_get_dense_shape(x) -> builtins.tuple:
    """The shape, a tuple of ints of a COOTensor."""
def coo_tensor_get_indices(x) -> Tensor:
    """The `indices` of a COOTensor."""
def coo_tensor_get_values(x) -> Tensor:
    """The `values` of a COOTensor."""
def copysign(x, other) -> Tensor:
    """$|input|$ with the sign of `other`; broadcast together."""
def cos(input) -> Tensor:
    r"""$\cos x$, element by element."""
def cosh(input) -> Tensor:
    r"""$\cosh x$, element by element."""
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean') -> Tensor:
    r"""$1 - \cos(x_1, x_2)$ where `target` is 1, $\max(0, \cos(x_1, x_2) - margin)$ where it is -1."""
def cosine_similarity(x1, x2, dim=1, eps=1e-08) -> Tensor:
    r"""$x_1 \cdot x_2 / (\max(\|x_1\|, \epsilon) \max(\|x_2\|, \epsilon))$ along `dim`."""
def count_nonzero(x, axis=(), keep_dims=False, dtype=...) -> Tensor:
    """Count the nonzero elements along `axis` (`()`: all)."""
def cov(input, *, correction=1, fweights=None, aweights=None) -> Tensor:
    """Covariances of the variables in the rows of `(n, m)`: `(n, n)`; 0-d for a single one."""
def crop_and_resize(image, boxes, box_indices, crop_size, method='bilinear', extrapolation_value=0.0) -> Tensor:
    """Crop boxes from images `(N, H, W, C)` and resize each: `(n, *crop_size, C)`."""
def cross(input, other, dim=None) -> Tensor:
    """The cross product of vectors of three elements along `dim` (None: the first of size 3)."""
def cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0) -> Tensor:
    r"""$-\ln \operatorname{softmax}(x)_t$ for scores $x$ of the classes (axis 1) and target $t$."""
def csr2coo(indptr, nnz) -> Tensor:
    """Return the row r of each value i of a CSR matrix: `indptr[r] <= i < indptr[r + 1]`."""
def csr_abs(x) -> CSRTensor:
    """`abs` of each value of a CSRTensor, at the same places."""
def csr_acos(x) -> CSRTensor:
    """`acos` of each value of a CSRTensor, at the same places."""
def csr_acosh(x) -> CSRTensor:
    """`acosh` of each value of a CSRTensor, at the same places."""
def csr_add(a, b, alpha, beta) -> CSRTensor:
    r"""$\alpha A + \beta B$; see `CSRTensor.add`. `alpha`, `beta`: 0-d Tensors."""
def csr_asin(x) -> CSRTensor:
    """`asin` of each value of a CSRTensor, at the same places."""
def csr_asinh(x) -> CSRTensor:
    """`asinh` of each value of a CSRTensor, at the same places."""
def csr_atan(x) -> CSRTensor:
    """`atan` of each value of a CSRTensor, at the same places."""
def csr_atanh(x) -> CSRTensor:
    """`atanh` of each value of a CSRTensor, at the same places."""
def csr_ceil(x) -> CSRTensor:
    """`ceil` of each value of a CSRTensor, at the same places."""
def csr_cos(x) -> CSRTensor:
    """`cos` of each value of a CSRTensor, at the same places."""
def csr_cosh(x) -> CSRTensor:
    """`cosh` of each value of a CSRTensor, at the same places."""
def csr_div(x, y) -> CSRTensor:
    """`x / y`: each value over the element of `y` (a number, or broadcast to `x`) at its position."""
def csr_exp(x) -> CSRTensor:
    """`exp` of each value of a CSRTensor, at the same places."""
def csr_expm1(x) -> CSRTensor:
    """`expm1` of each value of a CSRTensor, at the same places."""
def csr_floor(x) -> CSRTensor:
    """`floor` of each value of a CSRTensor, at the same places."""
def csr_gather(indptr, indices, dense, sparse_shape) -> Tensor:
    """The elements of `dense`, broadcast to `sparse_shape`, at the positions of a CSR matrix."""
def csr_inv(x) -> CSRTensor:
    """`inv` of each value of a CSRTensor, at the same places."""
def csr_isfinite(x) -> CSRTensor:
    """`isfinite` of each value of a CSRTensor, at the same places."""
def csr_isinf(x) -> CSRTensor:
    """`isinf` of each value of a CSRTensor, at the same places."""
def csr_isnan(x) -> CSRTensor:
    """`isnan` of each value of a CSRTensor, at the same places."""
def csr_log(x) -> CSRTensor:
    """`log` of each value of a CSRTensor, at the same places."""
def csr_log1p(x) -> CSRTensor:
    """`log1p` of each value of a CSRTensor, at the same places."""
def csr_mm(a, b, trans_a=False, trans_b=False, adjoint_a=False, adjoint_b=False) -> CSRTensor:
    """The product of two sparse matrices, a `CSRTensor`; `trans_*`: transposed first, `adjoint_*`: conjugated and transposed first."""
def csr_mul(x, y) -> CSRTensor:
    """`x * y`: each value times the element of `y` (a number, or broadcast to `x`) at its position."""
def csr_mv(csr_tensor, dense) -> Tensor:
    """The product of a matrix and a vector; see `CSRTensor.mv`."""
def csr_neg(x) -> CSRTensor:
    """`neg` of each value of a CSRTensor, at the same places."""
def csr_reduce_sum(csr_tensor, axis) -> Tensor:
    """The sums of rows (`axis` 1) or columns (0); see `CSRTensor.sum`."""
def csr_relu(x) -> CSRTensor:
    """`relu` of each value of a CSRTensor, at the same places."""
def csr_relu6(x) -> CSRTensor:
    """`relu6` of each value of a CSRTensor, at the same places."""
def csr_round(x) -> CSRTensor:
    """`round` of each value of a CSRTensor, at the same places."""
def csr_sigmoid(x) -> CSRTensor:
    """`sigmoid` of each value of a CSRTensor, at the same places."""
def csr_sin(x) -> CSRTensor:
    """`sin` of each value of a CSRTensor, at the same places."""
def csr_sinh(x) -> CSRTensor:
    """`sinh` of each value of a CSRTensor, at the same places."""
def csr_softmax(logits, dtype) -> CSRTensor:
    r"""$e^{x_i} / \sum_j e^{x_j}$ over the values of each row, in `dtype`."""
def csr_softsign(x) -> CSRTensor:
    """`softsign` of each value of a CSRTensor, at the same places."""
def csr_sqrt(x) -> CSRTensor:
    """`sqrt` of each value of a CSRTensor, at the same places."""
def csr_square(x) -> CSRTensor:
    """`square` of each value of a CSRTensor, at the same places."""
def csr_tan(x) -> CSRTensor:
    """`tan` of each value of a CSRTensor, at the same places."""
def csr_tanh(x) -> CSRTensor:
    """`tanh` of each value of a CSRTensor, at the same places."""
def csr_tensor_get_dense_shape(x) -> builtins.tuple:
    """The shape, a tuple of ints of a CSRTensor."""
def csr_tensor_get_indices(x) -> Tensor:
    """The `indices` of a CSRTensor."""
def csr_tensor_get_indptr(x) -> Tensor:
    """The `indptr` of a CSRTensor."""
def csr_tensor_get_values(x) -> Tensor:
    """The `values` of a CSRTensor."""
def csr_to_coo(tensor) -> COOTensor:
    """Convert the matrix to a `COOTensor`."""
def csr_to_dense(csr_tensor) -> Tensor:
    """Convert the matrix to a dense Tensor."""
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True) -> builtins.tuple[Tensor, ...]:
    """The most likely class of each step, without blanks (the last class), for logits `(T, N, C)` and lengths `(N,)`."""
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False) -> Any:
    r"""$-\ln \sum$ over all alignments of labels with steps (Graves et al., 2006), and `log_alpha`."""
def cummax(input, axis) -> builtins.tuple[Tensor, ...]:
    """The largest element so far along `axis`, and its index (Int64)."""
def cummin(input, axis) -> builtins.tuple[Tensor, ...]:
    """The smallest element so far along `axis`, and its index (Int32)."""
def cumprod(input, dim, dtype=None) -> Tensor:
    r"""$y_i = \prod_{j \leq i} x_j$ along `dim`; integers are multiplied in Int64."""
def cumsum(x, axis, dtype=None) -> Tensor:
    r"""$y_i = \sum_{j \leq i} x_j$ along `axis`."""
def deepcopy(input_x) -> Tensor:
    """Return an independent tensor with the same contents; derivatives pass through."""
def deformable_conv2d(x, weight, offsets, kernel_size, strides, padding, bias=None, dilations=(1, 1, 1, 1), groups=1, deformable_groups=1, modulated=True) -> Tensor:
    r"""$y(p) = \sum_k w_k \, m_k \, x(p + p_k + \Delta p_k)$: a convolution whose windows' elements are moved by $\Delta p_k$, interpolated, and weighted by $m_k$ (Zhu et al., 2019)."""
def deg2rad(x) -> Tensor:
    r"""$\pi x / 180$, element by element."""
def dense(input, weight, bias=None) -> Tensor:
    r"""$x W^\top + b$: `input` `(*, in)`, `weight` `(out, in)`, `bias` `(out,)` -> `(*, out)`."""
def dense_to_sparse_coo(tensor) -> COOTensor:
    """Convert the nonzero elements of a matrix to a `COOTensor`; see `Tensor.to_coo`."""
def dense_to_sparse_csr(tensor) -> CSRTensor:
    """Convert the nonzero elements of a matrix to a `CSRTensor`; see `Tensor.to_csr`."""
def depend(value, expr) -> Any:
    """Return `value`; operations take effect in program order anyway."""
def det(input) -> Tensor:
    """The determinant of each matrix in the last two dimensions."""
def diag(input) -> Tensor:
    """The elements of `input` on the diagonal of twice as many dimensions, zeros elsewhere."""
def diag_embed(input, offset=0, dim1=-2, dim2=-1) -> Tensor:
    """Matrices on new axes with the last axis as a diagonal, `offset` above the main one."""
def diagflat(input, offset=0) -> Tensor:
    """A matrix with all elements of `input` on the diagonal `offset` above the main one."""
def diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor:
    """The diagonal of two dimensions, `offset` above the main one, as the last dimension."""
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1) -> Tensor:
    """`input` with the diagonal `offset` of the planes of `dim1` and `dim2` replaced by `src`."""
def dict_getitem(x, key) -> Any:
    """Return the value of `key`."""
def dict_setitem(x, key, value) -> builtins.dict:
    """Return a copy of the dict `x` with `value` at `key`."""
def diff(x, n=1, axis=-1, prepend=None, append=None) -> Tensor:
    """Differences of neighbours along `axis`, `n` times, including `prepend` and `append`."""
def diff_ext(input, n=1, dim=-1, prepend=None, append=None) -> Tensor:
    """Differences of neighbours along `axis`, `n` times, including `prepend` and `append`."""
def digamma(input) -> Tensor:
    r"""$\psi(x) = \frac{d}{dx} \ln \Gamma(x)$, element by element; infinite at 0."""
def dist(input, other, p=2) -> Tensor:
    """The `p`-norm of all elements of $input - other$, broadcast together."""
def distribute(x, shape) -> Tensor:
    """Broadcast `x` to a shape, as `broadcast_to`."""
def div(input, other, *, rounding_mode=None) -> Tensor:
    """$input / other$, broadcast together; integers divide to Float32."""
def divide(input, other, *, rounding_mode=None) -> Tensor:
    """$input / other$, broadcast together; integers divide to Float32."""
def dot(input, other) -> Tensor:
    r"""$\sum_k a_{\ldots k} b_{\ldots k \ldots}$: the last axis with the second-last (or only) one."""
def dropout(input, p=0.5, training=True, seed=None) -> Tensor:
    """In training, each element is 0 with probability `p`, else $x / (1 - p)$; otherwise `input`."""
def dropout1d(input, p=0.5, training=True) -> Tensor:
    """`dropout` of whole channels: `(N, C, L)` or `(C, L)`; `p` is in [0, 1]."""
def dropout2d(input, p=0.5, training=True) -> Tensor:
    """`dropout` of whole channels: `(N, C, H, W)`; `p` is in [0, 1]."""
def dropout3d(input, p=0.5, training=True) -> Tensor:
    """`dropout` of whole channels: `(N, C, D, H, W)`; `p` is in [0, 1]."""
def dsplit(input, indices_or_sections) -> builtins.tuple[Tensor, ...]:
    """`tensor_split` along axis 2."""
def dstack(tensors) -> Tensor:
    """The tensors put one after the other, as `numpy.dstack` does."""
def dtype(x) -> Type:
    """Return the MindSpore dtype of the elements."""
def dyn_shape(input_x) -> Tensor:
    """Return the size of each dimension, an Int64 tensor."""
def eig(A) -> builtins.tuple[Tensor, ...]:
    """The eigenvalues of each matrix `(*, n, n)`, and eigenvectors as columns: complex, unordered."""
def eigvals(A) -> Tensor:
    """The eigenvalues of each matrix `(*, n, n)`: complex, unordered. Only on a CPU."""
def einsum(equation, *operands) -> Tensor:
    """Einstein summation: products summed over the letters missing on the right of `->`."""
def einsum_ext(equation, *operands) -> Tensor:
    """Einstein summation: products summed over the letters missing on the right of `->`."""
def elu(input_x, alpha=1.0) -> Tensor:
    r"""$x$ where it is positive, else $\alpha (e^x - 1)$ (Clevert et al., 2016)."""
def embed(x) -> Any:
    """Return the key of a value in environments."""
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False) -> Tensor:
    """Look up rows of `weight` `(rows, size)` by the indices in `input`: `(*)` -> `(*, size)`."""
def empty(*size, dtype=None, device=None, pin_memory=False) -> Tensor:
    """Create a Tensor of that size with unspecified elements: zeros. XLA chooses the device."""
def env_get(env, parameter) -> Tensor:
    """Return the gradient of a Parameter in an environment, zeros if there is none."""
def environ_add(x, y) -> Any:
    """Merge two environments, adding the values of keys that both have."""
def environ_create() -> Any:
    """Return an empty environment."""
def environ_get(env, key, default) -> Any:
    """Return the environment's value at `key`, or `default`."""
def environ_set(env, key, value) -> Any:
    """Return the environment with `value` at `key`."""
def eps(x) -> Tensor:
    """The distance from 1 to the next number in the dtype of `x`, in its shape."""
def eq(input, other) -> Tensor:
    """$input = other$, element by element: Bool, broadcast together."""
def equal(input, other) -> Tensor:
    """$input = other$, element by element: Bool, broadcast together."""
def erf(input) -> Tensor:
    r"""$\frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt$, element by element."""
def erfc(input) -> Tensor:
    r"""$1 - \operatorname{erf}(x)$, element by element."""
def erfinv(input) -> Tensor:
    """The inverse of `erf`, element by element."""
def erfinv_(input) -> Tensor:
    """Apply `erfinv` in place."""
def exp(input) -> Tensor:
    """$e^{x}$, element by element."""
def exp2(input) -> Tensor:
    """$2^x$, element by element."""
def expand(input_x, size) -> Tensor:
    """As `broadcast_to`."""
def expand_as(input, other) -> Tensor:
    """Broadcast `input` to the shape of `other`."""
def expand_dims(input_x, axis) -> Tensor:
    """Insert a dimension of size 1 at `axis`."""
def expm1(input) -> Tensor:
    """$e^x - 1$, element by element."""
def exponential_(input, lambd=1, *, generator=None) -> Tensor:
    r"""Fill the tensor with numbers of density $\lambda e^{-\lambda x}$."""
def eye(n, m=None, dtype=None) -> Tensor:
    """An `n` by `m` matrix (`m` is `n` by default) with ones on the diagonal, Float32 by default."""
def fast_gelu(x) -> Tensor:
    r"""$x \sigma(1.702 x)$, close to `gelu`."""
def fft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The Fourier transform of complex numbers, along `dim`, of `n` numbers (cut, or zeros added)."""
def fft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """The Fourier transform of complex numbers, along two axes `dim`, of `s` numbers of each."""
def fftfreq(n, d=1.0, dtype=None) -> Tensor:
    """The frequencies of the result of `fft`: `n` samples, spacing `d`."""
def fftn(input, s=None, dim=None, norm=None) -> Tensor:
    """The Fourier transform of complex numbers, along several axes `dim`, of `s` numbers of each."""
def fftshift(input, dim=None) -> Tensor:
    """Move frequency 0 to the middle of axes."""
def fill(type, shape, value) -> Tensor:
    """`fill_value` in the shape `size`, in `dtype` or else in the dtype of the value."""
def fills(x, value) -> Tensor:
    """`value`, a number or a 0-d Tensor, in the shape and dtype of `x`."""
def flash_attention_score(query, key, value, head_num, real_shift=None, drop_mask=None, padding_mask=None, attn_mask=None, prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None, keep_prob=1.0, scalar_value=1.0, pre_tokens=2147483647, next_tokens=2147483647, inner_precise=0, input_layout='BSH', sparse_mode=0) -> Tensor:
    r"""$dropout(softmax(scale \, q k^\top + shift)) v$ without storing the scores of long sequences (Dao et al., 2022)."""
def flatten(input, order='C', *, start_dim=1, end_dim=-1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` into one."""
def flip(input, dims) -> Tensor:
    """Reverse the order of the elements along `dims`, an int or a tuple of ints."""
def fliplr(input) -> Tensor:
    """Reverse the order of the columns."""
def flipud(input) -> Tensor:
    """Reverse the order of the rows."""
def float_power(input, exponent) -> Tensor:
    """$input^{exponent}$, computed in Float64."""
def float_power_ext(input, exponent) -> Tensor:
    """$input^{exponent}$, computed in Float64."""
def floor(input) -> Tensor:
    r"""$\lfloor x \rfloor$, element by element."""
def floor_div(x, y) -> Tensor:
    r"""$\lfloor input / other \rfloor$, broadcast together; derivatives are stopped."""
def floor_divide(input, other) -> Tensor:
    r"""$\lfloor input / other \rfloor$, broadcast together; derivatives are stopped."""
def floor_mod(x, y) -> Tensor:
    r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
def floordiv(input, other) -> Tensor:
    r"""$\lfloor input / other \rfloor$, broadcast together; derivatives are stopped."""
def floormod(x, y) -> Tensor:
    r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
def fmax(input, other) -> Tensor:
    """The greater one, or the other one if one is NaN; broadcast together."""
def fmin(input, other) -> Tensor:
    """The lesser one, or the other one if one is NaN; broadcast together."""
def fmod(input, other) -> Tensor:
    """The remainder of a division truncated toward zero, with the dividend's sign."""
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Combine windows given as columns, summed where they overlap: the transpose of `unfold`."""
def frac(x) -> Tensor:
    r"""$x - \operatorname{trunc}(x)$, element by element."""
def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None) -> Any:
    """Maxima over `output_size` windows of `(N, C, H, W)` or `(C, H, W)`, with random starts."""
def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None) -> Any:
    """As `fractional_max_pool2d`, for `(N, C, D, H, W)` or `(C, D, H, W)`."""
def full(size, fill_value, *, dtype=None) -> Tensor:
    """`fill_value` in the shape `size`, in `dtype` or else in the dtype of the value."""
def full_like(input, fill_value, *, dtype=None) -> Tensor:
    """`fill_value` in the shape of `input`, in its dtype unless another is given."""
def fused_infer_attention_score(query, key, value, *, pse_shift=None, atten_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, dequant_scale1=None, quant_scale1=None, dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None, antiquant_offset=None, key_antiquant_scale=None, key_antiquant_offset=None, value_antiquant_scale=None, value_antiquant_offset=None, block_table=None, query_padding_size=None, kv_padding_size=None, key_shared_prefix=None, value_shared_prefix=None, actual_shared_prefix_len=None, num_heads=1, scale=1.0, pre_tokens=2147483647, next_tokens=2147483647, input_layout='BSH', num_key_value_heads=0, sparse_mode=0, inner_precise=1, block_size=0, antiquant_mode=0, key_antiquant_mode=0, value_antiquant_mode=0, softmax_lse_flag=False) -> builtins.tuple[Tensor, ...]:
    r"""$softmax(scale \, q k^\top) v$ of whole sequences, or of one query per example; and $\ln \sum e^{score}$ `(B, N, S, 1)` with `softmax_lse_flag`, else a single 0."""
def gamma(shape, alpha, beta, seed=None) -> Tensor:
    r"""Float32 numbers with density $\beta^\alpha x^{\alpha - 1} e^{-\beta x} / \Gamma(\alpha)$."""
def gather(input_params, input_indices, axis, batch_dims=0) -> Tensor:
    """The slices of `input_params` along `axis` at `input_indices` (of any shape)."""
def gather_d(x, dim, index) -> Tensor:
    """$y_{i j} = x_{i, index_{ij}}$ for `dim` 1, analogous for others: one element for each index."""
def gather_elements(input, dim, index) -> Tensor:
    """$y_{i j} = x_{i, index_{ij}}$ for `dim` 1, analogous for others: one element for each index."""
def gather_into_tensor(output_tensor, input_tensor, dst=0, group=None, async_op=False) -> Any:
    """Concatenate all processes' Tensors along the first axis on process `dst`."""
def gather_nd(input_x, indices) -> Tensor:
    """The elements at the rows of `indices` (last dimension), from the first dimension on."""
def gaussian_nll_loss(x, target, var, full=False, eps=1e-06, reduction='mean') -> Tensor:
    r"""$\frac12 (\ln v + (x - target)^2 / v)$ with $v = \max(var, eps)$; `full` adds $\frac12 \ln 2\pi$."""
def gcd(input, other) -> Tensor:
    """The greatest common divisor of integers; broadcast together."""
def ge(input, other) -> Tensor:
    r"""$input \geq other$, element by element: Bool, broadcast together."""
def gelu(input, approximate='none') -> Tensor:
    r"""$x \Phi(x)$, with the normal distribution function $\Phi$ (Hendrycks and Gimpel, 2016)."""
def geqrf(input) -> builtins.tuple[Tensor, ...]:
    """R in the upper triangle, below the diagonal the Householder reflections whose product is Q, and their factors: LAPACK's format."""
def ger(input, vec2) -> Tensor:
    """$a_i b_j$ of two vectors."""
def geswitch(data, pred) -> builtins.tuple:
    """Return `(data, None)` if `pred` is false, `(None, data)` if it is true; see `merge`."""
def glu(x, axis=-1) -> Tensor:
    r"""$a \, \sigma(b)$, with $a$ and $b$ the halves of `input` along `axis`."""
def greater(input, other) -> Tensor:
    """$input > other$, element by element: Bool, broadcast together."""
def greater_equal(input, other) -> Tensor:
    r"""$input \geq other$, element by element: Bool, broadcast together."""
def grid_sample(input, grid, mode='bilinear', padding_mode='zeros', align_corners=None) -> Tensor:
    """Sample `input` `(N, C, H, W)` at the points `grid` `(N, H', W', 2)`, rows (x, y) in [-1, 1]."""
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over each of `num_groups` groups of channels (Wu and He, 2018). `weight`, `bias`: one element per channel (axis 1)."""
def gt(input, other) -> Tensor:
    """$input > other$, element by element: Bool, broadcast together."""
def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1) -> Tensor:
    r"""$softmax((x_i + g_i) / \tau)$ along `dim`, each $g_i$ drawn from the Gumbel distribution."""
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None) -> Tensor:
    r"""$w_n = \alpha - \beta \cos \frac{2 \pi n}{N - 1}$; arguments as for `bartlett_window`."""
def hann_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    r"""$w_n = \frac{1}{2} - \frac{1}{2} \cos \frac{2 \pi n}{N - 1}$; Float64 by default."""
def hardshrink(input, lambd=0.5) -> Tensor:
    r"""$x$ where $|x| > \lambda$, else 0."""
def hardsigmoid(input) -> Tensor:
    r"""$\min(\max(x + 3, 0), 6) / 6$, element by element."""
def hardswish(input) -> Tensor:
    r"""$x \min(\max(x + 3, 0), 6) / 6$, element by element."""
def hardtanh(input, min_val=-1.0, max_val=1.0) -> Tensor:
    r"""$\min(\max(x, min), max)$; its derivative at the bounds is 0."""
def hastype(x, dtype) -> builtins.bool:
    """Return True if `typeof(x)` is `dtype`, or of the kind that `dtype` names."""
def heaviside(input, values) -> Tensor:
    """0 where `input` is negative, 1 where positive, `values` where it is 0; broadcast together."""
def hfft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The Fourier transform to real numbers, of half a spectrum, along `dim`, of `n` numbers (cut, or zeros added)."""
def hfft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """The Fourier transform to real numbers, of half a spectrum, along two axes `dim`, of `s` numbers of each."""
def hfftn(input, s=None, dim=None, norm=None) -> Tensor:
    """The Fourier transform to real numbers, of half a spectrum, along several axes `dim`, of `s` numbers of each."""
def hinge_embedding_loss(inputs, targets, margin=1.0, reduction='mean') -> Tensor:
    r"""$x$ where `targets` is 1, $\max(0, margin - x)$ where it is -1, 0 elsewhere."""
def histc(input, bins=100, min=0.0, max=0.0) -> Tensor:
    """Count the elements in each of `bins` equal bins from `min` to `max`, in the input's dtype (Float32 for 16-bit floats)."""
def hsplit(input, indices_or_sections) -> builtins.tuple[Tensor, ...]:
    """`tensor_split` along axis 1 (0 of a vector)."""
def hstack(tensors) -> Tensor:
    """The tensors put one after the other, as `numpy.hstack` does."""
def huber_loss(input, target, reduction='mean', delta=1.0) -> Tensor:
    r"""$d^2 / 2$ where $d = |input - target| < \delta$, else $\delta (d - \delta / 2)$."""
def hyper_add(*args) -> Tensor:
    """As `Map`, recursive through nested tuples and lists."""
def hypot(input, other) -> Tensor:
    r"""$\sqrt{input^2 + other^2}$."""
def i0(input) -> Tensor:
    r"""$I_0(x) = \frac1\pi \int_0^\pi e^{x \cos t} dt$, element by element; nan where it is not real."""
def identity(x) -> Tensor:
    """Return `x` itself."""
def ifft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The inverse Fourier transform of complex numbers, along `dim`, of `n` numbers (cut, or zeros added)."""
def ifft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """The inverse Fourier transform of complex numbers, along two axes `dim`, of `s` numbers of each."""
def ifftn(input, s=None, dim=None, norm=None) -> Tensor:
    """The inverse Fourier transform of complex numbers, along several axes `dim`, of `s` numbers of each."""
def ifftshift(input, dim=None) -> Tensor:
    """Move frequency 0 from the middle of axes."""
def igamma(input, other) -> Tensor:
    r"""$P(a, x) = \frac{1}{\Gamma(a)} \int_0^x t^{a - 1} e^{-t} dt$ with a `input`, x `other`."""
def igammac(input, other) -> Tensor:
    """$Q(a, x) = 1 - P(a, x)$, see `igamma`."""
def ihfft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The inverse Fourier transform to real numbers, of half a spectrum, along `dim`, of `n` numbers (cut, or zeros added)."""
def ihfft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """The inverse Fourier transform to real numbers, of half a spectrum, along two axes `dim`, of `s` numbers of each."""
def ihfftn(input, s=None, dim=None, norm=None) -> Tensor:
    """The inverse Fourier transform to real numbers, of half a spectrum, along several axes `dim`, of `s` numbers of each."""
def imag(input) -> Tensor:
    """The imaginary part; zeros for real tensors."""
def in_dict(key, x) -> builtins.bool:
    """Return True if a dict has `key`."""
def incre_flash_attention(query, key, value, attn_mask=None, actual_seq_lengths=None, pse_shift=None, dequant_scale1=None, quant_scale1=None, dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None, antiquant_offset=None, block_table=None, num_heads=1, input_layout='BSH', scale_value=1.0, num_key_value_heads=0, block_size=0, inner_precise=1, kv_padding_size=None) -> Tensor:
    r"""$softmax(scale \, q k^\top) v$ of one query per example, `(B, 1, H)` or `(B, N, 1, D)`."""
def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True) -> Tensor:
    """`x` with the slices of `y` along `axis` added at `indices`; in place for a Parameter."""
def index_fill(x, axis, index, value) -> Tensor:
    """`x` with `value` in the slices along `axis` at `index`."""
def index_select(input, axis, index) -> Tensor:
    """The slices along `axis` at the 1-d `index`."""
def inner(input, other) -> Tensor:
    r"""$\sum_k a_{\ldots k} b_{\ldots k}$: the product over both last axes."""
def inplace_add(x, v, indices) -> Tensor:
    """`x` with `v[i]` added to row `indices[i]`; repeated indices accumulate."""
def inplace_index_add(var, indices, updates, axis) -> Tensor:
    """Add the slices of `updates` along `axis` to `var` at `indices`; returns the result."""
def inplace_sigmoid(input) -> Tensor:
    """Apply `sigmoid` in place."""
def inplace_sub(x, v, indices) -> Tensor:
    """`x` with `v[i]` subtracted from row `indices[i]`; repeated indices accumulate."""
def inplace_update(x, v, indices) -> Tensor:
    """`x` with row `indices[i]` replaced by `v[i]`."""
def interpolate(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None) -> Tensor:
    """Resize `input` `(N, C, ...)` along all axes after the first two."""
def intopk(x1, x2, k) -> Tensor:
    """Return True if a row's element at index `x2` is among the `k` largest, ties included."""
def inv(x) -> Tensor:
    """$1 / x$, element by element; for integers truncated toward zero, in their dtype."""
def inverse(input) -> Tensor:
    """The inverse of each matrix in the last two dimensions."""
def invert(x) -> Tensor:
    """Flip every bit; on Bool, "not"."""
def iou(anchor_boxes, gt_boxes, mode='iou') -> Tensor:
    """Intersection over union of pairs of boxes: `(n, 4)`, `(m, 4)` -> `(m, n)`."""
def irfft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The inverse Fourier transform of real numbers, half of it, along `dim`, of `n` numbers (cut, or zeros added)."""
def irfft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """The inverse Fourier transform of real numbers, half of it, along two axes `dim`, of `s` numbers of each."""
def irfftn(input, s=None, dim=None, norm=None) -> Tensor:
    """The inverse Fourier transform of real numbers, half of it, along several axes `dim`, of `s` numbers of each."""
def is_(x, y) -> builtins.object:
    """`x is y` of any objects."""
def is_complex(input) -> builtins.bool:
    """Return True if the dtype is complex."""
def is_dynamic_sequence_element_unknown(x) -> builtins.bool:
    """Return False: a captured function is compiled for known sizes."""
def is_floating_point(input) -> builtins.bool:
    """Return True if the dtype is floating."""
def is_nonzero(input) -> builtins.bool:
    """Return True if the single element of `input` is nonzero."""
def is_not(x, y) -> builtins.object:
    """`x is not y` of any objects."""
def is_sequence_shape_unknown(x) -> builtins.bool:
    """Return False: a captured function is compiled for known sizes."""
def is_sequence_value_unknown(x) -> builtins.bool:
    """Return False: a captured function is compiled for known sizes."""
def is_tensor_bool_cond(x) -> builtins.bool:
    """Return True if a Tensor can be a condition; raise ValueError if it has several elements."""
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
    r"""Return True where $|input - other| \leq atol + rtol \cdot |other|$, elementwise: Bool."""
def isconstant(x) -> builtins.bool:
    """Return True if a value is constant during capture: any value but a Tensor that varies."""
def isend(tensor, dst=0, group=None, tag=0) -> Any:
    """Start sending a Tensor to process `dst`; returns a handle."""
def isfinite(input) -> Tensor:
    """True where $x$ is finite, element by element."""
def isinf(input) -> Tensor:
    """True where $x$ is infinite, element by element."""
def isnan(input) -> Tensor:
    """True where $x$ is NaN, element by element."""
def isnan_ext(tensor) -> Tensor:
    """True where $x$ is NaN, element by element."""
def isneginf(input) -> Tensor:
    r"""True where $x = -\infty$, element by element."""
def isposinf(input) -> Tensor:
    r"""True where $x = \infty$, element by element."""
def isreal(input) -> Tensor:
    """Return True where the imaginary part is zero."""
def iter_converter(x) -> Any:
    """Return an object that iterates as a loop over `x`: a dict's keys, else `x` itself."""
def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None) -> Tensor:
    r"""$w_n = I_0(\beta \sqrt{1 - (2 n / (N - 1) - 1)^2}) / I_0(\beta)$ with the Bessel function $I_0$; Float64 by default. A larger `beta` makes a narrower window."""
def kl_div(logits, labels, reduction='mean') -> Tensor:
    r"""$y (\ln y - x)$ for logarithms of probabilities $x$ and probabilities $y$."""
def kron(input, other) -> Tensor:
    """The Kronecker product: blocks of `other`, each times an element of `input`."""
def l1_loss(input, target, reduction='mean') -> Tensor:
    """$|input - target|$, broadcast together; `reduction`: 'mean', 'sum' or 'none'."""
def laplace(shape, mean, lambda_param, seed=None) -> Tensor:
    r"""Draw Float32 numbers with density $e^{-|x - mean| / \lambda} / (2 \lambda)$."""
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over the last axes."""
def lcm(input, other) -> Tensor:
    """The least common multiple of integers; broadcast together."""
def ldexp(x, other) -> Tensor:
    r"""$input \cdot 2^{other}$; broadcast together."""
def le(input, other) -> Tensor:
    r"""$input \leq other$, element by element: Bool, broadcast together."""
def leaky_relu(input, alpha=0.2) -> Tensor:
    r"""$\max(x, 0) + \alpha \min(x, 0)$, element by element."""
def lerp(input, end, weight) -> Tensor:
    r"""$input + weight \cdot (end - input)$."""
def less(input, other) -> Tensor:
    """$input < other$, element by element: Bool, broadcast together."""
def less_equal(input, other) -> Tensor:
    r"""$input \leq other$, element by element: Bool, broadcast together."""
def lgamma(input) -> Tensor:
    r"""$\ln |\Gamma(x)|$, element by element."""
def lightning_indexer(query, key, weights, *, actual_seq_lengths_query=None, actual_seq_lengths_key=None, block_table=None, layout_query='BSND', layout_key='BSND', sparse_count=2048, sparse_mode=3, pre_tokens=9223372036854775807, next_tokens=9223372036854775807, return_value=False) -> builtins.tuple[Tensor, ...]:
    r"""The `sparse_count` keys with the largest scores $\sum_n w_n \max(0, q_n \cdot k)$ for each query: indices, Int32, -1 if there are fewer, and the scores, `(B, S, 1, sparse_count)`."""
def linspace(start, end, steps) -> Tensor:
    """`steps` equally spaced numbers from `start` to `end`, both included; Float32."""
def list_equal(x, y) -> builtins.bool:
    """True if two lists have the same items."""
def list_getitem(x, index) -> Any:
    """The item at `index`."""
def list_len(x) -> builtins.int:
    """Return the number of items."""
def list_setitem(x, index, value) -> builtins.list:
    """A list with `value` at `index`, else as `x`."""
def log(input) -> Tensor:
    r"""$\ln x$, element by element."""
def log10(input) -> Tensor:
    r"""$\log_{10} x$, element by element."""
def log1p(input) -> Tensor:
    r"""$\ln(1 + x)$, element by element."""
def log2(input) -> Tensor:
    r"""$\log_2 x$, element by element."""
def log_matrix_determinant(input) -> builtins.tuple[Tensor, ...]:
    """The sign of each matrix' determinant, and the logarithm of its modulus."""
def log_softmax(logits, axis=-1) -> Tensor:
    r"""$x_i - \ln \sum_j e^{x_j}$ along `axis`."""
def log_uniform_candidate_sampler(true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0) -> builtins.tuple[Tensor, ...]:
    """As `uniform_candidate_sampler`, for classes in order of decreasing frequency."""
def logaddexp(input, other) -> Tensor:
    r"""$\ln(e^{input} + e^{other})$, without overflow."""
def logaddexp2(input, other) -> Tensor:
    r"""$\log_2(2^{input} + 2^{other})$, without overflow."""
def logcumsumexp(input, axis) -> Tensor:
    r"""$\ln \sum_{j \le i} e^{x_j}$ along `axis`, without overflow."""
def logdet(input) -> Tensor:
    """The logarithm of each matrix' determinant: NaN if it is negative, -inf if it is 0."""
def logical_and(input, other) -> Tensor:
    r"""$input \land other$, element by element: Bool, broadcast together."""
def logical_not(input) -> Tensor:
    """Return True where $input = 0$, element by element: Bool."""
def logical_or(input, other) -> Tensor:
    r"""$input \lor other$, element by element: Bool, broadcast together."""
def logical_xor(input, other) -> Tensor:
    r"""$input \oplus other$, element by element: Bool, broadcast together."""
def logit(input, eps=None) -> Tensor:
    r"""$\ln \frac{x}{1 - x}$; `eps`: `input` is first clamped to $[eps, 1 - eps]$."""
def logsigmoid(x) -> Tensor:
    r"""$\ln \sigma(x)$, element by element."""
def logspace(start, end, steps, base=10, *, dtype=...) -> Tensor:
    """`steps` powers of `base` with equally spaced exponents from `start` to `end`."""
def logsumexp(input, dim, keepdim=False) -> Tensor:
    r"""$\ln \sum_i e^{x_i}$ along `dim`, without overflow."""
def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    r"""$(\sum x^p)^{1/p}$ of each window of `(N, C, L)` or `(C, L)`, p being `norm_type`."""
def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    """As `lp_pool1d`, for `(N, C, H, W)`; `kernel_size`, `stride`: an int or two."""
def lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS') -> Tensor:
    r"""$x_c (bias + \alpha \sum_{c'} x_{c'}^2)^{-\beta}$ over the channels from $c - r$ to $c + r$, r being `depth_radius`: `(N, C, H, W)` (Krizhevsky et al., 2012)."""
def lstsq(input, A) -> Tensor:
    r"""The X that minimizes $\|A X - B\|$, where A is `input`, `(m, n)`, and B is MindSpore's argument `A`, `(m, k)` or `(m,)`; the minimum-norm solution if there are several."""
def lt(input, other) -> Tensor:
    """$input < other$, element by element: Bool, broadcast together."""
def lu_solve(b, LU_data, LU_pivots) -> Tensor:
    """Solve A X = b for X, given A's triangles in one matrix `(*, n, n)` and its pivots `(*, n)`, which count from 1."""
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True) -> builtins.tuple:
    """Return (P, L, U) with A = P L U, given A's triangles in one matrix `(*, m, n)` and its pivots `(*, k)`, k = min(m, n), which count from 1: `(*, m, m)`, `(*, m, k)`, `(*, k, n)`."""
def make_coo_tensor(indices, values, shape) -> COOTensor:
    """A `COOTensor` of these parts; see the class."""
def make_csr_tensor(indptr, indices, values, shape) -> CSRTensor:
    """A `CSRTensor` of these parts; see the class."""
def make_dict(keys, values) -> builtins.dict:
    """Return a dict of these keys and values."""
def make_list(*items) -> builtins.list:
    """Return the arguments as a list."""
def make_range(start, limit=None, delta=1) -> builtins.tuple:
    """The ints `start, start + delta, ...` before `limit`, a tuple; with one argument, from 0."""
def make_row_tensor(indices, values, dense_shape) -> RowTensor:
    """A `RowTensor` of these parts; see the class."""
def make_row_tensor_inner(indices, values, shape) -> RowTensorInner:
    """A `RowTensorInner` of these parts; see the class."""
def make_slice(start, stop, step) -> builtins.slice:
    """`slice(start, stop, step)`."""
def make_sparse_tensor(indices, values, dense_shape) -> COOTensor:
    """A `COOTensor` of these parts; see the class."""
def make_tuple(*items) -> builtins.tuple:
    """Return the arguments as a tuple."""
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction='mean') -> Tensor:
    r"""$\max(0, -target (input_1 - input_2) + margin)$: 1 in `target` means that the first should be larger, -1 the second."""
def masked_fill(input_x, mask, value) -> Tensor:
    """Fill with `value`, a number or a 0-d tensor, where the Bool `mask` is True."""
def masked_select(input, mask) -> Tensor:
    """Return the elements where the Bool `mask` is True, flattened; both are broadcast together."""
def matmul(input, other) -> Tensor:
    r"""$\sum_k a_{ik} b_{kj}$: the matrix product, `(..., n, k)` with `(..., k, m)`."""
def matmul_reduce_scatter(input, x2, group, world_size, *, reduce_op='sum', bias=None, comm_turn=0, trans_input=False, trans_x2=False) -> Tensor:
    """Reduce `input @ x2` over all processes and return this process' part along the first axis."""
def matrix_band_part(x, lower, upper) -> Tensor:
    """Keep `lower` diagonals below and `upper` above the main one, and set all others to zero."""
def matrix_determinant(input) -> Tensor:
    """The determinant of each matrix in the last two dimensions."""
def matrix_diag(x, k=0, num_rows=-1, num_cols=-1, padding_value=0, align='RIGHT_LEFT') -> Tensor:
    """Return matrices with the last axis as the diagonal `k`, `padding_value` elsewhere."""
def matrix_diag_part(x, k, padding_value, align='RIGHT_LEFT') -> Tensor:
    """The diagonal `k` of matrices, or several for `k` (low, high), as for `matrix_diag`."""
def matrix_exp(input) -> Tensor:
    r"""$e^A = \sum_k A^k / k!$ of each matrix."""
def matrix_norm(A, ord='fro', axis=(-2, -1), keepdims=False, *, dtype=None) -> Tensor:
    r"""A norm of the matrices in two dimensions: 'fro' $\sqrt{\sum_{ij} |a_{ij}|^2}$, 'nuc' the sum of the singular values, 2 and -2 the largest and smallest singular value, 1 and -1 the largest and smallest column sum of $|a_{ij}|$, `inf` and `-inf` the largest and smallest row sum."""
def matrix_power(input, n) -> Tensor:
    """$A^n$ of each matrix; a negative `n` uses the inverse."""
def matrix_set_diag(x, diagonal, k=0, align='RIGHT_LEFT') -> Tensor:
    """Replace the diagonal `k` of matrices `x`, or several for `k` (low, high), by `diagonal`."""
def matrix_solve(matrix, rhs, adjoint=False) -> Tensor:
    """Solve A X = b for each matrix `(*, n, n)` and `(*, n, k)`; `adjoint`: with A's adjoint."""
def max(input, axis=None, keepdims=False, *, initial=None, where=None) -> builtins.tuple[Tensor, ...]:
    """The largest elements along `axis` and their indices (Int64), a pair."""
def max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False) -> Any:
    """The maximum of each window of `(N, C, H, W)`."""
def max_pool3d(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False) -> Any:
    """As `max_pool2d`, for `(N, C, D, H, W)`; settings are ints or three."""
def max_unpool1d(x, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Write each maximum back to its position, zeros elsewhere: `(N, C, L)`."""
def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Write each maximum back to its position, zeros elsewhere: `(N, C, H, W)`."""
def max_unpool3d(x, indices, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Write each maximum back to its position, zeros elsewhere: `(N, C, D, H, W)`."""
def maximum(input, other) -> Tensor:
    """The larger of both, element by element; NaN where either is NaN."""
def mean(x, axis=None, keep_dims=False) -> Tensor:
    r"""$\frac1n \sum_{i=1}^n x_i$ along `axis`: an int, a tuple of ints, or None for all."""
def median(input, axis=-1, keepdims=False) -> Any:
    """The lower of the two middle elements along `axis`, and its index (Int64); NaN if any element is NaN."""
def merge(inputs) -> builtins.tuple:
    """Return the first of `inputs` that is not None, and its index, an Int32 Tensor."""
def meshgrid(*inputs, indexing='xy') -> builtins.tuple[Tensor, ...]:
    """Return coordinate tensors of the grid over 1-d `inputs`, a tuple."""
def min(input, axis=None, keepdims=False, *, initial=None, where=None) -> builtins.tuple[Tensor, ...]:
    """The smallest elements along `axis` and their indices (Int64), a pair."""
def minimum(input, other) -> Tensor:
    """The smaller of both, element by element; NaN where either is NaN."""
def mirror_pad(input_x, paddings, mode) -> Tensor:
    """Reflect `x` at its edges, without them ('REFLECT') or with them ('SYMMETRIC')."""
def mish(x) -> Tensor:
    r"""$x \tanh(\ln(1 + e^x))$, element by element."""
def mixed_precision_cast(dst_dtype, x) -> Tensor:
    """Cast floating Tensors to `dst_dtype`, also in tuples, lists and dicts; others are unchanged."""
def mm(input, mat2) -> Tensor:
    """`matmul` of two matrices."""
def moe_init_routing_v2(x, expert_idx, active_num, expert_capacity, expert_num, drop_pad_mode, expert_tokens_count_or_cumsum_flag, expert_tokens_before_capacity_flag) -> builtins.tuple[Tensor, ...]:
    """Repeat the rows of `x` `(N, H)` for each of their experts `expert_idx` `(N, K)`, sorted by expert; also returns their positions, Int32 `(N K,)` in the order of `expert_idx` (-1: dropped)."""
def moe_token_permute(tokens, indices, num_out_tokens=None, padded_mode=False) -> builtins.tuple[Tensor, ...]:
    """Repeat the rows of `tokens` `(N, H)` for each of their experts `indices` `(N, K)` or `(N,)`, sorted by expert; also returns their positions, Int32 `(N K,)`, in the order of `indices`."""
def moe_token_unpermute(permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None) -> Tensor:
    """Restore the order before `moe_token_permute`: `(N K, H)` -> `(N, H)`, each row the sum over its K experts, weighted with `probs` `(N, K)`; without `probs`, K is 1."""
def move_to(input, to='CPU', blocking=True) -> Tensor:
    """Convert `input`, a Tensor or ints, to a Tensor on the device `to`: 'CPU', or 'Ascend' or 'GPU', which both mean the computing device. XLA keeps the contents where they are used."""
def moveaxis(x, source, destination) -> Tensor:
    """Move dimensions `source` (an int or several) to the positions `destination`."""
def movedim(x, source, destination) -> Tensor:
    """Move dimensions `source` (an int or several) to the positions `destination`."""
def ms_hasnext(x) -> builtins.bool:
    """Return True if a sequence has an item."""
def ms_next(x) -> builtins.tuple:
    """Return the first item of a sequence, and the remaining ones."""
def mse_loss(input, target, reduction='mean') -> Tensor:
    """$(input - target)^2$, broadcast together; `reduction`: 'mean', 'sum' or 'none'."""
def mse_loss_ext(input, target, reduction='mean') -> Tensor:
    """$(input - target)^2$, broadcast together; `reduction`: 'mean', 'sum' or 'none'."""
def msort(input) -> Tensor:
    """Sort along the first axis."""
def mul(input, other) -> Tensor:
    r"""$input \cdot other$, broadcast together."""
def multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction='mean') -> Tensor:
    r"""$\frac1C \sum_{i \ne t} w_t \max(0, margin - x_t + x_i)^p$, x scores and t the true class."""
def multi_scale_deformable_attn_function(value, shape, offset, locations, weight) -> Tensor:
    r"""$\sum_{l, p} w_{l p} \, v_l(x_{l p}, y_{l p})$ for each query and head: feature maps sampled at points between their elements (bilinear, 0 outside), and weighted."""
def multilabel_margin_loss(input, target, reduction='mean') -> Tensor:
    r"""$\frac1C \sum_j \sum_{i \notin t} \max(0, 1 - (x_{t_j} - x_i))$ for several true classes t."""
def multilabel_soft_margin_loss(input, target, weight=None, reduction='mean') -> Tensor:
    r"""$-\frac1C \sum_c w_c (y_c \ln \sigma(x_c) + (1 - y_c) \ln \sigma(-x_c))$ of each row."""
def multinomial(input, num_samples, replacement=True, seed=None) -> Tensor:
    """Draw `num_samples` indices for each row of `input`, weighted by the row: Int32."""
def multinomial_with_replacement(x, seed, offset, numsamples, replacement=False) -> Tensor:
    """As `multinomial`, Int64, drawn from the sequence of `seed` and `offset`."""
def multiply(input, other) -> Tensor:
    r"""$input \cdot other$, broadcast together."""
def mv(mat, vec) -> Tensor:
    """`matmul` of a matrix and a vector."""
def mvlgamma(input, p) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
def nan_to_num(input, nan=None, posinf=None, neginf=None) -> Tensor:
    """`input` with `nan` (0) for NaN, `posinf` and `neginf` (the largest numbers) for infinities."""
def nanmean(input, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The mean of the elements that are not NaN, along `axis`; None: all."""
def nanmedian(input, axis=-1, keepdims=False) -> Any:
    """`median` that ignores NaN."""
def nanquantile(input, q, axis=None, keepdims=False) -> Tensor:
    """`quantile` that ignores NaN."""
def nansum(input, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The sum of the elements that are not NaN, along `axis`; None: all."""
def narrow(input, axis, start, length) -> Tensor:
    """`length` slices along `axis`, starting at `start`."""
def ne(input, other) -> Tensor:
    r"""$input \neq other$, element by element: Bool, broadcast together."""
def neg(input) -> Tensor:
    """$-x$, element by element."""
def negative(input) -> Tensor:
    """$-x$, element by element."""
def nextafter(input, other) -> Tensor:
    """The next number after `input` toward `other`, with the derivative 1 of `input`; broadcast together."""
def nll_loss(inputs, target, weight=None, ignore_index=-100, reduction='mean', label_smoothing=0.0) -> Tensor:
    """$-w_t x_t$ for logarithms of probabilities $x$ of the classes and the true class $t$."""
def nonzero(input, *, as_tuple=False) -> Tensor:
    """Return the indices of nonzero elements, one per row, Int64; `as_tuple`: a tuple of columns."""
def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """A norm of vectors (`dim`: an int) or matrices (`dim`: a pair of ints)."""
def normal(shape, mean, stddev, seed=None) -> Tensor:
    """Draw Float32 numbers from the normal distribution (`mean`, `stddev`: numbers or Tensors)."""
def normal_(input, mean=0, std=1, *, generator=None) -> Tensor:
    """Fill the tensor from the normal distribution with `mean` and standard deviation `std`."""
def not_equal(input, other) -> Tensor:
    r"""$input \neq other$, element by element: Bool, broadcast together."""
def not_in_dict(key, x) -> builtins.bool:
    """Return True if a dict does not have `key`."""
def nsa_compress(input, weight, compress_block_size, compress_stride, *, actual_seq_len) -> Tensor:
    """Weighted sums of windows of tokens: `input` `(T, N, D)`, `weight` `(compress_block_size, N)` -> `(windows, N, D)`."""
def nsa_compress_attention(query, key, value, scale_value, head_num, compress_block_size, compress_stride, select_block_size, select_block_count, *, topk_mask=None, atten_mask=None, actual_seq_qlen=None, actual_cmp_seq_kvlen=None, actual_sel_seq_kvlen=None) -> builtins.tuple[Tensor, ...]:
    """Attention of `(T, N, D)` to compressed keys (see `nsa_compress`), and the `select_block_count` blocks of uncompressed keys most relevant to each query."""
def nsa_select_attention(query, key, value, topk_indices, scale_value, head_num, select_block_size, select_block_count, *, atten_mask=None, actual_seq_qlen, actual_seq_kvlen) -> builtins.tuple[Tensor, ...]:
    """Attention of `(T, N, D)` to blocks of `select_block_size` keys of the query's own sequence, with indices `topk_indices` `(T, heads of key, select_block_count)`, from 0 on."""
def numel(input) -> builtins.int:
    """Return the number of elements, an int."""
def one_hot(indices, depth, on_value=1, off_value=0, axis=-1) -> Tensor:
    """`on_value` at each index along a new dimension `axis` of size `depth`, else `off_value`."""
def ones(shape, dtype=None) -> Tensor:
    """Ones of that `shape` (an int or a tuple of ints), Float32 unless a `dtype` is given."""
def ones_like(input, *, dtype=None) -> Tensor:
    """Ones of the shape of `input`, in its dtype unless another is given."""
def orgqr(input, input2) -> Tensor:
    """The first columns of Q from `geqrf`'s reflections and factors `input2`: `(*, m, n)`."""
def ormqr(input, tau, other, left=True, transpose=False) -> Tensor:
    """$Q C$, or without `left` $C Q$, where C is `other` `(*, m, n)` and Q, square, is the product of Householder reflections in `geqrf`'s format: `input` `(*, mn, k)`, below the diagonal, and their factors `tau` `(*, min(mn, k))`. `transpose`: uses Q's (conjugate) transpose."""
def outer(input, vec2) -> Tensor:
    """$a_i b_j$ of two vectors."""
def pad(input_x, padding, mode='constant', value=None) -> Tensor:
    """Pad or crop `input_x`."""
def padding(x, pad_dim_size=8) -> Tensor:
    """`x` `(*, 1)` -> `(*, pad_dim_size)`, with zeros appended along the last axis."""
def partial(fn, *args, **kwargs) -> Tensor:
    """A function with its first arguments bound: `ops.Partial()(fn, *args)`, or some by name."""
def pdist(input, p=2.0) -> Tensor:
    """The `p`-norm distances between all pairs of rows of `(n, k)`, in the order of the rows."""
def permute(input, axis) -> Tensor:
    """Permute the dimensions: dimension `i` of the result is `dims[i]` of `input`."""
def pinv(x, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    r"""Moore-Penrose inverse $V \Sigma^{+} U^H$ of each matrix `(*, m, n)`: `(*, n, m)`."""
def pixel_shuffle(input, upscale_factor) -> Tensor:
    """Channels as finer planes: `(*, C r^2, H, W)` -> `(*, C, H r, W r)`, r = `upscale_factor`."""
def pixel_unshuffle(input, downscale_factor) -> Tensor:
    """The inverse of `pixel_shuffle`: `(*, C, H r, W r)` -> `(*, C r^2, H, W)`."""
def poisson(shape, mean, seed=None) -> Tensor:
    r"""Draw counts $k$ with probability $e^{-\mu} \mu^k / k!$, Float32; `mean`: the Tensor $\mu$."""
def polar(abs, angle) -> Tensor:
    r"""$r (\cos \varphi + i \sin \varphi)$ from r = `abs` and the angle."""
def polygamma(n, input) -> Tensor:
    r"""The `n`-th derivative of the digamma function, $\psi^{(n)}(x)$; `n`: an int, or a one-element Tensor."""
def population_count(input_x) -> Tensor:
    """Count the 1 bits of each integer: UInt8."""
def positive(input) -> Tensor:
    """$x$ itself, element by element."""
def pow(input, exponent) -> Tensor:
    """$input^{exponent}$, broadcast together."""
def pows(input, exponent) -> Tensor:
    """$input^{exponent}$, broadcast together."""
def prelu(input, weight) -> Tensor:
    r"""$\max(x, 0) + w \min(x, 0)$; `weight` has one number, or one for each channel (axis 1)."""
def prod(input, axis=None, keep_dims=False, dtype=None) -> Tensor:
    r"""$\prod_i x_i$ along `axis`: an int, a tuple of ints, or None for all."""
def prompt_flash_attention(query, key, value, attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, pse_shift=None, deq_scale1=None, quant_scale1=None, deq_scale2=None, quant_scale2=None, quant_offset2=None, num_heads=1, scale_value=1.0, pre_tokens=2147483647, next_tokens=0, input_layout='BSH', num_key_value_heads=0, sparse_mode=0, inner_precise=1) -> Tensor:
    r"""$softmax(scale \, q k^\top) v$ of whole sequences."""
def put_(input, index, source, accumulate=False) -> Tensor:
    """Write the elements of `source` to the tensor itself, at the flat, row-major indices `index`. `accumulate`: adds to the old values."""
def qr(input, mode='reduced') -> Any:
    """$A = Q R$ of each matrix `(*, m, n)`, with k the smaller of m and n."""
def quantile(input, q, axis=None, keepdims=False) -> Tensor:
    """The `q`-quantiles (from 0 to 1) along `axis` (None: of all), with linear interpolation."""
def rad2deg(x) -> Tensor:
    r"""$180 x / \pi$, element by element."""
def rand(*size, dtype=None, seed=None) -> Tensor:
    """Draw uniformly from [0, 1), in a floating `dtype` (Float32); `size` as in `randn`."""
def rand_like(input, seed=None, *, dtype=None) -> Tensor:
    """As `rand`, in the shape (and, unless `dtype` is given, the dtype) of `input`."""
def randint(low, high, size, seed=None, *, dtype=None) -> Tensor:
    """Draw integers uniformly from `low` to `high - 1`, in an integer `dtype` (Int64)."""
def randint_like(input, low, high, seed=None, *, dtype=None) -> Tensor:
    """As `randint`, in the shape (and, unless `dtype` is given, the dtype) of `input`."""
def randn(*size, dtype=None, seed=None) -> Tensor:
    """Draw from the standard normal distribution, in a floating `dtype` (Float32)."""
def randn_like(input, seed=None, *, dtype=None) -> Tensor:
    """As `randn`, in the shape of `input`."""
def random_(input, from_=0, to=None, *, generator=None) -> Tensor:
    """Fill the tensor with integers drawn uniformly from [from_, to)."""
def random_categorical(logits, num_sample, seed=0, dtype=...) -> Tensor:
    """Draw `num_sample` indices for each row of `logits`, with probabilities $softmax(logits)$."""
def random_gamma(shape, alpha, seed=None) -> Tensor:
    """As `gamma` with rate 1: for each element of `alpha`, numbers in `shape` (a Tensor)."""
def random_poisson(shape, rate, seed=None, dtype=...) -> Tensor:
    """As `poisson`: for each element of `rate`, counts in `shape` (a Tensor), in any real `dtype`."""
def randperm(n, seed=0, offset=0, dtype=...) -> Tensor:
    """Return the numbers from 0 to `n - 1` in random order."""
def range(start, end, step, maxlen=1000000) -> Tensor:
    """As `arange(start, end, step)`, with at most `maxlen` elements."""
def rank(input_x) -> builtins.int:
    """Return the number of dimensions, an int."""
def ravel(input) -> Tensor:
    """Flatten to one dimension, in row-major order."""
def real(input) -> Tensor:
    """The real part; real tensors are returned unchanged."""
def reciprocal(input) -> Tensor:
    """$1 / x$, element by element."""
def recompute_block(block) -> Any:
    """Return the block as a function whose derivative recomputes it; see `recompute`."""
def reduce(tensor, dst, op='sum', group=None, async_op=False) -> Any:
    """Reduce all processes' Tensors (sum, or `op`) onto process `dst`."""
def reduce_max(x, axis=()) -> Tensor:
    """The largest element along `axis` (an int, a tuple of ints, or None for all)."""
def reduce_mean(x, axis=()) -> Tensor:
    r"""$\frac1n \sum_{i=1}^n x_i$ along `axis`: an int, a tuple of ints, or None for all."""
def reduce_min(x, axis=()) -> Tensor:
    """The smallest element along `axis` (an int, a tuple of ints, or None for all)."""
def reduce_scatter(output, input_list, op='sum', group=None, async_op=False) -> Any:
    """Reduce (sum, or `op`) all processes' Tensors for this one; `input_list`: one for each process."""
def reduce_scatter_tensor(output, input, op='sum', group=None, async_op=False) -> Any:
    """Reduce all processes' Tensors (sum, or `op`) and keep this process' part of the first axis."""
def reduce_scatter_tensor_uneven(output, input, input_split_sizes=None, op='sum', group=None, async_op=False) -> Any:
    """As `reduce_scatter_tensor`; `input_split_sizes`: the number of rows for each process."""
def reduce_sum(x, axis=()) -> Tensor:
    r"""$\sum_i x_i$ along `axis`, in the operand's own dtype; `()` means all axes."""
def reduced_shape(shape, axis) -> builtins.tuple:
    """Return the shape after a reduction along `axis` (int or tuple; empty: all) that keeps dims."""
def ref_to_embed(x) -> Any:
    """Return the key of a Parameter in environments."""
def relu(input, inplace=False) -> Tensor:
    r"""$\max(x, 0)$, element by element; its derivative at 0 is 0. `inplace`: updates `input`."""
def relu6(x) -> Tensor:
    r"""$\min(\max(x, 0), 6)$, element by element."""
def remainder(input, other) -> Tensor:
    r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
def renorm(input, p, axis, maxnorm) -> Tensor:
    """Scale each slice along `axis` down so that its `p`-norm is at most `maxnorm`."""
def repeat_elements(x, rep, axis=0) -> Tensor:
    """Repeat each element `repeats` times (an int, or a tuple of one count each) along `axis`."""
def repeat_interleave(input, repeats, axis=None) -> Tensor:
    """Repeat each element `repeats` times along `axis`; of the flattened input if that is None."""
def reshape(input, shape) -> Tensor:
    """The elements, in row-major order, in another shape; a single -1 in it is inferred."""
def reshape_(input, shape) -> Tensor:
    """The elements, in row-major order, in another shape; a single -1 in it is inferred."""
def reshard(tensor, layout) -> Tensor:
    """Distribute the Tensor among devices by `layout`: on one device, unchanged."""
def reverse(x, axis) -> Tensor:
    """Reverse the order of the elements along `dims`, an int or a tuple of ints."""
def reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0) -> Tensor:
    """Reverse the first `seq_lengths` elements along `seq_dim`, for each of a batch."""
def rfft(input, n=None, dim=-1, norm=None) -> Tensor:
    """The Fourier transform of real numbers, half of it, along `dim`, of `n` numbers (cut, or zeros added)."""
def rfft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """The Fourier transform of real numbers, half of it, along two axes `dim`, of `s` numbers of each."""
def rfftfreq(n, d=1.0, dtype=None) -> Tensor:
    """The frequencies of the result of `rfft`: `n` samples, spacing `d`."""
def rfftn(input, s=None, dim=None, norm=None) -> Tensor:
    """The Fourier transform of real numbers, half of it, along several axes `dim`, of `s` numbers of each."""
def ring_attention_update(prev_attn_out, prev_softmax_max, prev_softmax_sum, cur_attn_out, cur_softmax_max, cur_softmax_sum, actual_seq_qlen=None, layout='SBH') -> builtins.tuple[Tensor, ...]:
    """Combine attention over two parts of the keys: the results `(S, B, N D)`, or `(T, N, D)` for the `layout` 'TND', weighted with their sums of exponentials, $s_p e^{m_p - m}$ and $s_c e^{m_c - m}$, m being the larger of both maxima; m; and the sum of both weights."""
def rms_norm(x, gamma, epsilon=1e-06) -> builtins.tuple[Tensor, ...]:
    r"""$\gamma x r$ and r, where $r = 1 / \sqrt{\overline{x^2} + \epsilon}$ is taken over the last axes, those in `gamma` (Zhang and Sennrich, 2019)."""
def roll(input, shifts, dims=None) -> Tensor:
    """Shift the elements cyclically by `shifts` along `dims`; with `dims` None, as if all were in one dimension."""
def rot90(input, k, dims) -> Tensor:
    """Rotate by `k` right angles, from the first of `dims` toward the second."""
def rotary_position_embedding(x, cos, sin, mode=0) -> Tensor:
    r"""$x \cos + r(x) \sin$ with r mapping pairs (a, b) of the last axis to (-b, a): a rotation of each pair by its angle (Su et al., 2021)."""
def rotated_iou(boxes, query_boxes, trans=False, mode=0, is_cross=True, v_threshold=0.0, e_threshold=0.0) -> Tensor:
    """Intersection of rotated rectangles over their union (`mode` 0) or over the area of the one in `boxes` (1): `(B, N, 5)`, `(B, K, 5)` -> `(B, N, K)`."""
def round(input, *, decimals=0) -> Tensor:
    """Round to `decimals` places; halves go to the even neighbour."""
def row_stack(tensors) -> Tensor:
    """Concatenate vectors as rows, and matrices, along axis 0."""
def row_tensor_add(x, y) -> RowTensorInner:
    """The sum of a RowTensor and another (or a Tensor), a RowTensor."""
def row_tensor_get_dense_shape(x) -> builtins.tuple:
    """The shape, a tuple of ints of a RowTensor."""
def row_tensor_get_indices(x) -> Tensor:
    """The `indices` of a RowTensor."""
def row_tensor_get_values(x) -> Tensor:
    """The `values` of a RowTensor."""
def rrelu(input, lower=0.125, upper=0.3333333333333333) -> Tensor:
    """$x$ where it is at least 0, else $a x$ with $a$ uniform in [lower, upper) (Xu et al., 2015)."""
def rsqrt(input) -> Tensor:
    r"""$1 / \sqrt{x}$, element by element."""
def scalar_add(x, y) -> builtins.object:
    """`x + y` of numbers."""
def scalar_cast(input_x, input_y) -> Any:
    """Convert a Python number to another dtype; returns a Python number."""
def scalar_div(x, y) -> builtins.object:
    """`x / y` of numbers."""
def scalar_eq(x, y) -> builtins.object:
    """`x == y` of numbers."""
def scalar_floordiv(x, y) -> builtins.object:
    """`x // y` of numbers."""
def scalar_ge(x, y) -> builtins.object:
    """`x >= y` of numbers."""
def scalar_gt(x, y) -> builtins.object:
    """`x > y` of numbers."""
def scalar_le(x, y) -> builtins.object:
    """`x <= y` of numbers."""
def scalar_log(x) -> builtins.object:
    """`math.log(x)` of numbers."""
def scalar_lt(x, y) -> builtins.object:
    """`x < y` of numbers."""
def scalar_max(x, y) -> builtins.object:
    """`max(x, y)` of numbers."""
def scalar_min(x, y) -> builtins.object:
    """`min(x, y)` of numbers."""
def scalar_mod(x, y) -> builtins.object:
    """`x % y` of numbers."""
def scalar_mul(x, y) -> builtins.object:
    """`x * y` of numbers."""
def scalar_ne(x, y) -> builtins.object:
    """`x != y` of numbers."""
def scalar_pow(x, y) -> builtins.object:
    """`x ** y` of numbers."""
def scalar_sub(x, y) -> builtins.object:
    """`x - y` of numbers."""
def scalar_to_array(input_x) -> Tensor:
    """Convert a number to a 0-d tensor of its natural dtype (ints: Int64, floats: Float32)."""
def scalar_to_tensor(input_x, dtype=...) -> Tensor:
    """Convert a number to a 0-d tensor."""
def scalar_uadd(x) -> builtins.object:
    """`+x` of numbers."""
def scalar_usub(x) -> builtins.object:
    """`-x` of numbers."""
def scatter(input, axis, index, src) -> Tensor:
    """`input` with the elements at `index` along `axis` replaced by `src` (a Tensor or a number)."""
def scatter_add(input_x, indices, updates, use_locking=False) -> Tensor:
    """Apply `tensor_scatter_add` in place to whole rows of `input_x`, a Parameter."""
def scatter_div(input_x, indices, updates, use_locking=False) -> Tensor:
    """Apply `tensor_scatter_div` in place to whole rows of `input_x`, a Parameter."""
def scatter_max(input_x, indices, updates, use_locking=False) -> Tensor:
    """Apply `tensor_scatter_max` in place to whole rows of `input_x`, a Parameter."""
def scatter_min(input_x, indices, updates, use_locking=False) -> Tensor:
    """Apply `tensor_scatter_min` in place to whole rows of `input_x`, a Parameter."""
def scatter_mul(input_x, indices, updates, use_locking=False) -> Tensor:
    """Apply `tensor_scatter_mul` in place to whole rows of `input_x`, a Parameter."""
def scatter_nd(indices, updates, shape) -> Tensor:
    """Zeros of that `shape`, with `updates` added at the rows of `indices`."""
def scatter_nd_add(input_x, indices, updates, use_locking=True) -> Tensor:
    """Apply `tensor_scatter_add` in place to `input_x`, a Parameter."""
def scatter_nd_div(input_x, indices, updates, use_locking=True) -> Tensor:
    """Apply `tensor_scatter_div` in place to `input_x`, a Parameter."""
def scatter_nd_max(input_x, indices, updates, use_locking=True) -> Tensor:
    """Apply `tensor_scatter_max` in place to `input_x`, a Parameter."""
def scatter_nd_min(input_x, indices, updates, use_locking=True) -> Tensor:
    """Apply `tensor_scatter_min` in place to `input_x`, a Parameter."""
def scatter_nd_mul(input_x, indices, updates, use_locking=True) -> Tensor:
    """Apply `tensor_scatter_mul` in place to `input_x`, a Parameter."""
def scatter_nd_sub(input_x, indices, updates, use_locking=True) -> Tensor:
    """Apply `tensor_scatter_sub` in place to `input_x`, a Parameter."""
def scatter_nd_update(input_x, indices, updates, use_locking=True) -> Tensor:
    """Apply `tensor_scatter_update` in place to `input_x`, a Parameter."""
def scatter_sub(input_x, indices, updates, use_locking=False) -> Tensor:
    """Apply `tensor_scatter_sub` in place to whole rows of `input_x`, a Parameter."""
def scatter_tensor(output_tensor, input_tensor, src=0, group=None, async_op=False) -> Any:
    """Return this process' part, along the first axis, of the Tensor of process `src`."""
def scatter_update(input_x, indices, updates, use_locking=False) -> Tensor:
    """Apply `tensor_scatter_update` in place to whole rows of `input_x`, a Parameter."""
def searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None) -> Tensor:
    """Return the insertion points of `values` in the sorted last axis: before equal elements, or after them with `right` (or `side='right'`). Int64, or Int32 with `out_int32`."""
def select(condition, input, other) -> Tensor:
    """`input` where `condition` is nonzero, else `other`, all broadcast together."""
def select_scatter(input, src, axis, index) -> Tensor:
    """`input` with `src` at `index` along `axis`."""
def selu(input_x) -> Tensor:
    r"""$1.0507 (\max(0, x) + \min(0, 1.6733 (e^x - 1)))$, element by element."""
def send(tensor, dst=0, group=None, tag=0) -> None:
    """Send a Tensor to process `dst`, which calls `recv`, and block until it has arrived."""
def sequence_mask(lengths, maxlen=None) -> Tensor:
    """True where a position is within a length: `(*, maxlen)`, by default the greatest length."""
def sgn(input) -> Tensor:
    """The sign: for a complex number, the number of modulus 1 in its direction; 0 for 0."""
def shape(input_x) -> builtins.tuple:
    """Return the size of each dimension, a tuple of ints."""
def shape_(x) -> Tensor:
    """Return the size of each dimension, a tuple of ints."""
def shape_mul(input_data) -> builtins.int:
    """Return the product of a shape's sizes."""
def shuffle(x, seed=None) -> Tensor:
    """Return the rows of `x` in random order."""
def sigmoid(input) -> Tensor:
    """$1 / (1 + e^{-x})$, element by element."""
def sign(input) -> Tensor:
    """-1, 0 or 1, the sign of $x$; 0 of NaN, element by element."""
def signbit(input) -> Tensor:
    """True where $x < 0$, element by element."""
def silu(input) -> Tensor:
    r"""$x \, \sigma(x)$, element by element."""
def sin(input) -> Tensor:
    r"""$\sin x$, element by element."""
def sinc(input) -> Tensor:
    r"""$\sin(\pi x) / (\pi x)$, and 1 at 0, element by element."""
def sinh(input) -> Tensor:
    r"""$\sinh x$, element by element."""
def size(input_x) -> builtins.int:
    """Return the number of elements, an int."""
def slice(input_x, begin, size) -> Tensor:
    """The block that starts at `begin` and has `size` (-1: up to the end), one int per dimension."""
def slice_scatter(input, src, axis=0, start=None, end=None, step=1) -> Tensor:
    """`input` with `src` at `start:end:step` along `axis`."""
def slogdet(input) -> builtins.tuple[Tensor, ...]:
    """The sign of each matrix' determinant, and the logarithm of its modulus."""
def smooth_l1_loss(input, target, beta=1.0, reduction='none') -> Tensor:
    r"""$d^2 / 2\beta$ where $d = |input - target| < \beta$, else $d - \beta / 2$ (Girshick, 2015)."""
def soft_margin_loss(input, target, reduction='mean') -> Tensor:
    r"""$\ln(1 + e^{-target \cdot input})$, `target` being 1 or -1."""
def soft_shrink(input, lambd=0.5) -> Tensor:
    r"""Soft thresholding: $x$ moved toward 0 by $\lambda$, and 0 where $|x| \leq \lambda$."""
def softmax(input, axis=-1, *, dtype=None) -> Tensor:
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `axis`, in `dtype` if given."""
def softmin(x, axis=-1, *, dtype=None) -> Tensor:
    r"""$e^{-x_i} / \sum_j e^{-x_j}$ along `axis`."""
def softplus(input, beta=1, threshold=20) -> Tensor:
    r"""$\ln(1 + e^{\beta x}) / \beta$; $x$ itself where $\beta x$ exceeds `threshold`."""
def softshrink(input, lambd=0.5) -> Tensor:
    r"""Soft thresholding: $x$ moved toward 0 by $\lambda$, and 0 where $|x| \leq \lambda$."""
def softsign(x) -> Tensor:
    """$x / (1 + |x|)$, element by element."""
def sort(input_x, axis=-1, descending=False) -> builtins.tuple[Tensor, ...]:
    """Sort along `axis`; returns the elements and their former indices (Int32)."""
def space_to_batch_nd(input_x, block_size, paddings) -> Tensor:
    r"""Move positions within blocks of the last axes to the batch: `(n, *, w_1, ..., w_M)` -> `(n B, *, w_1 / b_1, ..., w_M / b_M)` with $B = b_1 \cdots b_M$."""
def sparse_flash_attention(query, key, value, sparse_indices, scale_value, *, block_table=None, actual_seq_lengths_query=None, actual_seq_lengths_kv=None, query_rope=None, key_rope=None, sparse_block_size=1, layout_query='BSND', layout_kv='BSND', sparse_mode=3, pre_tokens=9223372036854775807, next_tokens=9223372036854775807, attention_mode=0, return_softmax_lse=False) -> builtins.tuple[Tensor, ...]:
    """Attention to the keys at `sparse_indices` `(B, S, 1, count)`, as returned by `lightning_indexer`, in blocks of `sparse_block_size`; -1 is ignored."""
def sparse_segment_mean(x, indices, segment_ids) -> Tensor:
    """The mean of the rows of `x` at `indices`, for each segment: `(segments, ...)`."""
def speed_fusion_attention(query, key, value, head_num, input_layout, *, pse=None, padding_mask=None, atten_mask=None, scale=1.0, keep_prob=1.0, pre_tokens=2147483647, next_tokens=2147483647, inner_precise=0, prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None, sparse_mode=0, gen_mask_parallel=True, sync=False, pse_type=1, q_start_idx=None, kv_start_idx=None) -> builtins.tuple[Tensor, ...]:
    r"""$dropout(softmax(scale (q k^\top + pse))) v$, as `flash_attention_score`."""
def split(tensor, split_size_or_sections, axis=0) -> builtins.tuple[Tensor, ...]:
    """Split along `axis` into a tuple: one size (the last may be smaller), or the listed sizes."""
def sqrt(x) -> Tensor:
    r"""$\sqrt{x}$, element by element."""
def square(input) -> Tensor:
    """$x^2$, element by element."""
def squeeze(input, axis=None) -> Tensor:
    """Remove dimensions of size 1: all of them, or the ones in `axis`."""
def stack(tensors, axis=0) -> Tensor:
    """Stack a tuple or list of Tensors of one shape along a new dimension `axis`."""
def standard_laplace(shape, seed=None) -> Tensor:
    """Draw Float32 numbers with density $e^{-|x|} / 2$."""
def standard_normal(shape, seed=None) -> Tensor:
    """Draw Float32 numbers from the standard normal distribution."""
def std(input, axis=None, ddof=0, keepdims=False) -> Tensor:
    """Standard deviation, the square root of `var`, along `axis`: an int, a tuple of ints, or None for all."""
def std_mean(input, axis=None, ddof=0, keepdims=False) -> builtins.tuple[Tensor, ...]:
    """Return the standard deviation and the mean; see `std`."""
def stft(x, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode='REFLECT', normalized=False, onesided=None, return_complex=None) -> Tensor:
    r"""The short-time Fourier transform $X_{\omega m} = \sum_k w_k x_{m h + k} e^{-2 \pi i \omega k / n}$, n being `n_fft`, h `hop_length` (n // 4 by default), w the `window` (ones by default)."""
def strided_slice(input_x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0) -> Tensor:
    """Every `strides[i]`-th slice from `begin[i]` up to `end[i]` of dimension `i`."""
def string_concat(x, y) -> builtins.object:
    """`x + y` of strings."""
def string_eq(x, y) -> builtins.object:
    """`x == y` of strings."""
def sub(input, other) -> Tensor:
    """$input - other$, broadcast together; on Bool, "exclusive or"."""
def subtract(input, other, *, alpha=1) -> Tensor:
    r"""$input - alpha \cdot other$, broadcast together."""
def sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    r"""$\sum_i x_i$ along `dim`: an int, a tuple of ints, or None for all dimensions."""
def svd(input, full_matrices=False, compute_uv=True) -> Tensor:
    r"""$A = u \, diag(s) \, v^H$ of each matrix `(*, m, n)`: (s, u, v), or s if not `compute_uv`."""
def swapaxes(input, axis0, axis1) -> Tensor:
    """Swap two dimensions."""
def swapdims(input, dim0, dim1) -> Tensor:
    """Swap two dimensions."""
def swiglu(input, dim=-1) -> Tensor:
    r"""$a \, \sigma(a) \, b$, with $a$ and $b$ the halves of `input` along `dim` (Shazeer, 2020)."""
def switch(cond, true_branch, false_branch) -> Any:
    """Return `true_branch` if `cond` is true, else `false_branch`; also for functions."""
def switch_layer(index, layers) -> Any:
    """Return the function or Cell `index` of `layers`; a negative index counts from the end."""
def t(input) -> Tensor:
    """Swap the rows and columns of a matrix; with fewer dimensions, return the tensor itself."""
def take(input, index) -> Tensor:
    """The elements at `index` of the flattened `input`."""
def tan(input) -> Tensor:
    r"""$\tan x$, element by element."""
def tanh(input) -> Tensor:
    r"""$\tanh x$, element by element."""
def tanh_(input) -> Tensor:
    """Apply `tanh` in place."""
def tanhshrink(input) -> Tensor:
    r"""$x - \tanh x$."""
def tensor_add(input, other) -> Tensor:
    """$input + other$, broadcast together; on Bool, "or"."""
def tensor_div(x, y) -> Tensor:
    """$input / other$, broadcast together; integers divide to Float32."""
def tensor_dot(x1, x2, axes) -> Tensor:
    """Products summed over axes of both: the last and first `axes` (an int), or the given ones."""
def tensor_exp(input) -> Tensor:
    """$e^{x}$, element by element."""
def tensor_expm1(input) -> Tensor:
    """$e^x - 1$, element by element."""
def tensor_floordiv(input, other) -> Tensor:
    r"""$\lfloor input / other \rfloor$, broadcast together; derivatives are stopped."""
def tensor_ge(input, other) -> Tensor:
    r"""$input \geq other$, element by element: Bool, broadcast together."""
def tensor_gt(input, other) -> Tensor:
    """$input > other$, element by element: Bool, broadcast together."""
def tensor_le(input, other) -> Tensor:
    r"""$input \leq other$, element by element: Bool, broadcast together."""
def tensor_lt(input, other) -> Tensor:
    """$input < other$, element by element: Bool, broadcast together."""
def tensor_mod(x, y) -> Tensor:
    r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
def tensor_mul(input, other) -> Tensor:
    r"""$input \cdot other$, broadcast together."""
def tensor_muls(input, other) -> Tensor:
    r"""$input \cdot other$, broadcast together."""
tensor_operator_registry: Any
def tensor_pow(input, exponent) -> Tensor:
    """$input^{exponent}$, broadcast together."""
def tensor_range(start, end, step) -> Tensor:
    """As `arange(start, end, step)`, with at most `maxlen` elements."""
def tensor_scatter_add(input_x, indices, updates) -> Tensor:
    """Return `input_x` where `updates` are added to the slice that each row of `indices` selects."""
def tensor_scatter_div(input_x, indices, updates) -> Tensor:
    """Return `input_x` where `updates` divide the slice that each row of `indices` selects."""
def tensor_scatter_elements(input_x, indices, updates, axis=0, reduction='none') -> Tensor:
    r"""$x_{i, index_{ij}} \leftarrow u_{ij}$ for `axis` 1, analogous for others: the reverse of `gather_elements`. `reduction`: 'none' to replace, or 'add', 'sub', 'mul', 'div', 'max', 'min'."""
def tensor_scatter_max(input_x, indices, updates) -> Tensor:
    """Return `input_x` where `updates` replace, if larger, the slice that each row of `indices` selects."""
def tensor_scatter_min(input_x, indices, updates) -> Tensor:
    """Return `input_x` where `updates` replace, if smaller, the slice that each row of `indices` selects."""
def tensor_scatter_mul(input_x, indices, updates) -> Tensor:
    """Return `input_x` where `updates` multiply the slice that each row of `indices` selects."""
def tensor_scatter_sub(input_x, indices, updates) -> Tensor:
    """Return `input_x` where `updates` are taken off the slice that each row of `indices` selects."""
def tensor_scatter_update(input_x, indices, updates) -> Tensor:
    """Return `input_x` where `updates` replace the slice that each row of `indices` selects."""
def tensor_slice(input, begin, size) -> Tensor:
    """The block that starts at `begin` and has `size` (-1: up to the end), one int per dimension."""
def tensor_split(input, indices_or_sections, axis=0) -> builtins.tuple[Tensor, ...]:
    """Split along `axis` into a tuple: so many pieces (the first larger by one), or at indices."""
def tensor_sub(input, other) -> Tensor:
    """$input - other$, broadcast together; on Bool, "exclusive or"."""
def threshold(input, thr, value) -> Tensor:
    """`value` where $x$ is at most `thr`, else $x$."""
def tile(input, dims) -> Tensor:
    """Repeat `input` `dims[i]` times along dimension `i`; `dims` is aligned on the right."""
def top_k(input_x, k, sorted=True) -> builtins.tuple[Tensor, ...]:
    """The `k` largest (or smallest) elements along `dim` (the last by default), sorted, and their indices (Int32): a pair."""
def topk(input, k, dim=None, largest=True, sorted=True) -> builtins.tuple[Tensor, ...]:
    """The `k` largest (or smallest) elements along `dim` (the last by default), sorted, and their indices (Int32): a pair."""
def trace(input) -> Tensor:
    """The sum of a matrix's diagonal; the method takes an `offset` above the main one, and the planes of `axis1` and `axis2`."""
def transpose(input, dims) -> Tensor:
    """Permute the dimensions: dimension `i` of the result is `dims[i]` of `input`."""
def trapz(y, x=None, *, dx=1.0, dim=-1) -> Tensor:
    """The integral of `y` along `dim` by the trapezoidal rule, at points `x` or with spacing `dx`."""
def tril(input, diagonal=0) -> Tensor:
    """The lower triangle of the last two dimensions, zeros above `diagonal`."""
def tril_indices(row, col, offset=0, *, dtype=...) -> Tensor:
    """Rows and columns of the elements on and below the diagonal `offset`: `(2, n)`."""
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, reduction='mean') -> Tensor:
    r"""$\max(0, d(a, p) - d(a, n) + margin)$ with $d(x, y) = \|x - y + eps\|_p$ of the last axis."""
def triu(input, diagonal=0) -> Tensor:
    """The upper triangle of the last two dimensions, zeros below `diagonal`."""
def triu_indices(row, col, offset=0, *, dtype=...) -> Tensor:
    """Rows and columns of the elements on and above the diagonal `offset`: `(2, n)`."""
def true_divide(dividend, divisor) -> Tensor:
    """$input / other$, broadcast together; integers divide to Float32."""
def trunc(input) -> Tensor:
    """$x$ rounded toward zero, element by element."""
def truncate_div(x, y) -> Tensor:
    """$x / y$ rounded toward zero; broadcast together."""
def truncate_mod(x, y) -> Tensor:
    """The remainder of $x / y$ truncated toward zero; it has the sign of `x`; broadcast together."""
def tuple_div(x, y) -> builtins.tuple:
    """Divide the items of two tuples of ints. Raises ValueError if there is a remainder."""
def tuple_equal(x, y) -> builtins.bool:
    """True if two tuples have the same items."""
def tuple_getitem(x, index) -> Any:
    """The item at `index`."""
def tuple_len(x) -> builtins.int:
    """Return the number of items of a tuple."""
def tuple_reversed(x) -> builtins.tuple:
    """Return the items in reverse order."""
def tuple_setitem(x, index, value) -> builtins.tuple:
    """A tuple with `value` at `index`, else as `x`."""
def tuple_to_array(input_x) -> Tensor:
    """Convert a tuple of numbers to a tensor: Int32 for ints, Float32 for floats."""
def type_as(input, other) -> Tensor:
    """Cast `input` to the dtype of `other`."""
def typeof(x) -> Type:
    """Return the type of a value: for Tensors with dtype, for containers their kind."""
def unbind(input, dim=0) -> builtins.tuple[Tensor, ...]:
    """Return the slices along `axis`, which is removed, a tuple; `num`: their number, if given."""
def unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Windows as columns: `(N, C, H, W)` -> `(N, C kh kw, L)`, L being the number of windows."""
def uniform(shape, minval, maxval, seed=None, dtype=...) -> Tensor:
    """Draw uniformly from [minval, maxval) (numbers or Tensors), integers if `dtype` is Int32."""
def uniform_(input, from_=0, to=1, *, generator=None) -> Tensor:
    """Fill the tensor with numbers drawn uniformly from [from_, to)."""
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False) -> builtins.tuple[Tensor, ...]:
    """Draw `num_sampled` of `range_max` classes uniformly; also returns expected counts."""
def unique(input) -> builtins.tuple[Tensor, ...]:
    """The distinct elements in order of first appearance, and each element's index among them (Int64 for Int64 input, else Int32): a pair."""
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None) -> Any:
    """The elements (along `dim`, the slices) that differ from the previous one; then, if requested, the index among them of each element and their repetition counts, Int64."""
def unique_with_pad(x, pad_num) -> builtins.tuple[Tensor, ...]:
    """The distinct elements in order of first appearance, padded with `pad_num`, and each element's index among them: a pair, of the vector's size and dtype."""
def unsorted_segment_max(x, segment_ids, num_segments) -> Tensor:
    """The largest of the slices of `x` with equal `segment_ids`, for each segment."""
def unsorted_segment_min(x, segment_ids, num_segments) -> Tensor:
    """The smallest of the slices of `x` with equal `segment_ids`, for each segment."""
def unsorted_segment_prod(x, segment_ids, num_segments) -> Tensor:
    """The product of the slices of `x` with equal `segment_ids`, for each segment."""
def unsorted_segment_sum(input_x, segment_ids, num_segments) -> Tensor:
    """The sum of the slices of `input_x` with equal `segment_ids`, for each segment."""
def unsqueeze(input, dim) -> Tensor:
    """Insert a dimension of size 1 at `axis`."""
def unstack(input_x, axis=0) -> builtins.tuple[Tensor, ...]:
    """Return the slices along `axis`, which is removed, a tuple; `num`: their number, if given."""
def upsample(input, size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None) -> Tensor:
    """Alias of `interpolate`."""
def vander(x, N=None) -> Tensor:
    """Vandermonde matrix: `N` columns (by default the length of `x`), powers of `x` down to 0."""
def var(input, axis=None, ddof=0, keepdims=False) -> Tensor:
    r"""Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$ along `axis`: an int, a tuple of ints, or None for all."""
def var_mean(input, axis=None, ddof=0, keepdims=False) -> builtins.tuple[Tensor, ...]:
    """Return the variance and the mean; see `var`."""
def vecdot(x, y, *, axis=-1) -> Tensor:
    r"""$\sum_i \bar x_i y_i$ along `axis`, broadcast together; integers are summed in Int64."""
def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    r"""$(\sum_i |x_i|^p)^{1/p}$ with p = `ord` over `dim`: an int, several, or None for all."""
def view_as(input, other) -> Tensor:
    """Reshape `input` to the shape of `other`."""
def view_as_real(input) -> Tensor:
    """The real and imaginary parts side by side on a new last axis of size 2."""
vm_impl_registry: Any
def vsplit(input, indices_or_sections) -> builtins.tuple[Tensor, ...]:
    """`tensor_split` along axis 0."""
def vstack(inputs) -> Tensor:
    """The tensors put one after the other, as `numpy.vstack` does."""
def where(condition, input, other) -> Tensor:
    """`input` where `condition` is nonzero, else `other`, all broadcast together."""
def xdivy(x, y) -> Tensor:
    """$x / y$, and 0 where `x` is 0; broadcast together."""
def xlogy(input, other) -> Tensor:
    r"""$input \cdot \ln other$, and 0 where `input` is 0."""
def zero_(input) -> Tensor:
    """Set every element to zero."""
def zeros(size, dtype=None) -> Tensor:
    """Zeros of shape `size` (an int or a tuple of ints), Float32 unless a `dtype` is given."""
def zeros_like(input, *, dtype=None) -> Tensor:
    """Zeros of the shape of `input`, in its dtype unless another is given."""
def zeta(input, other) -> Tensor:
    r"""Hurwitz' $\sum_{n \ge 0} (n + other)^{-input}$; broadcast together."""
def zip_operation(*sequences) -> builtins.tuple:
    """Zip sequences up to the shortest: a tuple of tuples."""
