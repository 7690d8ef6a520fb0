"""Embedding layers."""

import numpy as np

from sporax import ops
from sporax._src.core.dtype import float32, int32, int64
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.layer_inputs import check_inputs
from sporax.nn.parameter_init import parameter
from sporax.ops.indexing.gather import embedding_lookup_of_class
from sporax.ops.math.ternary import div_no_nan


class Embedding(Cell):
    """Table look-up by index: `(*)` integers -> `(*, embedding_size)`.

    `embedding_table`, `(vocab_size, embedding_size)`, is initialized normal with standard deviation
    0.01, row `padding_idx` (if given) with 0. Negative indices count from the end; an index out of
    range raises (see `set_context`, 'check_indices'). `use_one_hot`: accepted, same result.

    >>> nn.Embedding(10, 3)(Tensor([[1, 2]])).shape
    (1, 2, 3)
    """

    def __init__(
        self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal",
        dtype=float32, padding_idx=None,
    ):  # fmt: skip
        super().__init__()
        kinds.POSITIVE_INT("Embedding", vocab_size=vocab_size, embedding_size=embedding_size)
        kinds.BOOL("Embedding", use_one_hot=use_one_hot)
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.use_one_hot, self.dtype, self.padding_idx = use_one_hot, dtype, padding_idx
        shape = vocab_size, embedding_size
        table = parameter("Embedding", "embedding_table", embedding_table, shape, dtype)
        if padding_idx is not None:
            is_row = isinstance(padding_idx, int) and 0 <= padding_idx < vocab_size
            fields = {"padding_idx": padding_idx, "interval": f"[0, {vocab_size})"}
            require(is_row, "int-in-interval", "Embedding", **fields)
            rows = table.asnumpy()
            rows[padding_idx] = 0
            table = Parameter(Tensor(rows))
        table.name = "embedding_table"
        self.embedding_table = table

    def construct(self, ids):
        return ops.embedding(ids, self.embedding_table)

    def extend_repr(self):
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
            f"dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


_TARGETS = ("CPU", "DEVICE")
_SLICE_MODES = ("batch_slice", "field_slice", "table_row_slice", "table_column_slice")
_OPERATORS = ("SUM", "MAX", "MEAN")


class EmbeddingLookup(Cell):
    """Table look-up by index, `(*)` -> `(*, embedding_size)`; zeros if out of range.

    `embedding_table`, `(vocab_size, embedding_size)`, is initialized normal with standard deviation
    0.01. `max_norm`: clip rows to this norm. `target` ('CPU' or 'DEVICE'), `slice_mode`,
    `manual_shapes` and `sparse` (required by 'CPU') are accepted without effect: memory is unified
    and gradients are dense.

    >>> nn.EmbeddingLookup(10, 3)(Tensor([[1, 2]])).shape
    (1, 2, 3)
    """

    BATCH_SLICE, FIELD_SLICE, TABLE_ROW_SLICE, TABLE_COLUMN_SLICE = _SLICE_MODES

    def __init__(
        self, vocab_size, embedding_size, param_init="normal", target="CPU",
        slice_mode="batch_slice", manual_shapes=None, max_norm=None, sparse=True, dtype=float32,
    ):  # fmt: skip
        super().__init__()
        layer = type(self).__name__
        kinds.POSITIVE_INT(layer, vocab_size=vocab_size, embedding_size=embedding_size)
        kinds.BOOL(layer, sparse=sparse)
        kinds.one_of(*_TARGETS)(layer, target=target)
        kinds.one_of(*_SLICE_MODES)(layer, slice_mode=slice_mode)
        require(sparse or target != "CPU", "true-target-cpu", layer, argument="sparse")
        kinds.optional(kinds.POSITIVE_FLOAT)(layer, max_norm=max_norm)
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.target, self.sparse, self.max_norm = target, sparse, max_norm
        shape = vocab_size, embedding_size
        table = parameter(layer, "param_init", param_init, shape, dtype, "embedding_table")
        self.embedding_table = table

    def construct(self, indices):
        rows = self._rows(indices)
        if self.max_norm is None:
            return rows
        length = ops.norm(rows, dim=-1, keepdim=True)
        return rows * self.max_norm / ops.maximum(length, self.max_norm)

    def _rows(self, indices):
        return embedding_lookup_of_class(self.embedding_table, indices)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Combine the table rows of each field of an example: three `(B, n)` inputs -> `(B,
    field_size, embedding_size)`.

    Called with `input_indices`, `input_values` (Float32), which multiply the rows (0 for padding),
    and `field_ids` (Int32), the field of each index. `operator`: 'SUM', 'MAX', or 'MEAN', the sum
    divided by the sum of the field's absolute values; zeros for a field without values. Other
    arguments: see `EmbeddingLookup`.

    >>> lookup = nn.MultiFieldEmbeddingLookup(10, 3, field_size=2)
    >>> ids, fields = Tensor([[1, 2, 4]]), Tensor([[0, 1, 1]], ms.int32)
    >>> lookup(ids, ops.ones((1, 3)), fields).shape
    (1, 2, 3)
    """

    OPERATOR_SUM, OPERATOR_MAX, OPERATOR_MEAN = _OPERATORS

    def __init__(
        self, vocab_size, embedding_size, field_size, param_init="normal", target="CPU",
        slice_mode="batch_slice", feature_num_list=None, max_norm=None, sparse=True,
        operator="SUM", dtype=float32,
    ):  # fmt: skip
        super().__init__(
            vocab_size, embedding_size, param_init, target, slice_mode, feature_num_list, max_norm,
            sparse, dtype,
        )  # fmt: skip
        kinds.POSITIVE_INT("MultiFieldEmbeddingLookup", field_size=field_size)
        kinds.one_of(*_OPERATORS)("MultiFieldEmbeddingLookup", operator=operator)
        self.field_size, self.operator = field_size, operator

    def construct(self, input_indices, input_values, field_ids):
        _check_fields(input_indices, input_values, field_ids)
        batch, fields, count = len(field_ids), self.field_size, len(field_ids) * self.field_size
        # fields of different examples are separate segments
        segments = field_ids + fields * ops.arange(batch, dtype=field_ids.dtype).expand_dims(1)
        rows = super().construct(input_indices) * input_values.expand_dims(-1)
        values = ops.unsorted_segment_sum(input_values.abs(), segments, count).expand_dims(-1)
        if self.operator == "MAX":
            rows = ops.masked_fill(rows, (input_values == 0).expand_dims(-1), -np.inf)
            combined = ops.unsorted_segment_max(rows.flatten(0, 1), segments.flatten(), count)
            combined = ops.masked_fill(combined, values == 0, 0.0)
        else:
            combined = ops.unsorted_segment_sum(rows, segments, count)
            combined = div_no_nan(combined, values) if self.operator == "MEAN" else combined
        return combined.reshape(batch, fields, -1)


def _check_fields(input_indices, input_values, field_ids):
    """Check types, dtypes and shapes of the inputs of `MultiFieldEmbeddingLookup`."""
    who = "MultiFieldEmbeddingLookup"
    arguments = {
        "input_indices": (input_indices, (int32, int64)),
        "input_values": (input_values, (float32,)),
        "field_ids": (field_ids, (int32,)),
    }
    for name, (x, dtypes) in arguments.items():
        check_inputs(who, x)
        fits = x.dtype in dtypes
        require(fits, "dtype-one-of", who, argument=name, got=x.dtype, dtypes=dtypes)
        fits = x.ndim == 2 and x.shape == input_indices.shape
        require(fits, "b-n-same-all", who, argument=name, shape=x.shape)
