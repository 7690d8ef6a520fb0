"""The sections of `gpu_first_hour.py`: `python tools/gpu_sections.py NAME` runs one and prints its
lines. A section raises if what it checks is wrong, and `AppliesNot` if this machine lacks it."""

import collections
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from gpu_first_hour import APPLIES_NOT, ROOT

IS_SHORT = os.environ.get("GPU_SHORT") == "1"
CASES = ["small operation, forward + backward"] if IS_SHORT else ["MLP step", "GPT step"]
TESTS = (  # rows that compute on the platform, against NumPy, MindSpore's numbers or both executors
    ["tests/xla_kernels/test_precision.py"] if IS_SHORT else
    ["tests/test_tour.py", "tests/xla_kernels/test_precision.py",
     "tests/xla_kernels/test_jaxlib_faults.py", "tests/xla_kernels/test_pooling.py",
     "tests/xla_kernels/test_recurrence.py", "tests/data/test_device_prefetch.py",
     "tests/ops/test_attention.py", "tests/ops/test_indexing.py"]
)  # fmt: skip
# A small training, all kinds of layers, and a hash of its Parameters.
TRAINING = """
import hashlib, os, sys
import numpy as np
import sporax as ms
from sporax import Tensor, nn, ops

ms.set_seed(0)
if os.environ.get("GPU_EXACT"):
    ms.set_deterministic(True)
rng = np.random.default_rng(0)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.words, self.convolve = nn.Embedding(50, 16), nn.Conv2d(1, 8, 3)
        self.norm, self.out = nn.LayerNorm((8,)), nn.Dense(8, 4)

    def construct(self, ids):
        x = ops.relu(self.convolve(self.words(ids).expand_dims(1)))
        return self.out(self.norm(x.mean((2, 3))))


net, loss = Net(), nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
ids = Tensor(rng.integers(0, 5, (64, 32)).astype(np.int32))  # words repeat: scatter-add
labels = Tensor(rng.integers(0, 4, 64).astype(np.int32))
step = ms.value_and_grad(lambda: loss(net(ids), labels), None, optimizer.parameters)
for _ in range(20):
    value, gradients = step()
    optimizer(gradients)
total = hashlib.sha256()
for parameter in net.get_parameters():
    total.update(parameter.asnumpy().tobytes())
print(total.hexdigest()[:16], float(value))
"""
SCATTER = """
import hashlib, os
import jax
import numpy as np
import sporax as ms
from sporax import Tensor, jit, ops

if os.environ.get("GPU_EXACT"):
    ms.set_deterministic(True)
rng = np.random.default_rng(0)
x = Tensor(np.zeros((8, 64), np.float32))
i = Tensor(rng.integers(0, 8, (100_000, 1)).astype(np.int32))
v = Tensor(rng.standard_normal((100_000, 64)).astype(np.float32))
add = jit(lambda x, i, v: ops.tensor_scatter_add(x, i, v))
print(*{hashlib.sha256(add(x, i, v).asnumpy().tobytes()).hexdigest()[:16] for _ in range(3)})
"""


class AppliesNot(Exception):
    """This machine lacks the subject of a section."""


def started(script, *arguments, **environment):
    """Start a process that runs a script, in this one's environment and these variables."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], cwd=ROOT, text=True,
        env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def output(process):
    """Return what a process prints. Raises RuntimeError if it fails."""
    out, err = process.communicate()
    if process.returncode:
        raise RuntimeError(f"exit status {process.returncode}: {last(err)}")
    return out.strip()


def last(text):
    """Return the last line of a text."""
    return (text.strip().splitlines() or ["no message"])[-1]


def flags(text):
    """Return XLA_FLAGS with another flag."""
    return {"XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {text}".strip()}


def needs_gpu():
    """Raise AppliesNot without a GPU."""
    import jax

    if jax.default_backend() != "gpu":
        raise AppliesNot(f"there is no GPU: the platform is {jax.default_backend()}")


def timed(step, count):
    """Return the median seconds of a call."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def shipped(name):
    """Return a module of the benchmark that `sporax bench` ships."""
    import importlib

    import sporax

    sporax.install_as_mindspore()
    return importlib.import_module(f"sporax._src.workbench.cli.bench_peers.{name}")


def settled(step):
    """Call a step until nothing more is compiled."""
    shipped("worker").settled(step)
    return step


# the sections -----------------------------------------------------------------------------------


