"""The calls whose results differ from MindSpore's, and why: checked call by call in
`test_parity.py`.

Each was inspected: NumPy in float64 agrees with sporax.
"""

_UNDER_0 = "not defined for negative numbers: NaN, where MindSpore gives an infinity"
_BESSEL = ("k0", "k0e", "k1", "k1e", "y0", "y1")

# a row, or a row and what is called in it -> why
DIFFERENT = {
    **{f"bessel_{name}-(2,)-{{}}": _UNDER_0 for name in _BESSEL},
    "xlogy-(2,),(2,)-{}": "0 log 0 is 0, as in SciPy and PyTorch; MindSpore gives NaN",
    "binary_cross_entropy-(2,3),(2,3),(3,)-{}": "the weight is broadcast, as documented; "
    "MindSpore takes what lies behind it in memory",
    "full--{'size':(2,),'fill_value':2.5}": "without a dtype that of the value; MindSpore makes it "
    "Int64, and 2 of 2.5",
    "log_softmax-(2,3)-{}": "MindSpore is 3e-6 off",
    "div-(2,2),(2,)-{} ops.RealDiv": "a division 'in floating-point type', as documented; "
    "MindSpore's is of integers",
    **{f"{name}-(3,3)-{{}}": "eigenvalues have no order" for name in ("eig", "eigvals")},
    **{
        f"logspace-(),()-{{{attrs},'dtype':mindspore.float64}}": "MindSpore computes in 16 bits"
        for attrs in ("'steps':4", "'steps':3,'base':2")
    },
    "cholesky_inverse-(2,3,3)-{}": "each matrix of a batch; MindSpore's kernel knows one matrix",
}


def _entries(table):
    """(rows, calls, why), as patterns, of a table of `why: rows[ | calls]`."""
    for why, written in table.items():
        rows, _, calls = written.partition(" | ")
        yield from ((row, calls or "*", why) for row in rows.split())


