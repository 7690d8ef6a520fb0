"""Programs in files: StableHLO of a version that all supported JAX releases read, and its text.

Only the program of a `jax.export.Exported` is stored, so a file does not depend on the calling
convention of one JAX release. The user's own files are read from the StableHLO artifact, which has
five years of backward compatibility; other files from the text, which is safe to parse.
"""

import dataclasses
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import export as stablehlo

from sporax._src.capture.graph_capture.export.exported_graph import Spec
from sporax._src.core import dtype as dtypes
from sporax._src.core.jax_internals import (
    default_platform,
    module_text,
    portable_artifact,
    stablehlo_version,
)
from sporax._src.versions import JAXLIB, numbers
from sporax.io import graph_program
from sporax.io.corrupt_file import CorruptFile, rejection, require

OLDEST = "1.17.0"  # StableHLO of jaxlib `versions.OLDEST`
ARTIFACT, TEXT = "program/stablehlo", "program/text"  # names of the arrays in files
# MindSpore's name -> NumPy dtype
DTYPES = {
    t.name: t.numpy_dtype for t in dtypes.NAMES.values()
    if t.numpy_dtype is not None and dtypes.from_numpy(t.numpy_dtype) is t
}  # fmt: skip
_FLOATS = {"bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2"}
_SIZE = r"[\w+*() ,-]{1,200}"  # a symbolic size, or an expression of symbolic sizes


def stored(program):
    """Return (header, arrays) of a `jax.export.Exported`, without its source locations."""
    text = module_text(bytes(program.mlir_module_serialized))
    artifact, oldest = portable_artifact(text, OLDEST)
    header = {
        "name": program.fun_name,
        "stablehlo": oldest,
        "platforms": program.platforms,
        "kept": program.module_kept_var_idx,
        "sizes": program.uses_global_constants,
    }
    payloads = {ARTIFACT: artifact, TEXT: text.encode()}
    return header, {name: np.frombuffer(payload, np.uint8) for name, payload in payloads.items()}


def restored(header, arrays, inputs, outputs, is_own, custom_calls=True):
    """Return the `jax.export.Exported` of a function with these inputs and outputs (`Spec`s). Its
    trees and types are taken from another function of this signature."""
    wanted = header["stablehlo"]
    fits = type(wanted) is str and re.fullmatch(r"\d{1,4}\.\d{1,4}\.\d{1,4}", wanted)
    require(fits, "does-not-say-stablehlo")
    payloads = [arrays[name] for name in (ARTIFACT, TEXT)]
    require(all(x.dtype == np.uint8 and x.ndim == 1 for x in payloads), "program-none")
    if is_own and numbers(wanted) <= numbers(stablehlo_version()):
        return exported(header, arrays[ARTIFACT].tobytes(), None, inputs, outputs)
    text = arrays[TEXT].tobytes().decode()
    try:
        return exported(header, None, text, inputs, outputs, custom_calls=custom_calls)
    except CorruptFile as error:
        if numbers(wanted) <= numbers(stablehlo_version()):
            raise
        raise rejection("of-other-stablehlo", "load-with-newer-jaxlib", wanted=wanted,
                        jaxlib=JAXLIB, got=stablehlo_version(), cause=error) from None  # fmt: skip


def exported(header, artifact, text, inputs, outputs, custom_calls=True):
    """As `restored`, from a program's artifact, or from its text, which is checked first."""
    platforms, kept, name = tuple(header["platforms"]), tuple(header["kept"]), header["name"]
    fits = all(isinstance(word, str) for word in (name, *platforms)) and len(platforms) == 1
    fits = fits and list(kept) == sorted({*kept} & {*range(len(inputs))})
    require(fits, "program-other-inputs-several")
    if text is not None:
        types = [[_mlir_type(s) for s in group] for group in ([inputs[i] for i in kept], outputs)]
        artifact = graph_program.checked(text, *types, custom_calls=custom_calls)
    return dataclasses.replace(
        _template(inputs, outputs, platforms), fun_name=name, mlir_module_serialized=artifact,
        module_kept_var_idx=kept, uses_global_constants=header["sizes"] is True,
    )  # fmt: skip


def check_platform(platforms):
    """Raise CorruptFile unless a program for these platforms runs on the default backend."""
    here = {"gpu": ("cuda", "rocm")}.get(default_platform(), (default_platform(),))
    fits = set(here) & set(platforms)
    require(fits, "of-other-device", "choose-device", platforms=platforms, here=here[0])


def listed(specs):
    """Convert `Spec`s to JSON."""
    return [(spec.name, spec.shape, spec.dtype) for spec in specs]


def specs(items):
    """Convert JSON to `Spec`s."""
    return [Spec(*spec(*item)) for item in items]


def spec(name, shape, dtype):
    """Return the arguments if they are a valid name, shape and dtype; else raise CorruptFile."""
    sizes = all(
        0 <= n < 2**40 if type(n) is int else type(n) is str and re.fullmatch(_SIZE, n)
        for n in shape
    )
    fits = type(name) is str and sizes and type(dtype) is str and dtype in DTYPES
    require(fits, "array-file-damaged", name=name, dtype=dtype, shape=shape)
    return name, shape, dtype


def _template(specs, outputs, platforms):
    """Return the `jax.export.Exported` of a function with these inputs and outputs (zeros)."""
    scope = stablehlo.SymbolicScope()

    def shaped(spec):
        shape = ", ".join(map(str, spec.shape)) + ","
        sizes = stablehlo.symbolic_shape(shape, scope=scope) if spec.shape else ()
        return jax.ShapeDtypeStruct(sizes, DTYPES[spec.dtype])

    arguments, results = [[shaped(s) for s in group] for group in (specs, outputs)]
    zeros = jax.jit(lambda *arrays: tuple([jnp.zeros(r.shape, r.dtype) for r in results]))
    return stablehlo.export(zeros, platforms=platforms)(*arguments)


def _mlir_type(spec):
    """Return the MLIR type of an array, such as 'tensor<2x?xf32>'."""
    dtype = DTYPES[spec.dtype]
    bits = 8 * dtype.itemsize
    kind = {"b": "i1", "i": f"i{bits}", "u": f"ui{bits}", "c": f"complex<f{bits // 2}>"}.get(
        dtype.kind, _FLOATS.get(dtype.name, f"f{bits}")
    )
    sizes = "".join(f"{n}x" if isinstance(n, int) else "?x" for n in spec.shape)
    return f"tensor<{sizes}{kind}>"