def machine():
    """Print devices, versions and the driver's report."""
    import jax

    import sporax

    print(f"sporax {sporax.__version__}, jax {jax.__version__}, {os.cpu_count()} cores")
    for device in jax.devices():
        capability = getattr(device, "compute_capability", "none")
        print(f"{device}: {device.device_kind}, compute capability {capability}")
    asked = os.environ["JAX_PLATFORMS"]
    if jax.default_backend() != {"cuda": "gpu"}.get(asked, asked):
        raise RuntimeError(f"JAX runs on {jax.default_backend()} where {asked} is asked for")
    with contextlib.suppress(FileNotFoundError):  # without a driver
        print(subprocess.run(["nvidia-smi"], capture_output=True, text=True).stdout)


def doctor():
    """Run `sporax doctor`."""
    run = subprocess.run([sys.executable, "-m", "sporax", "doctor"], text=True, stdout=-1)
    print(run.stdout)
    if run.returncode:
        raise RuntimeError("sporax doctor finds a problem")


def admission():
    """Run the reproducers of all known faults, and a training whose programs are all compared with
    the interpreter."""
    from sporax._src.runtime.engine.verification import admission
    from sporax._src.runtime.xla_kernels.jaxlib_faults import FAULTS

    tried = [f for f in FAULTS if f.reproducer and not f.ends_process]
    wrong = [f.name for f in tried if not f.reproducer(admission.as_program)]
    print(f"{len(tried)} reproducers of known faults, also those of other platforms: "
          f"{', '.join(wrong) or 'none'} wrong")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.py"
        script.write_text(TRAINING)
        run = subprocess.run([sys.executable, "-m", "sporax", "verify", str(script)], text=True,
                             stdout=-1)  # fmt: skip
    print(run.stdout)
    if wrong or run.returncode:
        raise RuntimeError("a program computes wrong numbers")


def tests():
    """Run the rows of tests that compute on the platform."""
    command = [sys.executable, "-m", "pytest", "-o", "addopts=--strict-markers", "-q", "-p",
               "no:cacheprovider", "-m", "not slow", "--tb=line", *TESTS]  # fmt: skip
    run = subprocess.run(command, cwd=ROOT, text=True, stdout=-1)
    print("\n".join(run.stdout.splitlines()[-30:]))
    if run.returncode:
        raise RuntimeError("tests fail")


def determinism():
    """Compare trainings and scattered sums of fresh processes, with set_deterministic and
    without."""
    different = []
    for exact in ("", "1"):
        for name, script in (("training", TRAINING), ("scatter-add, 3 runs each", SCATTER)):
            found = [output(started(script, GPU_EXACT=exact)) for _ in range(2)]
            is_equal = len({*" ".join(found).split()}) == len(found[0].split())
            setting = "set_deterministic(True)" if exact else "by default"
            print(f"{name}, {setting}: {'equal' if is_equal else 'differ'}: {' | '.join(found)}")
            if exact and not (is_equal and (name == "training" or len(found[0].split()) == 1)):
                different.append(name)
    if different:
        raise RuntimeError(f"not equal after set_deterministic(True): {', '.join(different)}")


PRECISION = """
import sys
import numpy as np
import sporax as ms
from sporax import Tensor, ops

if sys.argv[1] != "default":
    products, convolutions = sys.argv[1].split(",")
    ms.set_context(gpu_config={"matmul_allow_tf32": products == "tf32",
                               "conv_allow_tf32": convolutions == "tf32"})
rng, n = np.random.default_rng(0), int(sys.argv[2])
a, b = (rng.standard_normal((n, n)).astype(np.float32) for _ in range(2))
x, w = (rng.standard_normal(s).astype(np.float32) for s in ((4, 64, 16, 16), (64, 64, 1, 1)))
right = a.astype(np.float64) @ b, np.einsum("nchw,oc->nohw", x.astype(np.float64), w[:, :, 0, 0])
got = ops.matmul(Tensor(a), Tensor(b)), ops.conv2d(Tensor(x), Tensor(w))
print(*[np.abs(g.asnumpy() - r).max() / np.abs(r).max() for g, r in zip(got, right)])
"""


def precision():
    """Measure the errors of products and convolutions: TensorFloat-32 has about 1e-3, float32
    1e-6."""
    size, wrong = "64" if IS_SHORT else "1024", []
    for setting in ("default", "float32,float32", "tf32,tf32"):
        errors = [*map(float, output(started(PRECISION, setting, size)).split())]
        kinds = ["float32" if error < 3e-5 else "TensorFloat-32" for error in errors]
        print(f"{setting}: product {errors[0]:.1e} ({kinds[0]}), convolution {errors[1]:.1e} "
              f"({kinds[1]})")  # fmt: skip
        if (setting == "default" and kinds[0] != "float32") or (
            setting == "float32,float32" and kinds != ["float32"] * 2
        ):
            wrong.append(setting)
    if wrong:
        raise RuntimeError(f"not in float32 where it should be: {', '.join(wrong)}")


