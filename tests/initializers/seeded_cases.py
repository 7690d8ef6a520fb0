"""Initial values after `set_seed(3)`: expressions, each a Tensor or a Cell with Parameters."""

CASES = [
    "initializer(Uniform(0.3), (5, 7))",
    "initializer(Uniform(), (3,), ms.float16)",
    "initializer(Normal(0.3, 1.5), (5, 7))",
    "initializer('normal', (3, 3), ms.float64)",
    "initializer(TruncatedNormal(1.5, 0.5, -1.0, 2.0), (5, 7))",
    "initializer('truncatednormal', (40000,))",
    "initializer('normal', (140001,))",
    "initializer(XavierUniform(2), (5, 7, 3))",
    "initializer(XavierNormal(), (5, 7, 3))",
    "initializer(HeUniform(0.2, 'fan_out'), (5, 7))",
    "initializer(HeNormal(nonlinearity='relu'), (5, 7))",
    "initializer(Sparse(0.3, 2.0), (5, 7))",
    "initializer(Orthogonal(2.0), (5, 7))",
    "initializer(Orthogonal(), (7, 2, 2))",
    "initializer(VarianceScaling(), (5, 7))",
    "initializer(VarianceScaling(2.0, 'fan_out', 'untruncated_normal'), (5, 7))",
    "initializer(VarianceScaling(3.0, 'fan_avg', 'uniform'), (5, 7))",
    "nn.SequentialCell(nn.Dense(3, 4), nn.Dense(4, 2, weight_init='normal'))",
    "nn.BiDense(2, 3, 4)",
    "nn.Conv1d(2, 3, 2)",
    "nn.Conv1dTranspose(2, 3, 2, has_bias=True)",
    "nn.Conv2d(2, 4, 3, has_bias=True, group=2)",
    "nn.Conv2dTranspose(2, 3, 2, has_bias=True)",
    "nn.Conv3d(2, 3, 2, has_bias=True)",
    "nn.Conv3dTranspose(2, 3, 2, has_bias=True)",
    "nn.Embedding(5, 3)",
    "nn.EmbeddingLookup(5, 3)",
    "nn.MultiFieldEmbeddingLookup(5, 3, 2)",
    "nn.RNNCell(3, 4)",
    "nn.LSTMCell(3, 4)",
    "nn.GRUCell(3, 4)",
    "nn.RNN(3, 4, 2, bidirectional=True)",
    "nn.LSTM(3, 4, 2)",
    "nn.GRU(3, 4)",
    "nn.SequentialCell(nn.GRUCell(3, 4), nn.Dense(4, 2))",  # with what is drawn and replaced
    "nn.MultiheadAttention(8, 2)",
    "nn.MultiheadAttention(8, 2, kdim=4, vdim=6)",
    "nn.TransformerEncoderLayer(8, 2, 16)",
    "nn.TransformerDecoderLayer(8, 2, 16)",
    "nn.Transformer(8, 2, 2, 1, 16)",
    "nn.SequentialCell(nn.BatchNorm2d(3), nn.LayerNorm((4,)), nn.PReLU(2), nn.GroupNorm(2, 4))",
    "mint.nn.Linear(3, 4)",
    "mint.nn.Conv2d(2, 3, 2)",
    "mint.nn.Embedding(5, 3)",
]


def values(result):
    """{name: (shape, mean, the first values)} of a Tensor or of a Cell's Parameters."""
    if hasattr(result, "parameters_and_names"):
        tensors = dict(result.parameters_and_names())
    else:
        tensors = {"": result.init_data() if getattr(result, "has_init", False) else result}
    arrays = {name: tensor.asnumpy().astype("float64") for name, tensor in tensors.items()}
    return {
        name: [list(x.shape), x.mean().item(), x.ravel()[:4].tolist()] for name, x in arrays.items()
    }
