"""Products with a layer's weights, and biases."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core.errors import describe
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import OPTIONAL, Array, composite, op
from sporax.ops.linalg.products import matmul_transposed
from sporax.ops.math.arithmetic import add
from sporax.ops.operand_checks import require_shapes


def same_dtype(name):
    """Return a check that rejects Tensors of different dtypes."""

    def check(*avals):
        if any(a.weak or a.dtype != avals[0].dtype for a in avals):
            given = [describe(aval) for aval in avals]
            raise rejection("operands-tensors-one-dtype", name, got=given)

    return check


@op(primitive="Dense()(input, weight, bias=None)",
    mint="nn.functional.linear(input, weight, bias=None)", check=same_dtype("Dense"))  # fmt: skip
def dense(input: Array, weight: Array, bias: OPTIONAL = None):
    r"""$x W^\top + b$: `input` `(*, in)`, `weight` `(out, in)`, `bias` `(out,)` -> `(*, out)`.

    With a `weight` `(in,)` and `bias` `()` the result is `(*,)`.

    >>> ops.dense(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]), Tensor([0.5])).asnumpy()
    array([[11.5]], dtype=float32)
    """
    if weight.ndim == 1:
        biases = {} if bias is None else {"bias": (bias, "")}
        require_shapes(input=(input, "* in"), weight=(weight, "in"), **biases)
        return input @ weight if bias is None else input @ weight + bias
    require_shapes(input=(input, "* in"), weight=(weight, "out in"))
    # as one matrix: its gradient is then one product too, several times faster
    y = input.reshape(-1, input.shape[-1]) @ weight.T
    y = y if bias is None else y + bias
    return y.reshape(*input.shape[:-1], weight.shape[0])


@op(
    function="bias_add(input_x: input, bias)",
    primitive="BiasAdd(data_format='NCHW')(input_x: input, bias)",
    check=same_dtype("BiasAdd"),
)
def bias_add(input: Array, bias: Array, data_format="NCHW"):
    """Add `bias` `(C,)` to each channel: axis 1 of `input`, the last for 'NHWC'.

    >>> ops.bias_add(Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])).asnumpy()
    array([[4., 6.]], dtype=float32)
    """
    last = data_format == "NHWC"
    require_shapes(input=(input, "N ... C" if last else "N C ..."), bias=(bias, "C"))
    return input + (bias if last else bias.reshape((-1,) + (1,) * (input.ndim - 2)))


def without_bias(declaration, attributes, structure):
    """Split into a product and the addition of its bias; None without a bias."""
    if structure[-1] is None:
        return None
    product = declaration.bind(tuple(attributes.values()), (*structure[:-1], None))
    order = "NHWC" if attributes.get("data_format") == "NHWC" else "NCHW"
    return product, bias_add.declaration.bind((order,))


def _product_and_sum(declaration, attributes, structure):
    product = matmul_transposed.declaration.bind((False, True))
    return (product,) if structure[-1] is None else (product, add.declaration.bind(()))


@op(function=(), name="Dense", check=same_dtype("Dense"), decompose=_product_and_sum)
def dense_layer(input: Array, weight: Array, bias: OPTIONAL = None):
    """`dense` as in `nn.Dense`: in mixed precision, a MatMul and an addition."""
    return dense.declaration.fn(input, weight, bias)


def _rows(input, weight, **_):
    return [Range(input, weight.shape[0], 0)]


@op(function=(), name="Embedding", bounds=_rows)
def embedding_lookup(input: Array, weight: Array, padding_idx=None, by_frequency=False):
    """Look up rows of `weight`; row `padding_idx` gets no gradient.

    `by_frequency`: gradients are divided by the number of look-ups of their row.
    """
    require(jnp.issubdtype(input.dtype, jnp.integer), "indices-integers-convert-them")
    if padding_idx is not None:
        kept = np.arange(weight.shape[0]) != padding_idx % weight.shape[0]
        weight = jnp.where(kept[:, None], weight, lax.stop_gradient(weight))
    rows = jnp.take(weight, input, 0, mode="fill")
    if by_frequency:
        count = jnp.zeros(weight.shape[0], weight.dtype).at[input].add(1)[input][..., None]
        rows = rows + (rows - lax.stop_gradient(rows)) * (1 / count - 1)
    return rows


@op(function=(), name="Embedding", bounds=_rows)
def embedding_renorm(input: Array, weight: Array, max_norm, norm_type=2.0):
    """Scale the rows of `weight` at `input` to a norm of at most `max_norm`.

    Its derivative is the identity: the weight is changed, and then used.
    """
    size = jnp.linalg.norm(weight, norm_type, 1)
    named = jnp.zeros(weight.shape[0], bool).at[input].set(True)
    scale = jnp.where(named & (size > max_norm), max_norm / (size + 1e-7), 1)
    shorter = (weight * scale[:, None]).astype(weight.dtype)
    return lax.stop_gradient(shorter) + (weight - lax.stop_gradient(weight))


@composite(mint="nn.functional.embedding")
def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
):
    """Look up rows of `weight` `(rows, size)` by the indices in `input`: `(*)` -> `(*, size)`.

    `padding_idx`: a row that gets no gradient. `max_norm`: rows that are looked up are first scaled
    down to that `norm_type`-norm, in `weight` itself. `scale_grad_by_freq`: gradients of a row are
    divided by the number of its look-ups. Negative indices count from the end; an index out of
    range raises (see `set_context`, 'check_indices').

    >>> ops.embedding(Tensor([1]), Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
    array([[3., 4.]], dtype=float32)
    """
    if max_norm is not None:
        weight._rebind(embedding_renorm(input, weight, max_norm, norm_type)._value)
    return embedding_lookup(input, weight, padding_idx, scale_grad_by_freq)


@op(name="bidense", check=same_dtype("bidense"))
def bidense(input1: Array, input2: Array, weight: Array, bias: OPTIONAL = None):
    r"""$x_1^\top A_o x_2 + b_o$ for each o: `input1` `(*, in1)`, `input2` `(*, in2)`, `weight` A
    `(out, in1, in2)`, `bias` `(out,)` -> `(*, out)`.

    >>> a, b = Tensor([[1.0, 2.0]]), Tensor([[3.0]])
    >>> ops.bidense(a, b, ops.ones((1, 2, 1))).asnumpy()
    array([[9.]], dtype=float32)
    """
    require_shapes(
        input1=(input1, "* in1"), input2=(input2, "* in2"), weight=(weight, "out in1 in2")
    )
    y = jnp.einsum("...i,oij,...j->...o", input1, weight, input2)
    return y if bias is None else y + bias