# Of `test_parity_edges.py`: why -> the rows (as patterns), and the calls where it is not all.
# The reference agrees with sporax in these, or is in the next table too.
AT_EDGES = list(_entries({
    "mindspore.numpy is NumPy's": "* | mnp.*",
    "NaN stays NaN; MindSpore loses it": "relu_of_class/odd relu6/odd softplus/odd hardtanh/odd "
    "rgb_to_hsv/nan0 "
    "hardshrink/odd softshrink/odd softmax*/nan0 log_softmax*/nan0 maximum/odd minimum/odd "
    "tensor_scatter_max*/nan2 tensor_scatter_min*/nan2 unsorted_segment_m*/nan0 kl_div*/nan? "
    "threshold/odd ops.threshold* ops.kl_div* mint.cdist* "
    "clamp_*/odd clamp_*/nan* mint.clamp* ops.clamp* linspace/nan0 l2_normalize/nan0 "
    "sparse_softmax_cross_entropy_with_logits/nan0 nll_loss/nan0 "
    "gaussian_nll_loss/nan2 cond*/nan0 inverse/nan0 cummax*/nan0 cummin*/nan0 relu6/nan0 "
    "max_pool/nan0 igamma/odd grid_sample/nan1 grid_sample/inf1",
    "what is written over is gone, NaN too": "diagonal_scatter/nan0 diagonal_scatter/inf0",
    "kept axes are kept, as in PyTorch": "argmax*/keepdim",
    "NaN comes last, as in NumPy and PyTorch": "topk*/nan0 sort*/nan0 argsort*/nan0 argm*/nan0 "
    "argmax_with_value*/nan0 argmin_with_value*/nan0 am??*/nan0",
    "the limit, or NaN where there is none, as the formula has it": "mish/odd logsigmoid/odd "
    "hardswish/odd fast_gelu/odd gelu/odd sinc/odd softmax*/inf0 log_softmax*/inf0 polar/inf* "
    "det/inf0 "
    "inverse/inf0 cond*/inf0 nll_loss/inf0 sparse_softmax_cross_entropy_with_logits/inf0 "
    "xlogy/odd xlogy/0-d logaddexp/odd logaddexp2/odd deg2rad/odd rad2deg/odd "
    "fft_with_size*/nan0 fft_with_size*/inf0 logsumexp*/inf0 linspace*/inf0 group_norm*/inf1 "
    "igammac/odd hypot/odd conv2d*/inf* softmax*/inf0 "
    "binary_cross_entropy_with_logits/inf0",
    "a zero has a sign, and what is infinite or NaN follows IEEE 754, as in PyTorch": "div/odd "
    "floor_divide/odd remainder/odd fmod/odd atan2/odd power/odd integer_pow*/odd reciprocal/odd",
    "not defined for negative numbers, or at 0": "bessel_*/odd bessel_*/0-d bessel_*/float16 "
    "bessel_*/bfloat16 bessel_*/whole-*",
    "integers are truncated after the computation, not its constants": "selu/*int*",
    "an activation of integers is refused; MindSpore rounds it": "hardswish/*int* "
    "hardsigmoid/*int* nll_loss/*int*",
    "a maximum with 0 is a number": "relu_of_class/bool",
    "a remainder is a number": "remainder/bool* remainder/True,bool fmod/bool* fmod/True,bool",
    "MindSpore's remainder by zero is not the same for all sizes and dtypes; NumPy's is 0":
    "remainder/whole-* remainder/*,0 fmod/whole-* fmod/*,0",
    "a division 'in floating-point type', as documented": "div*/* | ops.RealDiv*",
    "integers are divided as floats": "addcdiv*/int64",
    "1 / 4 is 0.25": "reciprocal*/* | ops.Inv*",
    "no fraction: False": "frac/bool",
    "MindSpore is 3e-6 off, or less exact than its dtype": "log_softmax*/* cond/float64 "
    "binary_cross_entropy/float16 binary_cross_entropy/turned binary_cross_entropy/sliced "
    "binary_cross_entropy/0-d",
    "a Python number takes the Tensor's dtype, as elsewhere and in PyTorch": "xlogy/*float16*",
    "a number has no other axes than 0 and -1": "*/0-d*",
    "MindSpore gives what is in memory for no elements": "am??*/empty* mean*/empty* "
    "max_pool/empty* pdist*/empty* sum*/empty* prod*/empty* reduce_*/empty* any/empty* "
    "argm??_with_value*/empty* *loss*/empty* var*/empty* std*/empty* "
    "norm*/empty* "
    "count_nonzero*/empty* logsumexp*/empty* lp_norm*/empty* square_sum_all/empty*",
    "what is no number has no integer: MindSpore has the least one": "cast/nan0 cast/inf0",
    "the mean of integers is not rounded on the way": "var*/*int* std*/*int* std*/axis=* "
    "var*/axis=*",
    "the middle of Float16 coordinates is computed in Float32": "bounding_box_decode/float16",
    "integers are summed in Int64, or stay": "trace/*int*",
    "integers are computed with in Float32, Int64 in Float64": "*loss*/*int* l1_loss/bool "
    "fft_with_size/int64",
    "as many parts as were asked for": "chunk/empty* tensor_split*/empty*",
    "a product with NaN or infinity in it, in another order": "conv2d*/nan0 bidense/inf*",
    "the cosine, which is from -1 to 1": "cosine_similarity*/dim=*",
    "two to the power of 16 bits has 16 bits": "exp2/bfloat16",
    "the moments have the input's dtype": "layer_norm_of_class/float*",
    "by the norm that is asked for, as documented": "ops.clip_by_norm*",
    "MindSpore computes in 16 bits": "logspace*/*",
    "MindSpore overflows in 16 bits": "rgb_to_hsv/float16",
    "what is padded is not empty": "space_to_batch_nd/empty*",
    "no truth exceeds True": "compare_and_bitpack/bool",
    "the transform of what is no number, in another order": "stft_of_class/nan* stft_of_class/inf*",
    "offsets that are no numbers have no place": "deformable_offsets/nan1",
    "offsets are for each example": "deformable_offsets*/empty-first",
    "an index outside has no place": "tensor_scatter_elements*/axis=*",
}))  # fmt: skip

# what the reference is not for
NOT_REFERENCES = list(_entries({
    "the limit, where PyTorch has NaN": "gelu/odd hardswish/odd sinc/odd group_norm*/inf1 "
    "linspace*/inf0",
    "what is no number, in another order": "stft_of_class/nan* stft_of_class/inf* logspace/inf0",
    "Python's least of NaN and 1 is 1": "adjust_saturation/nan1",
    "integers are refused, as documented": "digamma/*int* digamma/bool",
    "no class, no number": "cast/* nll_loss/inf0 inverse/nan0 det/inf0 cond*/* topk*/nan0",
    "1 / 4 is 0.25": "reciprocal*/* exp2/whole-int8",
    "the sign of a truth is no number": "sign/bool",
    "0-d weights count as one": "prelu*/0-d",
    "the sample's reference makes another shape of nothing": "bounding_box_*/empty0",
    "lists of Python's": "nms_with_mask/inf0 nonzero_sized/*",
    "unsigned integers overflow": "margin_ranking_loss/uint8 hypot/* numpy_unwrap/uint8 numpy_*/*",
    "negative powers of integers are whole": "integer_pow*/*",
    "0-d counts as 1": "dot/0-d floor_divide/* kl_div*/0-d",
    "a product with NaN or infinity in it, in another order": "conv2d*/* mean*/empty*",
}))  # fmt: skip

# results without NaN where the reference has it
WITHOUT_NAN = list(_entries({
    "NaN is what it takes out": "nan_to_num/odd mul_no_nan/odd",
    "the sign of NaN is 0, as in PyTorch": "sign/odd",
    "infinite, or the limit there": "gelu/odd sinc/odd lerp/odd addcmul*/odd addcdiv*/odd",
    "a logit of another class than the label's, which the reference multiplies by 0":
    "nll_loss_of_class/nan0",
}))  # fmt: skip
