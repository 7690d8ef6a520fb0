"""Primitives that are made of operations: against MindSpore 2.10's recorded results, or, of what it
runs on an Ascend alone, against NumPy."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, grad, jit, ops
from sporax._src.core.tree import tensors_of
from tests import records
from tests.ops import result_json
from tests.ops.primitive_calls import ARRAYS, CALLS
from tests.samples.attention import attention
from tests.samples.inference_attention import attended

pytestmark = pytest.mark.usefixtures("on_numpy")

RECORDED = records.read("primitive_calls")
NAMES = {
    "ms": ms, "ops": ops, "P": ops, "F": ops, "np": np,
    "T": lambda values, dtype="i4": Tensor(np.array(values, dtype)),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call_gives_what_mindspore_gives(call):
    found = eval(call, NAMES | {n: Tensor(a) for n, a in ARRAYS.items()})
    # MindSpore takes the weights of cubic resizing from a table of 1,024 places
    near = 1e-3 if "Bicubic" in call else 1e-5
    result_json.assert_recorded(found, RECORDED[call], near, near)


RNG = np.random.default_rng(0)


def numbers(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


X, M = numbers(3, 4), np.array([[1.0, np.nan, 3.0], [2.0, 0.5, 1.0]], np.float32)
BOXES = np.float32([[1, 2, 3, 4], [1, 3, 3, 4], [1, 3, 4, 4], [1, 1, 4, 4], [1, 1, 3, 4]])
SCORES = np.float32([0.4, 0.5, 0.72, 0.9, 0.45])
A, B, C = numbers(2, 3, 2, 4), numbers(2, 3, 4, 5), numbers(1, 2)
CUBIC = np.float32([[[[1, 2], [3, 4]]]])

# a call, and what it gives by the documentation's formula in NumPy
BY_FORMULA = {
    "ops.CumSum(True)(T([1, 2 ** 26, 2 ** 27], 'f4'), 0)": [0, 1, 2**26],
    "ops.CumSum(True, True)(T(X, 'f4'), -1)": np.cumsum(X[:, ::-1], 1)[:, ::-1] - X,
    "ops.SparseGatherV2()(T(X, 'f4'), T([1, 2], 'i4'), 1)": X[:, [1, 2]],
    "ops.SplitV([1, -1], 1, 2)(T(X, 'f4'))": (X[:, :1], X[:, 1:]),
    "ops.SplitV((1, 2), 0, 2)(T(X, 'f4'))": (X[:1], X[1:]),
    "ops.Quantile()(T(X, 'f4'), T([0, 0.25, 1], 'f4'))": np.quantile(X, [0, 0.25, 1]),
    "ops.Quantile(1, True)(T(X, 'f4'), 0.3)": np.quantile(X, 0.3, 1, keepdims=True),
    "ops.Quantile(0, False, True)(T(M, 'f4'), 0.3)": np.nanquantile(M, 0.3, 0),
    "ops.SearchSorted(ms.int32)(T([5, 2, 1], 'f4'), T([2, 6], 'f4'), T([2, 1, 0], 'i8'))": [1, 3],
    "ops.ScatterNonAliasingAdd()(Parameter(T(X, 'f4')), T([[2], [0]], 'i4'), T(X[:2], 'f4'))":
        X + X[[1]] * [[0], [0], [0]] + np.stack([X[1], 0 * X[0], X[0]]),
    "ops.put_(T(X, 'f4'), T([0, 5], 'i8'), T([8, 9], 'f4'))":
        np.where(np.arange(12) == 0, 8, np.where(np.arange(12) == 5, 9, X.ravel())).reshape(3, 4),
    "ops.put_(T([[1, 2]], 'f4'), T([1, 1], 'i8'), T([8, 9], 'f4'), True)": [[1, 19]],
    "ops.NonMaxSuppressionV3()(T(BOXES, 'f4'), T(SCORES, 'f4'), 5, 0.5, 0.0)": [3, 2, 0],
    "ops.NonMaxSuppressionV3()(T(BOXES, 'f4'), T(SCORES, 'f4'), T(2), T(0.5, 'f4'), 0)": [3, 2],
    "ops.ResizeBicubic()(T(CUBIC, 'f4'), T([1, 4], 'i4'))": [[[[1, 1.5, 2, 2.09375]]]],
    "ops.MaxPoolWithArgmaxV2((2, 1))(T(X[None, None, :2], 'f4'))":
        (X[:2].max(0)[None, None, None], (X[:2].argmax(0) * 4 + range(4))[None, None, None]),
    "ops.moe_token_permute(T([[1], [7], [2]], 'f4'), T([2, 0, 1], 'i4'))":
        ([[7], [2], [1]], [2, 0, 1]),
    "ops.moe_init_routing_v2(T([[1], [2], [3]], 'f2'), T([[0, 1, 1], [2, 1, 1], [0, 0, 0]], 'i4'), "
    "3, 2, 3, 1, 0, False)":
        ([[[1], [3]], [[1], [1]], [[2], [0]]], [0, 2, 3, 4, -1, -1, 1, -1, -1]),
    "ops.mse_loss_ext(T(X, 'f4'), T(X[::-1], 'f4'), 'none')": (X - X[::-1]) ** 2,
    "ops.einsum_ext('ij->j', T(X, 'f4'))": X.sum(0),
    "ops.baddbmm_ext(T(X[:, :2], 'f4'), T(A[0], 'f4')[:, :, :3], T(B[0], 'f4')[:, :3, :2], alpha=2)"
        .replace("T(X[:, :2], 'f4')", "T(X[:2, :2], 'f4')"):
        X[:2, :2] + 2 * A[0][:, :, :3] @ B[0][:, :3, :2],
    "ops.adaptive_avg_pool2d_ext(T(X[None], 'f4'), (3, 2))": X.reshape(1, 3, 2, 2).mean(-1),
    "ops.MoveTo()(T(X, 'f4'), 'CPU')": X, "ops.move_to([1, 2])": [1, 2],
    "ops.PyExecute()('a + b', ('a', 'b'), (T(X, 'f4'), 1))": X + 1,
    "ops.rms_norm(T([[1, 2, 3]], 'f4'), T([1, 1, 1], 'f4'))":
        ([[0.46290997, 0.92581993, 1.3887299]], [[0.46290997]]),
    "ops.RmsNorm(0.5)(T([[1, 2, 2]], 'f4'), T([1, 1, 2], 'f4'))":
        (np.array([[1, 2, 4]]) / np.sqrt(3.5), [[1 / np.sqrt(3.5)]]),
    "ops.add_layer_norm(T([[1, 2, 3]], 'f4'), T([[1, 2, 3]], 'f4'), T([1, 1, 1], 'f4'), "
    "T([0, 0, 0], 'f4'), 1e-7)":
        ([[-1.2247448, 0, 1.2247448]], [[4]], [[0.6123724]], [[2, 4, 6]]),
    "ops.swiglu(T([[-0.12, 0.123, 31.122], [2.1223, 4.1212121217, 0.3123]], 'f4'), 0)":
        [[-0.11970687, 0.2690224, 9.7194]],
    "ops.ormqr(T([[-114.6, 10.9, 1.1], [-0.304, 38.07, 69.38], [-0.45, -0.17, 62]], 'f4'), "
    "T([1.55, 1.94, 3.0], 'f4'), T([[-114.6, 10.9, 1.1], [-0.304, 38.07, 69.38], "
    "[-0.45, -0.17, 62]], 'f4'))":
        [[63.82713, -13.823125, -116.28614], [-53.659264, -28.157839, -70.42702],
         [-79.54292, 24.00183, -41.34253]],
}  # fmt: skip


@pytest.mark.parametrize("call", BY_FORMULA)
def test_a_call_gives_what_its_formula_says(call):
    names = {n: globals()[n] for n in ("X", "M", "A", "B", "BOXES", "SCORES", "CUBIC", "Parameter")}
    outs, expected = tensors_of(eval(call, NAMES | names)), BY_FORMULA[call]
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(outs) == len(expected)
    for out, wanted in zip(outs, expected, strict=True):
        assert out.shape == np.shape(wanted)
        np.testing.assert_allclose(out.asnumpy(), wanted, 1e-4, 1e-5)


# attention ------------------------------------------------------------------------------------

Q, K, V = numbers(2, 4, 3, 8), numbers(2, 2, 5, 8), numbers(2, 2, 5, 8)
WIDE = [np.repeat(x, 2, 1).astype(np.float64) for x in (K, V)]
MASK = RNG.random((2, 1, 3, 5)) < 0.3
TO = {
    "BNSD": lambda x: x, "BSND": lambda x: x.transpose(0, 2, 1, 3),
    "BSH": lambda x: x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1),
    "SBH": lambda x: x.transpose(2, 0, 1, 3).reshape(x.shape[2], x.shape[0], -1),
}  # fmt: skip


def near(out, expected):
    np.testing.assert_allclose(out.asnumpy(), expected, 1e-4, 1e-5)


def sums(q, k, bias, hidden, scale):
    scores = np.einsum("bnsd,bntd->bnst", q, k) * scale + bias
    scores = np.where(np.zeros(scores.shape, bool) if hidden is None else hidden, -np.inf, scores)
    largest = scores.max(-1)
    return largest, np.exp(scores - largest[..., None]).sum(-1)


@pytest.mark.parametrize("layout", TO)
@pytest.mark.parametrize("pse_type", [0, 1, 2, 3])
def test_speed_fusion_attention(layout, pse_type):
    i, j = np.indices((3, 5))
    slopes, pse = np.float32([0.5, 0.25, 0.1, 0.7]), numbers(1, 4, 3, 5)
    away = -slopes[:, None, None] * np.abs(j - i - 1) ** (0.5 if pse_type == 3 else 1)
    bias = away[None] if pse_type > 1 else pse * (0.3 if pse_type == 1 else 1)
    out, largest, total, *_ = ops.speed_fusion_attention(
        *(Tensor(TO[layout](x)) for x in (Q, K, V)), 4, layout, scale=0.3, pse_type=pse_type,
        pse=Tensor(slopes if pse_type > 1 else pse), atten_mask=Tensor(MASK), q_start_idx=(1,),
        kv_start_idx=(0,),
    )  # fmt: skip
    near(out, TO[layout](attention(Q, *WIDE, bias, MASK, scale=0.3)))
    for found, expected in zip((largest, total), sums(Q, WIDE[0], bias, MASK, 0.3), strict=True):
        near(found, np.repeat(expected[..., None], 8, -1))


@pytest.mark.parametrize("mode", [0, 2, 3, 4, 5])
def test_packed_sequences_are_attended_one_by_one(mode):
    q, k, v = numbers(7, 2, 4), numbers(9, 2, 4), numbers(9, 2, 4)
    ends = ((0, 3, 7), (0, 4, 9))
    prefix = {"prefix": [2, 1]} if mode == 5 else {}
    out, _, total, *_ = ops.speed_fusion_attention(
        Tensor(q), Tensor(k), Tensor(v), 2, "TND", sparse_mode=mode, pre_tokens=1, next_tokens=0,
        actual_seq_qlen=ends[0][1:], actual_seq_kvlen=ends[1][1:],
        atten_mask=Tensor(np.ones((2048, 2048), bool)) if mode else None, **prefix,
    )  # fmt: skip
    for n in range(2):
        of_q, of_k = (slice(*e[n : n + 2]) for e in ends)
        parts = [x[s].transpose(1, 0, 2)[None] for x, s in ((q, of_q), (k, of_k), (v, of_k))]
        i, j = np.indices((parts[0].shape[2], parts[1].shape[2]))
        more = i.shape[1] - i.shape[0]
        hidden = {
            0: j < 0, 2: j > i, 3: j > i + more, 4: (j < i + more - 1) | (j > i + more),
            5: (j > i + more) & (j >= 2 - n),
        }[mode]  # fmt: skip
        near(out[of_q], attention(*parts, 0, hidden)[0].transpose(1, 0, 2))
        near(total[of_q, :, 0], sums(*parts[:2], 0, hidden, 1.0)[1][0].T)


def test_dropout_of_speed_fusion_attention_keeps_its_share():
    ms.set_seed(1)
    x = ops.ones((1, 64, 64))
    out, *_, seed, offset, count = ops.speed_fusion_attention(x, x, x, 4, "BSH", keep_prob=0.75)
    assert abs(float(out.mean()) - 1) < 0.05 and int(count) == 4 * 64 * 64
    assert (int(seed), int(offset)) != (0, 0)


LENGTHS, KEYS = np.array([2, 3]), np.array([4, 3])


@pytest.mark.parametrize("mode", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("layout", ["BSH", "BNSD"])
def test_prompt_flash_attention(layout, mode):
    mask = np.zeros_like(MASK) if mode > 1 else MASK & (np.arange(5) > 0)
    args = [Tensor(TO[layout](x)) for x in (Q, K, V)]
    out = ops.prompt_flash_attention(
        *args, Tensor(mask), LENGTHS.tolist(), KEYS.tolist(), num_heads=4, num_key_value_heads=2,
        input_layout=layout, scale_value=0.3, sparse_mode=mode, pre_tokens=2, next_tokens=1,
    )  # fmt: skip
    options = {"sparse_mode": mode, "pre_tokens": 2, "next_tokens": 1, "scale": 0.3}
    near(out, TO[layout](attended(Q, *WIDE, mask, None, LENGTHS, KEYS, **options)[0]))


def test_fused_infer_attention_score():
    """Layouts, sums, lengths from the end, quantization of the result and shared keys."""
    args = [Tensor(x) for x in (Q, K, V)]
    heads = {"num_heads": 4, "num_key_value_heads": 2, "scale": 0.3}
    out, lse = ops.fused_infer_attention_score(
        *args, input_layout="BNSD_BSND", softmax_lse_flag=True, kv_padding_size=Tensor([1]),
        actual_seq_lengths_kv=Tensor(KEYS), **heads,
    )  # fmt: skip
    expected, sums_ = attended(Q, *WIDE, k_lengths=KEYS, k_padding=1, scale=0.3)
    near(out, TO["BSND"](expected)), near(lse, sums_)
    whole = attended(Q, *WIDE, scale=0.3)[0]
    out, zero = ops.fused_infer_attention_score(
        *args,
        input_layout="BNSD",
        quant_scale2=Tensor([20.0]),
        quant_offset2=Tensor([1.0]),
        **heads,
    )
    np.testing.assert_allclose(out.asnumpy(), whole * 20 + 1, atol=0.51)
    assert out.dtype == ms.int8 and zero.shape == (1,)
    out, _ = ops.fused_infer_attention_score(
        args[0], *(Tensor(x[:, :, 2:]) for x in (K, V)), input_layout="BNSD",
        key_shared_prefix=Tensor(K[:1, :, :3]), value_shared_prefix=Tensor(V[:1, :, :3]),
        actual_shared_prefix_len=(2,), **heads,
    )  # fmt: skip
    k, v = (np.concatenate([np.repeat(x[:1, :, :2], 2, 0), x[:, :, 2:]], 2) for x in WIDE)
    near(out, attended(Q, k, v, scale=0.3)[0])


@pytest.mark.parametrize("in_pages", [False, True])
def test_incre_flash_attention(in_pages):
    q, mask = Q[:, :, :1], MASK[:, :, 0] & (np.arange(5) > 0)
    scale, offset = (RNG.uniform(0.5, 1, (2, 2, 1, 8)).astype(np.float32) for _ in range(2))
    k, v = (np.round(x * 3).astype(np.int8) for x in (K, V))
    wide = [np.repeat((x + offset[n]) * scale[n], 2, 1) for n, x in enumerate((k, v))]
    parts, table = [TO["BSH"](x) for x in (k, v)], None
    if in_pages:  # of 2 tokens, the pages of the examples in turn, from the last one
        ends = [np.pad(x, [(0, 0), (0, 1), (0, 0)]).reshape(2, 3, 2, -1) for x in parts]
        parts = [x.transpose(1, 0, 2, 3)[::-1].reshape(6, 2, -1) for x in ends]
        table = Tensor(np.array([[4, 2, 0], [5, 3, 1]], np.int32))
        mask = np.pad(mask, [(0, 0), (0, 0), (0, 1)], constant_values=True)
    out = ops.incre_flash_attention(
        Tensor(TO["BSH"](q)), [Tensor(parts[0])], [Tensor(parts[1])], Tensor(mask[:, 0]),
        Tensor(KEYS), num_heads=4, num_key_value_heads=2, scale_value=0.2, block_table=table,
        antiquant_scale=Tensor(scale), antiquant_offset=Tensor(offset), block_size=2,
    )  # fmt: skip
    expected = attended(q, *wide, mask[:, :, None, :5], None, None, KEYS, scale=0.2)[0]
    near(out, TO["BSH"](expected))


@pytest.mark.parametrize("counts", [None, [1, 2]])
def test_paged_attention(counts):
    """Each token sees the keys in its row's pages; the last of several sees one more each."""
    pages = [numbers(6, 2, 2, 8) for _ in range(2)]
    table = np.array([[4, 2, 0], [5, 3, 1]], np.int32)
    rows = np.repeat([0, 1], counts or [1, 1])
    q, bias = numbers(len(rows), 4, 8), numbers(len(rows), 6)
    seen = KEYS[rows] - np.array([0, 1, 0])[: len(rows)] if counts else KEYS[rows]
    rest = [None, Tensor(np.array(counts))] if counts else [Tensor(bias), None]
    mode = "TRAPEZOIDAL" if counts else "MASK_DEFAULT"
    attend = ops.PagedAttention(4, 0.3, 2, mask_mode=mode)
    arguments = [Tensor(x) for x in (q, *pages, table, KEYS)]
    out = attend(*arguments, None, None, *rest)
    k, v = (np.repeat(p[table[rows]].reshape(len(rows), 6, 2, 8), 2, 2) for p in pages)
    for n in range(len(rows)):
        part = [x[n, : seen[n]].transpose(1, 0, 2)[None] for x in (k, v)]
        shift = 0 if counts else bias[n, : seen[n]]
        near(out[n], attention(q[n][None, :, None], *part, shift, scale=0.3)[0, :, 0])
    if not counts:
        by_head = Tensor(np.broadcast_to(bias[:, None, None], (2, 4, 1, 6)).copy())
        near(ops.PagedAttentionMask(4, 0.3, 2)(*arguments, alibi_mask=by_head), out.asnumpy())


