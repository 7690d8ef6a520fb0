"""`ConvertNetUtils`: replace a network's layers by ones that record Kronecker factors."""

from sporax._src.core.value import Changes
from sporax.nn.cell import CELL
from sporax.nn.convolution import Conv2d
from sporax.nn.dense import Dense
from sporax.nn.embedding import Embedding, EmbeddingLookup
from sporax.nn.thor_layers import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor


def _dense(layer):
    new = DenseThor(layer.in_channels, layer.out_channels, "zeros", has_bias=layer.has_bias)
    new.activation, new.activation_flag = layer.activation, layer.activation_flag
    return new


def _conv2d(layer):
    return Conv2dThor(
        layer.in_channels, layer.out_channels, layer.kernel_size, layer.stride, layer.pad_mode,
        layer.padding, layer.dilation, layer.group, layer.has_bias, "zeros",
    )  # fmt: skip


def _embedding(layer):
    return EmbeddingThor(
        layer.vocab_size, layer.embedding_size, layer.use_one_hot, "zeros", layer.dtype
    )


def _lookup(layer):
    return EmbeddingLookupThor(
        layer.vocab_size, layer.embedding_size, "zeros", layer.target, sparse=layer.sparse,
        max_norm=layer.max_norm,
    )  # fmt: skip


# layer class -> (Parameter with preconditioned gradient, factory of the replacement layer)
_CONVERSIONS = {
    Dense: ("weight", _dense),
    Conv2d: ("weight", _conv2d),
    Embedding: ("embedding_table", _embedding),
    EmbeddingLookup: ("embedding_table", _lookup),
}


class ConvertNetUtils:
    """Converts a network for the optimizer `thor`, which calls it automatically.

    >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    >>> ms.train.ConvertNetUtils().convert_to_thor_net(net)
    >>> type(net[0]).__name__
    'DenseThor'
    """

    def convert_to_thor_net(self, net):
        """Replace each trainable Dense, Conv2d (NCHW), Embedding and EmbeddingLookup layer in `net`
        by a layer that records Kronecker factors, with the same Parameters.

        Subclasses of these layers, and `net` itself, are not replaced.
        """
        CELL("convert_to_thor_net", net=net)
        net.update_cell_prefix()
        converted = {}
        for _, cell in list(net.cells_and_names()):
            for name, layer in cell._cells.items():
                if _is_converted(layer) and id(layer) not in converted:
                    converted[id(layer)] = layer, _converted(layer)
                if id(layer) in converted:
                    cell._cells[name] = converted[id(layer)][1]
        Changes.count += 1
        net.update_cell_type("second-order")


def _is_converted(layer):
    parameter, _ = _CONVERSIONS.get(type(layer), (None, None))
    of_format = getattr(layer, "data_format", "NCHW") == "NCHW"
    return parameter is not None and of_format and getattr(layer, parameter).requires_grad


def _converted(layer):
    """Return the new layer with the old layer's Parameters, names, precision and mode."""
    new, prefix = _CONVERSIONS[type(layer)][1](layer), layer.param_prefix
    for p in new.get_parameters():
        p.name = f"{prefix}.{p.name}" if prefix else p.name
    for name, p in layer._params.items():
        setattr(new, name, p)
    new.add_flags(**layer.get_flags())
    new.__dict__["_param_prefix"] = prefix
    return new


__all__ = ["ConvertNetUtils"]