def float64():
    """List the operations of a training step that compute in float64."""
    import jax

    from sporax._src.core.hooks import hooks
    from sporax._src.core.jax_internals import equations
    from sporax._src.runtime.engine import program
    from sporax._src.runtime.engine.verification import switch

    switch.MODE, found, scalars = "off", collections.Counter(), collections.Counter()

    def make(*structure):
        built = program.Program(*structure)
        jitted = built.compiled

        def run(*args):
            for eqn in equations(jitted.trace(*args).jaxpr.jaxpr):
                for variable in eqn.outvars:
                    if str(getattr(variable.aval, "dtype", "")) in ("float64", "complex128"):
                        shape = variable.aval.shape
                        (found if variable.aval.size > 1 else scalars)[
                            f"{eqn.primitive.name} {shape}"
                        ] += 1
            return jitted(*args)

        built.compiled = run
        return built

    hooks.program = make
    for case in CASES:
        step = shipped("in_mindspore").CASES[case]("jit")
        step()
        step()
        print(f"{case}: float64 arrays: {dict(found) or 'none'}; scalars: {dict(scalars)}")
        if found:
            raise RuntimeError("a step in float32 computes arrays in float64")
    jax.effects_barrier()


def host_reads():
    """Count the reads of a training step, of which the loss is one."""
    from sporax._src.core import to_host

    counted, real = collections.Counter(), to_host.on_host

    def on_host(array):
        frame = sys._getframe(1)
        counted[f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"] += 1
        return real(array)

    many = []
    for case in CASES:
        for style in ("", "jit"):
            step = settled(shipped("in_mindspore").CASES[case](style))
            holders = [m for name, m in list(sys.modules.items()) if name.startswith("sporax")
                       and vars(m).get("on_host") is real]  # fmt: skip
            for module in holders:
                module.on_host = on_host
            counted.clear()
            for _ in range(10):
                step()
            for module in holders:
                module.on_host = real
            each = counted.total() / 10
            print(f"{case}, {style or 'dynamic'}: {each:g} reads a step: {dict(counted)}")
            many += [f"{case} {style}"] if each > 1 else []
    if many:
        raise RuntimeError(f"more than one read a step: {', '.join(many)}")


def memory():
    """Print the device's memory, before and after a step."""
    import jax

    (device, *_) = jax.local_devices()
    for case in (None, CASES[-1]):
        if case is not None:
            shipped("in_mindspore").CASES[case]("jit")()
        statistics = device.memory_stats()
        if statistics is None:
            raise AppliesNot(f"{device.platform} has no statistics of memory")
        print(f"{case or 'at the start'}: {statistics}")
    for name in ("XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION",
                 "XLA_PYTHON_CLIENT_PREALLOCATE", "TF_GPU_ALLOCATOR"):  # fmt: skip
        print(f"{name}={os.environ.get(name, '')}")


def two_processes():
    """Run two trainings at once: as they are, and with two fifths of the memory each."""
    ended = {}
    for fraction in ("", "0.4"):
        variables = {"XLA_CLIENT_MEM_FRACTION": fraction} if fraction else {}
        pair = [started(TRAINING, **variables) for _ in range(2)]
        for process in pair:
            out, err = process.communicate()
            ended.setdefault(fraction, []).append(process.returncode)
            line = out.strip() if process.returncode == 0 else last(err)
            print(f"{fraction or 'default'} of the memory: status {process.returncode}: {line}")
    if any(ended["0.4"]):
        raise RuntimeError("two processes do not run side by side with 0.4 of the memory each")


def attention():
    """Compare attention by cuDNN with XLA's, in bfloat16."""
    needs_gpu()
    import jax
    import jax.numpy as jnp

    shape = (4, 512, 8, 64)
    q, k, v = (jax.random.normal(jax.random.key(i), shape, jnp.bfloat16) for i in range(3))
    results = {}
    for name in ("xla", "cudnn"):
        run = jax.jit(lambda q, k, v, name=name: jax.nn.dot_product_attention(
            q, k, v, is_causal=True, implementation=name))  # fmt: skip
        results[name] = run(q, k, v)
        seconds = timed(lambda run=run: jax.block_until_ready(run(q, k, v)), 20)
        print(f"{name}: {seconds * 1e6:.0f} us, {shape}, causal")
    difference = jnp.abs(results["xla"].astype(jnp.float32) - results["cudnn"]).max()
    print(f"largest difference: {difference:.1e}")
    if not difference < 0.1:
        raise RuntimeError("cuDNN's attention differs from XLA's")


def _torch_case(case, is_compiled):
    try:
        import torch
    except ImportError:
        raise AppliesNot("PyTorch is not installed") from None
    device = "cuda" if os.environ["JAX_PLATFORMS"] == "cuda" else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise AppliesNot("this PyTorch has no CUDA")
    peers, sizes = shipped("in_torch"), shipped("sizes")
    if case not in ("MLP step", "GPT step"):
        return peers.CASES[case]("compile" if is_compiled else "")
    net = (peers.mlp() if case == "MLP step" else peers.Gpt()).to(device)
    net = torch.compile(net) if is_compiled else net
    if case == "MLP step":
        x, y = sizes.numbers(*sizes.MLP.input), sizes.classes(sizes.MLP)
    else:
        x, y = sizes.text()
    x, y = torch.from_numpy(x).to(device), torch.from_numpy(y.astype("int64")).flatten().to(device)
    loss = torch.nn.CrossEntropyLoss()
    step = peers.trainer(net, peers.adam(net.parameters()), lambda z, y: loss(z.flatten(0, -2), y))
    return lambda: step(x if case == "MLP step" else x.long(), y)


def _case(peer, case):
    if peer == "jax":
        from bench.peers import jax_peer

        return jax_peer.cases()[case]()
    if peer.startswith("torch"):
        return _torch_case(case, peer == "torch-compile")
    return shipped("in_mindspore").CASES[case](peer.partition("-")[2])


def speed(peer):
    """Print the time of a first call and of later ones."""
    for case in CASES:
        start = time.perf_counter()
        step = _case(peer, case)
        step()
        first = time.perf_counter() - start
        seconds = timed(settled(step), 10 if IS_SHORT else 100)
        print(f"{case}: {seconds * 1e3:.3f} ms; set-up and first call {first:.1f} s")


STEP = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
import time
import gpu_sections
start = time.perf_counter()
step = gpu_sections._case("sporax-jit", sys.argv[1])
step()
step()
print(f"{{time.perf_counter() - start:.2f}}",
      f"{{gpu_sections.timed(gpu_sections.settled(step), 50) * 1e3:.3f}}")
"""


def command_buffers():
    """Compare a step with command buffers (CUDA graphs) and without."""
    for case in CASES:
        for name, flag in (("on", ""), ("off", "--xla_gpu_enable_command_buffer=")):
            _, step = output(started(STEP, case, **flags(flag))).split()
            print(f"{case}, command buffers {name}: {step} ms")


def autotuner():
    """Measure set-up and two calls of a step: with the autotuner, from its cache, without it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, flag, cache in (
            ("autotuner", "", "a"), ("from the cache", "", "a"),
            ("no autotuner", "--xla_gpu_autotune_level=0", "b"),
        ):  # fmt: skip
            variables = flags(flag) | {"SPORAX_CACHE_DIR": str(Path(folder) / cache)}
            first, step = output(started(STEP, CASES[0], **variables)).split()
            files = [f for f in Path(folder, cache).rglob("*") if f.is_file()]
            kinds = dict(collections.Counter(f.suffix for f in files))
            print(f"{name}: two calls {first} s, then {step} ms a step; files: {kinds}")


ALL = {
    "machine": machine, "doctor": doctor, "admission": admission, "precision": precision,
    "determinism": determinism, "float64": float64, "host reads": host_reads, "memory": memory,
    "two processes": two_processes, "attention": attention,
    "speed: sporax": lambda: speed("sporax"),
    "speed: sporax under jit": lambda: speed("sporax-jit"),
    "speed: plain JAX": lambda: speed("jax"), "speed: PyTorch": lambda: speed("torch"),
    "speed: PyTorch, compiled": lambda: speed("torch-compile"),
    "command buffers": command_buffers, "autotuner": autotuner, "tests": tests,
}  # fmt: skip


def main(name):
    """Run a section; return the exit status."""
    try:
        ALL[name]()
    except AppliesNot as reason:
        print(reason)
        return APPLIES_NOT
    except Exception as error:  # noqa: BLE001 (the page shows it)
        traceback.print_exception(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