def test_rows_are_written_into_the_caches():
    caches = [Parameter(ops.zeros((2, 3, 2, 4))) for _ in range(2)]
    key, value = numbers(3, 2, 4), numbers(3, 2, 4)
    out = ops.ReshapeAndCache()(Tensor(key), Tensor(value), *caches, Tensor([4, -1, 0], ms.int32))
    for rows, cache in ((key, caches[0]), (value, caches[1])):
        flat = np.zeros((6, 2, 4), np.float32)
        flat[[4, 0]] = rows[[0, 2]]
        near(cache, flat.reshape(2, 3, 2, 4))
    near(out, key)


def test_native_sparse_attention():
    """Compressed keys, the blocks that they choose, and attention to these."""
    q, k, v = numbers(8, 4, 6), numbers(8, 2, 6), numbers(8, 2, 6)
    weight, ends = numbers(2, 2), (3, 8)
    starts = [0, 1, 3, 4, 5, 6]
    small = ops.nsa_compress(Tensor(k), Tensor(weight), 2, 1, actual_seq_len=ends)
    packed = np.array([(k[s : s + 2] * weight[..., None]).sum(0) for s in starts])
    near(small, packed)
    out, chosen, *_ = ops.nsa_compress_attention(
        Tensor(q), small, small, 0.4, 4, 2, 1, 2, 2, actual_seq_qlen=ends,
        actual_cmp_seq_kvlen=(2, 6), actual_sel_seq_kvlen=ends,
    )  # fmt: skip
    for n, (of_q, of_k, blocks) in enumerate(
        ((slice(0, 3), slice(0, 2), 2), (slice(3, 8), slice(2, 6), 3))
    ):
        part = np.repeat(packed[of_k], 2, 1).transpose(1, 0, 2)
        queries = q[of_q].transpose(1, 0, 2)
        near(
            out[of_q],
            attention(queries[None], part[None], part[None], scale=0.4)[0].transpose(1, 0, 2),
        )
        scores = np.exp(queries @ part.transpose(0, 2, 1) * 0.4)
        weights = (scores / scores.sum(-1, keepdims=True)).reshape(2, 2, *scores.shape[1:]).sum(1)
        windows = part.shape[1]
        matter = np.zeros((*weights.shape[:2], blocks))
        for block in range(blocks):
            for a in range(2):
                for b in range(2):
                    if 0 <= 2 * block - a - b < windows:
                        matter[..., block] += weights[..., 2 * block - a - b]
        wanted = np.argsort(-matter, -1, kind="stable")[..., :2].transpose(1, 0, 2)
        np.testing.assert_array_equal(chosen[of_q].asnumpy(), wanted, str(n))
    out, *_ = ops.nsa_select_attention(
        Tensor(q), Tensor(k), Tensor(v), chosen, 0.4, 4, 2, 2, actual_seq_qlen=ends,
        actual_seq_kvlen=ends,
    )  # fmt: skip
    for t in range(8):
        begin, end = (0, 3) if t < 3 else (3, 8)
        for head in range(4):
            at = [begin + 2 * c + i for c in chosen.asnumpy()[t, head // 2] for i in (0, 1)]
            at = [s for s in at if s < end]
            powers = np.exp(k[at, head // 2] @ q[t, head] * 0.4)
            near(out[t, head], powers @ v[at, head // 2] / powers.sum())


@pytest.mark.parametrize("layout", ["BSND", "TND", "PA_BSND"])
def test_attention_to_what_an_indexer_chooses(layout):
    q, k, rope = (
        numbers(2, 3, 4, 8),
        numbers(2, 5, 1, 8),
        (numbers(2, 3, 4, 2), numbers(2, 5, 1, 2)),
    )
    weights = np.abs(numbers(2, 3, 4))
    queries = "TND" if layout == "TND" else "BSND"
    ends = [None, None]
    flat = {"key": k, "rope": rope[1]}
    extra = {}
    if layout == "TND":
        ends = [Tensor(np.array(e, np.int32)) for e in ([3, 6], [5, 10])]
    if layout == "PA_BSND":
        for name, x in flat.items():
            whole = np.pad(x, [(0, 0), (0, 1), (0, 0), (0, 0)]).reshape(6, 2, 1, -1)
            flat[name] = whole[[5, 3, 1, 4, 2, 0]]
        extra["block_table"] = Tensor(np.array([[5, 2, 4], [1, 3, 0]], np.int32))
        ends[1] = Tensor(np.array([5, 5], np.int32))

    def packed(x):
        return Tensor(x.reshape(-1, *x.shape[2:]) if layout == "TND" else x)

    at, values = ops.lightning_indexer(
        packed(q), packed(flat["key"]), packed(weights), layout_query=queries, layout_key=layout,
        actual_seq_lengths_query=ends[0], actual_seq_lengths_key=ends[1], sparse_count=3,
        return_value=True, **extra,
    )  # fmt: skip
    scores = np.einsum(
        "bsn,bsnt->bst", weights, np.maximum(np.einsum("bsnd,btd->bsnt", q, k[:, :, 0]), 0)
    )
    scores = np.where(np.arange(5) > np.arange(3)[:, None] + 2, -1, scores)
    order = np.argsort(-scores, -1, kind="stable")[..., :3]
    np.testing.assert_array_equal(at.asnumpy().reshape(2, 3, 3), order)
    near(values.reshape(2, 3, 3), np.take_along_axis(scores, order, -1))
    out, largest, total = ops.sparse_flash_attention(
        packed(q), packed(flat["key"]), packed(flat["key"]), at, 0.4, query_rope=packed(rope[0]),
        key_rope=packed(flat["rope"]), layout_query=queries, layout_kv=layout, attention_mode=2,
        actual_seq_lengths_query=ends[0], actual_seq_lengths_kv=ends[1], return_softmax_lse=True,
        **extra,
    )  # fmt: skip
    assert largest.shape == total.shape == ((1, 6, 4) if layout == "TND" else (2, 1, 3, 4))
    for b, s, n in np.ndindex(2, 3, 4):
        keys = k[b, order[b, s], 0]
        product = keys @ q[b, s, n] + rope[1][b, order[b, s], 0] @ rope[0][b, s, n]
        powers = np.exp(product * 0.4)
        near(out.reshape(2, 3, 4, 8)[b, s, n], powers @ keys / powers.sum())


# Python functions -----------------------------------------------------------------------------


def test_functions_on_the_host():
    kinds, shapes = [ms.float32] * 2, [(2,)] * 2
    both = ops.PyFunc(lambda a, b: (a + b, a.sum()), kinds, shapes, kinds, [(2,), ()])
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    for call in (both, jit(both)):
        assert [t.tolist() for t in call((x, y))] == [[4.0, 6.0], 3.0]
    assert both(x, y)[0].tolist() == [4.0, 6.0]
    noted = []
    assert ops.PyFunc(noted.append, kinds[:1], shapes[:1], [], [])(x)[0].shape == (1,)
    assert noted[0].tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="For 'PyFunc', the inputs must be Tensors"):
        both(x)
    with pytest.raises(ValueError, match="For 'PyFunc', 'in_shapes' must have as many items"):
        ops.PyFunc(len, kinds, shapes[:1], [], [])


def same(*args):
    return args


def test_a_morph_is_recorded_and_differentiated():
    x = Tensor([1.0, 2.0])
    plain, own = (
        ops.Morph(lambda x: x * x, same, same),
        ops.Morph(lambda x: x * x, same, same, lambda x, out, dout: (dout * 100,)),
    )
    for morph, slope in ((plain, [2.0, 4.0]), (own, [100.0, 100.0])):
        assert jit(lambda x, f=morph: f(x) + 1)(x).tolist() == [2.0, 5.0]
        assert grad(lambda x, f=morph: f(x).sum())(x).tolist() == slope
    assert isinstance(plain, ops.Primitive) and ops.Reusing()(same) is same


def test_kernels_of_the_hybrid_dsl():
    @ops.kernel(reg_info={"op_name": "outer"}, compile_attrs={"test": True})
    def outer_product(a, b):
        c = output_tensor(a.shape, a.dtype)  # noqa: F821
        with block_realize(c):  # noqa: F821
            for i0 in range(a.shape[0]):
                for i1 in range(b.shape[1]):
                    c[i0, i1] = 0.0
                    for i2 in range(a.shape[1]):
                        c[i0, i1] = c[i0, i1] + (a[i0, i2] * b[i2, i1])
        return c

    a, b = numbers(3, 3), numbers(3, 3)
    np.testing.assert_allclose(outer_product(a, b), a @ b, 1e-5)
    near(ops.Custom(outer_product, func_type="hybrid")(Tensor(a), Tensor(b)), a @ b)
    np.testing.assert_allclose(ops.ms_kernel(lambda a: rsqrt(a))(np.float64(4)), 0.5)  # noqa: F821
    with pytest.raises(TypeError, match="For 'kernel', 'compile_attrs' must be a dict"):
        ops.kernel(compile_attrs=3)


def test_a_python_function_as_a_primitive():
    @ops._ms_pyfunc(lambda *shapes: shapes)
    def scaled(x: Tensor, factor: float) -> Tensor:
        return x * factor

    assert scaled(Tensor([1.0, 2.0]), 3.0).tolist() == [3.0, 6.0]
    assert isinstance(scaled, ops.Primitive) and scaled.name == "PyCallback_scaled"


@pytest.mark.parametrize("captured", [False, True])
def test_tensors_are_written_to_files(captured, tmp_path):
    def dumped(x):
        ops.TensorDump()(str(tmp_path / "x"), x * 2)
        ops.tensordump(str(tmp_path / "y.npy"), x.astype(ms.bfloat16))
        return x + 1

    assert (jit(dumped) if captured else dumped)(Tensor([1, 2])).tolist() == [2, 3]
    (x,), (y,) = tmp_path.glob("x_int64_*.npy"), tmp_path.glob("y_float32_*.npy")
    assert np.load(x).tolist() == [2, 4] and np.load(y).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="For 'TensorDump', 'file' must be the name of a file"):
        ops.TensorDump()("", Tensor([1]))
    with pytest.raises(
        ValueError, match=r"'input_output' must be one of \('in', 'out'\), but got 'all'"
    ):
        ops.tensordump("x", Tensor([1]), "all")


def test_crops_cover_enough_of_a_box():
    ms.set_seed(3)
    crop = ops.SampleDistortedBoundingBoxV2(2, 5, (0.75, 1.5), (0.3, 0.9))
    size, box = Tensor([640, 480, 3], ms.int32), Tensor([[[0.38, 0.17, 0.95, 0.40]]])
    begins = set()
    for _ in range(5):
        begin, extent, out = (t.asnumpy() for t in crop(size, box, Tensor([0.8])))
        y1, x1, y2, x2 = out.ravel() * [640, 480, 640, 480]
        np.testing.assert_allclose([y1, x1, y2 - y1, x2 - x1], [*begin[:2], *extent[:2]], atol=1e-2)
        assert 0.3 <= extent[:2].prod() / 640 / 480 <= 0.9 and extent[2] == -1
        both = (min(y2, 608) - max(y1, 243.2)) * (min(x2, 192) - max(x1, 81.6))
        assert both >= 0.79 * 0.57 * 640 * 0.23 * 480
        begins.add(tuple(begin))
    assert len(begins) > 1
