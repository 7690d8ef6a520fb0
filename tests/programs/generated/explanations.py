"""Where sporax's outcome is not MindSpore's: the row of `docs/differences/` that says so, and
patterns of what it explains. One is searched for in all that is known of a difference:

    area: label
     ours: outcome
     MindSpore: outcome
"""

EXPLAINED = {
    "the class of an error": [
        r"ours: \['raises', '\w+', .*\n MindSpore: \['raises', '\w+', ",
    ],
    'when a wrong argument of a layer is refused (`nn.Softmax(axis="a")`, '
    "`Model(net, loss_fn=3)`)": [
        r"ours: \['(GeneratorDataset|Softmax|Model|AdaptiveAvgPool2d|CrossEntropyLoss|CosineEmbeddingLoss)'\]",
    ],
    "names that sporax has not yet (`docs/coverage.md`)": [
        r"ours: .*(sporax has no 'mindspore|'Tensor' object has no attribute 'index_add)",
    ],
    "arguments that have one meaning: Python scalars, lists and arrays for Tensors; arrays, "
    "NumPy scalars, ranges and UInt8 Tensors as indices; `dtype` as a string or NumPy's; an int for a float": [
        r"x\.fill_diagonal\(0\)",
        r"MindSpore: \['raises', 'TypeError', .*(Failed calling \w+ with|expect Tensor, but got"
        r"|must be a Tensor, CSRTensor|type of input argument\[\w+\] must be Tensor|should be a Tensor"
        r"|must be a Tensor|the 'dtype' should be one of|type of 'input_data' should be|must be float,"
        r"|takes 1 positional argument)",
        r"(?s)indexing: .*MindSpore: \['raises', '(Index|Type)Error', .*(Only support integers"
        r"|Unsupported Python|types only support|tensor index must be int or bool|can't be empty)",
        r"AssignAdd','value' must have the same rank",
        r"optimizers: nn\.Adam.*\(Tensor\(\[1\.0\]\)\)",
    ],
    "`add_`, `sub_`, `mul_`, `div_`, `exp_`, `floor_divide_`, `remainder_`": [
        r"methods: x\.(add|sub|mul|div|exp|floor_divide|remainder)_\(.*afterwards",
    ],
    "`copy_` and its like": [r"methods: x\.copy_\(.*afterwards"],
    "`any` of integers": [r"methods: x\.any\("],
    "`std`, `var`, `mnp.average` of integers": [r"(std|var|average)\(.*of u?int"],
    "an integer divided by zero (`//`, `div` with a `rounding_mode`)": [
        r"promotion: .*%.*\n ours: .*\n MindSpore: .*-(9223372036854775808|2147483648)",
    ],
    "powers of integers that no integer can represent (`0 ** -1`)": [
        r"promotion: .*\*\*=? .*\n ours: .*\n MindSpore: ",
    ],
    "`x % inf`, `inf // x`": [r"promotion: .*(% float\('inf'\)|float\('inf'\) //)"],
    "`inf + z` of a complex Tensor": [r"promotion: float\('inf'\) \+ complex64"],
    "`//` and `%` of complex Tensors": [
        r"promotion: (.*// .*complex64|complex64 //|ops\.(floor_div|remainder)\(\w+, complex64)",
    ],
    'an f-string\'s format (`f"{x:.2f}"`) of a Tensor with one element': [r"unsupported format string passed to Tensor"],
    "`x == a` with a NumPy array": [r"promotion: x == x\.asnumpy\(\)"],
    "`sum`, `max`, `softmax`, ... of a 0-d Tensor along axis 0 or -1": [
        r"of float32 \(\)\n.*\n MindSpore: \['raises'", r"derivatives: vmap of .*(softmax|cumsum)",
    ],
    "`x[False]`, a mask of a 0-d Tensor, a written or differentiated `x[::-1]`": [
        r"indexing: .*(x\[False\]|x\[\(slice\(None, None, -1\),\)\]|x\[x > 0\] of a number)",
        r"indexing: x\[x\[\.\.\., 0\] > 0\] of float32 \(2,\)",
    ],
    "a mask that is shorter than its axis": [r"indexing: x\[\(Tensor\(\[True, False\]\), Tensor\(\[0\]\)\)\]"],
    "the dtype of `nansum`, `norm` and `Tensor.trace` of integers, of `trapz` of Float64": [
        r"nansum\(.*of int32", r"norm\(.*of int32", r"x\.trace\(\) of int32",
        r"trapz\(x\) of float64",
    ],
    "`selu` of integers below 0": [r"(selu|SeLU)\(.*of int"],
    "`hardswish`, `hardsigmoid` of integers": [r"(hardswish|hardsigmoid|HSigmoid|HSwish)\(.*of int"],
    "`searchsorted` of Float16 and Float64": [r"searchsorted\(.*of float64"],
    "`addmv` of integers with a fraction as factor": [r"addmv\(.*of int32"],
    "`ops.full((2,), 2.5)` without a dtype": [r"functions: ops\.full\(\(2,\), True\)"],
    "`ops.RealDiv`, `ops.Inv` of integers, `ops.addcdiv` of Int64": [
        r"primitives: ops\.RealDiv.*of int32"
    ],
    "attributes of a Primitive (`ops.Softmax(1).axis`)": [r"primitives: ops\.(Softmax\(1\)\.axis|Conv2D\(4, 3\)\.kernel_size)"],
    "`mindspore.numpy`: NaN in `amax`, `amin`, `ptp`, `heaviside`; infinities in `sign` and `cbrt`; `exp2`, "
    "`logaddexp2`, `reciprocal`, `std`, `var` of integers": [r"numpys: mnp\.(exp2|reciprocal|cbrt)\("],
    "`mindspore.numpy.piecewise`, `correlate`": [r"numpys: mnp\.(piecewise|correlate)\("],
    "sizes of 0, 0-d Tensors and matrices where MindSpore requires others (`linspace(0, 1, 0)`, "
    "`diag` of a 0-d Tensor, `index_select` by a matrix)": [
        r"errors: ops\.(index_select|linspace|diag|unsorted_segment_sum|scatter_nd)\(",
        r"methods: x\.dot\(",
    ],
    "a data set twice in one pipeline (`data + data`)": [r"The data pipeline is not a tree"],
    "`Perplexity`": [r"metrics: .*nn\.Perplexity"],
    "wrong arguments that MindSpore takes (`nn.ConfusionMatrix(0)`, a sampler's negative weight)": [
        r"metrics: nn\.ConfusionMatrix\(0\)", r"datasets: ds\.(WeightedRandomSampler|zip)\(",
    ],
    "`jit(lambda ...)`": [r"Parse Lambda Function Fail"],
    "a captured `if` in an `if`, differentiated": [r"captured: grad of jit, a nested if"],
    "`y = x` and `y += 1` in a captured function": [r"captured: jit, an augmented assignment"],
    "the derivative through a cast from float to integer": [r"captured: grad of jit, a cast"],
    "`x[:, 1:] = x[:, :2]`, which overlap": [r"indexing: x\[:, 1:\] = x\[:, :2\]"],
    "`p[...]` of a Parameter": [r"indexing: a Parameter's x\[\.\.\.\]"],
    "`a + x` of a NumPy array and a Tensor, `np.add(x, 1)`": [
        r"promotion: (x\.asnumpy\(\) \+ x|np\.add\(x, 1\))",
    ],
    "`save_checkpoint` of a dict": [r"each_param"],
    "`grad` of a function that returns a float, of an object that is not a function, by an argument that holds no Tensor": [
        r"derivatives: ms\.grad\((3\)|lambda x: (x\)\(2\.0|x, weights=3|5\)|x\.asnumpy))",
    ],
    "`grad` by a tuple of Tensors": [r"derivatives: ms\.grad\(lambda a: a\[0\]"],
    "`grad` of a Primitive, weights from a generator, `jacrev` of `prod`": [
        r"derivatives: (ms\.grad\(ops\.(Sin|ReduceSum)|ms\.grad\(net, None, net\.get_parameters"
        r"|jacrev of ops\.cat)",
    ],
    "`tanh`": [r"derivatives: .*of ops\.tanh"],
    "the second derivative of `logsumexp`": [r"derivatives: grad of grad of ops\.logsumexp"],
    "`tanh` in `RNN`, `GRU`, `LSTM` and their cells": [r"layers: gradient.*nn\.RNNCell"],
    "`transforms.Unique` called with an array": [r"datasets: transforms\.Unique"],
    "`iter` of a Tensor without dimensions": [r"errors: iter\("],
    "`meshgrid` of matrices, `stack` of one Tensor": [r"errors: ops\.(meshgrid|stack)\(Tensor"],
    "the derivative of `SeLU` below 0": [r"layers: gradient.*nn\.SeLU"],
    "the derivative of `CTCLoss`": [r"losses: gradient of nn\.CTCLoss"],
    "a Tensor of strings": [r'tensors: Tensor\(np\.array\(\["a", "b"\]\)\)'],
    "`experimental.optim`: `mu_product` of `NAdam`, `mu` and `eta` of `ASGD`": [
        r"its state after two steps of ms\.experimental\.optim\.(ASGD|NAdam)",
    ],
    '`amp_level="O2"`, `DynamicLossScaleManager`, `TrainOneStepWithLossScaleCell`': [
        r"precision: three steps at O2",
    ],
    "`jit` of what is no function, of a generator, of a class that is no Cell": [
        r"errors: ms\.(jit|vmap)\(",
    ],
}  # fmt: skip
