"""Rows for `sporax.ops.shape.formats`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

AXES = np.array([0, 1, 2, 3, -1, -4], np.int32)
PLACES = np.array([0, 3, 1, 2], np.int32)
BACK = {"src_format": "NCHW", "dst_format": "NHWC"}
SAMPLES = [
    Sample("data_format_dim_map", [AXES], lambda x: PLACES[x]),
    Sample("data_format_dim_map", [AXES], lambda x, **_: np.argsort(PLACES)[x], BACK),
    Sample("data_format_vec_permute", [PLACES + 1], lambda x: x[[0, 3, 1, 2]]),
    Sample("data_format_vec_permute", [(4, 2)], lambda x, **_: x[[0, 2, 3, 1]], BACK),
]

REFUSALS = [
    Refusal("format-name", lambda: ops.DataFormatDimMap("NCWH")(Tensor(AXES)), ValueError,
            ("'DataFormatDimMap'", "'src_format'", "'NCWH'")),
    Refusal("format-shape", lambda: ops.DataFormatVecPermute()(Tensor(AXES)), ValueError,
            ("'DataFormatVecPermute'", "(6,)")),
    Refusal("format-axis", lambda: ops.DataFormatDimMap()(Tensor([4])).asnumpy(), ValueError,
            ("'DataFormatDimMap'", "but got 4", "axes")),
]  # fmt: skip
