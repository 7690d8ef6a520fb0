"""Record the output of MindSpore's Print; run it where MindSpore 2.10 is installed.

    python tools/record_prints.py > tests/recorded/prints.json

Each row is Python source, and its output. The names in the source are `np`, `ms`, `ops`, `Tensor`
and `Parameter`.
"""

import contextlib
import io
import json

ROWS = [
    "ops.Print()('x', Tensor([1.5, -2.0]), 3, 2.5, True, None)",
    "ops.print_(Tensor([[0, 1], [2, 3]]), Tensor(2.5), Tensor([True, False]))",
    "ops.print_((1, 2), [Tensor([1.0]), 3], {'a': Tensor(1)}, ms.float32)",
    "ops.print_(Parameter(Tensor([1.5, 2.0]), name='w'), Tensor(np.array([1 + 2j], np.complex64)))",
    "ops.print_([Parameter(Tensor([1.5, 2.0]), name='w'), (1, 'a')], 'x')",
    "ops.print_(Tensor(np.arange(30).reshape(10, 3), ms.float32))",
    "ops.Print()()",
]

if __name__ == "__main__":
    import mindspore as ms
    import numpy as np
    from mindspore import Parameter, Tensor, ops

    names = {"np": np, "ms": ms, "ops": ops, "Tensor": Tensor, "Parameter": Parameter}
    rows = []
    for source in ROWS:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            eval(source, names)
        rows.append([source, out.getvalue()])
    print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")
