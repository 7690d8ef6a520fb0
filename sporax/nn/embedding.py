"""Embedding layers."""

from sporax import ops
from sporax.core.dtype import float32
from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.nn import argument_checks as check
from sporax.nn.cell import Cell
from sporax.nn.parameter_init import parameter


class Embedding(Cell):
    """Rows of a table by index: `(*)` integers -> `(*, embedding_size)`.

    `embedding_table`, `(vocab_size, embedding_size)`, starts normal with deviation 0.01, row
    `padding_idx` (if given) at 0. A negative index counts from the end; one beyond the table raises
    (see `set_context`, 'check_indices'). `use_one_hot`: accepted; both ways give the same.

    >>> nn.Embedding(10, 3)(Tensor([[1, 2]])).shape
    (1, 2, 3)
    """

    def __init__(
        self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal",
        dtype=float32, padding_idx=None,
    ):  # fmt: skip
        super().__init__()
        check.positive_int("Embedding", vocab_size=vocab_size, embedding_size=embedding_size)
        check.flag("Embedding", use_one_hot=use_one_hot)
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.use_one_hot, self.dtype, self.padding_idx = use_one_hot, dtype, padding_idx
        shape = vocab_size, embedding_size
        table = parameter("Embedding", "embedding_table", embedding_table, shape, dtype)
        if padding_idx is not None:
            if not isinstance(padding_idx, int) or not 0 <= padding_idx < vocab_size:
                raise ValueError(
                    f"For 'Embedding', 'padding_idx' must be an int in [0, {vocab_size}), but got "
                    f"{padding_idx!r}."
                )
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
