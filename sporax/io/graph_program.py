"""Validation of a program from an untrusted file, before it is compiled.

XLA trusts the types of operations, and a custom call passes raw pointers to native code. So each
operation must be in an allowlist, each custom call must be one that sporax writes, with the types
that sporax writes, and array sizes are bounded.
"""

import math
import re

from sporax._src.core.jax_internals import parsed_module
from sporax.io.corrupt_file import rejection, require

# StableHLO except operations that communicate, use tokens, or read other programs
_STABLEHLO = (  # noqa: SIM905
    "abs add and atan2 bitcast_convert broadcast broadcast_in_dim case cbrt ceil cholesky "
    "clamp compare complex composite concatenate constant convert convolution cosine "
    "count_leading_zeros custom_call divide dot_general dynamic_broadcast_in_dim "
    "dynamic_conv dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_slice "
    "dynamic_update_slice exponential exponential_minus_one fft floor gather "
    "get_dimension_size get_tuple_element if imag iota is_finite log log_plus_one "
    "logistic map maximum minimum multiply negate not optimization_barrier or pad popcnt "
    "power real real_dynamic_slice reduce reduce_precision reduce_window remainder "
    "reshape return reverse rng_bit_generator round_nearest_afz round_nearest_even rsqrt "
    "scatter select select_and_scatter shift_left shift_right_arithmetic "
    "shift_right_logical sign sine slice sort sqrt subtract tan tanh transpose "
    "triangular_solve tuple while xor"
).split()
_ELEMENTWISE = (  # noqa: SIM905 - of CHLO, also as names of composites
    "acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc is_inf "
    "is_neg_inf is_pos_inf lgamma next_after polygamma sinh square tan zeta"
).split()
_FUNCTIONS = "builtin.module", "func.func", "func.return", "func.call"
_MOST_BYTES = 2**29  # per array; 8 times the program's inputs and outputs if that is more
_MOST_STEPS = 10**6  # operations, including called functions
_DEEPEST = 64  # nesting of regions and of calls

# Allowed discardable attributes (with a dot in their names) -> patterns of their values.
_TEXT = r'"[^"]{0,500}"'
_ATTRIBUTES = {
    "jax.uses_shape_polymorphism": "true|false", "mhlo.num_partitions": "1 : i32",
    "mhlo.num_replicas": "1 : i32", "jax.result_info": _TEXT, "jax.global_constant": _TEXT,
    "mhlo.backend_config": r"\{[\w =:,]{0,200}\}",
    "mhlo.frontend_attributes": r'\{num_batch_dims = "\d+"\}', "sdy.sharding_rule": ".{0,2000}",
}  # fmt: skip
_NESTED = "arg_attrs", "res_attrs"  # attributes of a function's arguments and results
_CALL_ATTRIBUTES = {
    "call_target_name", "api_version", "has_side_effect", "called_computations",
    "backend_config", "operand_layouts", "result_layouts", "output_operand_aliases",
    "error_message", *_ATTRIBUTES,
}  # fmt: skip
_ASSERTION_SIZE = 4000  # limit on the characters of an assertion's message

# LAPACK routines as JAX calls them: (operands, results, options). Operands and results are
# `type:sizes` without batch sizes. x is the routine's own type, r the real and z the complex type
# of its precision, i int32; k = min(m, n), l = n - 1. Options: name -> characters or a number.
_LAPACK: dict[str, tuple[str, str, dict]] = {
    "potrf": ("x:nn", "x:nn i:", {"uplo": "LU"}),
    "getrf": ("x:mn", "x:mn i:k i:", {}),
    "geqrf": ("x:mn", "x:mn x:k", {}),
    "orgqr": ("x:mn x:t", "x:mn", {}),
    "ungqr": ("x:mn x:t", "x:mn", {}),
    "syevd": ("x:nn", "x:nn r:n i:", {"mode": "NV", "uplo": "LU"}),
    "heevd": ("x:nn", "x:nn r:n i:", {"mode": "NV", "uplo": "LU"}),
    "geev": ("x:nn", "x:n x:n z:nn z:nn i:", {"compute_left": "NV", "compute_right": "NV"}),
    "gesdd": ("x:mn", "x:mn r:k x:ma x:bn i:", {"mode": "ASN"}),
    "trsm": ("x:ss x:mn", "x:mn", {"diag": "NU", "side": "LR", "trans_x": "NTC", "uplo": "LU"}),
    "gehrd": ("x:nn", "x:nn x:l i:", {"low": "1", "high": "n"}),
    "gees": ("x:nn", "x:nn x:nn x:n x:n i: i:", {"mode": "NV", "sort": "N"}),
    "sytrd": ("x:nn", "x:nn r:n r:l x:l i:", {"uplo": "LU"}),
    "hetrd": ("x:nn", "x:nn r:n r:l x:l i:", {"uplo": "LU"}),
    "gtsv": ("x:n x:n x:n x:nt", "x:n x:n x:n x:nt i:", {}),
}
_COMPLEX = {"geev": "x:n x:nn x:nn i:", "gees": "x:nn x:nn x:n i: i:"}  # other results
_PRECISIONS = {"s": "f32", "d": "f64", "c": "complex<f32>", "z": "complex<f64>"}


def checked(text, inputs, outputs, custom_calls=True):
    """Return the StableHLO artifact of a program's text. Raises CorruptFile unless the text has
    only what sporax writes, and its function `main` has these types, such as 'tensor<2x?xf32>'.
    `custom_calls`: allow the custom calls that sporax writes."""
    _check_text(text)
    try:
        module, artifact = parsed_module(text)
    except Exception as error:  # noqa: BLE001 - the parser's own types of errors are private
        raise rejection("program-cannot-read", cause=str(error)[:200]) from None
    functions = {}
    for operation in module.operation.regions[0].blocks[0]:
        name = operation.operation.name
        _require(name == "func.func", "functions", name)
        functions[_string(operation, "sym_name")] = operation.operation
    _check_attributes(module.operation)
    _require("main" in functions, "a function 'main'", sorted(functions))
    main = functions["main"]
    signature = str(main.attributes["function_type"])
    wanted = f"({', '.join(inputs)}) -> {_joined(outputs)}"
    _require(signature == wanted, f"a function {wanted:.300}", signature[:300])
    sizes = sum(_nbytes(*_type(text)) for text in [*inputs, *outputs])
    checks = _Checks(max(_MOST_BYTES, 8 * sizes), custom_calls)
    for function in functions.values():
        checks.visit(function, 0)
    checks.count()
    return artifact()


def _check_text(text):
    """Reject text that is unsafe to parse: brackets deeper than the parser's stack, aliases (which
    can stand for types of any size), and data besides the operations."""
    plain = re.sub(r'"(?:[^"\\\n]|\\.)*"', "", text)
    for mark in ("//", "{-#", "dense_resource", "\0", '"'):
        _require(mark not in plain, "plain text", repr(mark))
    _require(not re.search(r"^\s*[!#]", plain, re.MULTILINE), "no abbreviations", "some")
    many = re.search(r"%[\w$.-]+\s*[#:]\s*\d{5,}", plain)  # the parser allocates memory for them
    _require(not many, "at most 9999 results of an operation", many and many[0][:50])
    depth = deepest = 0
    for bracket in re.findall(r"[(\[{<)\]}>]", plain.replace("->", "")):
        depth += 1 if bracket in "([{<" else -1
        deepest = max(deepest, depth)
    _require(deepest <= 2 * _DEEPEST, f"at most {2 * _DEEPEST} brackets in each other", deepest)


def _joined(types):
    return types[0] if len(types) == 1 else f"({', '.join(types)})"


def _require(holds, rule, got):
    require(holds, "program", law=rule, got=got)


def _matched(match: re.Match[str] | None, rule, got):
    if match is None:
        raise rejection("program", law=rule, got=got)
    return match


def _string(operation, name):
    return str(operation.operation.attributes[name]).strip('"@')


def _type(text):
    """Return (sizes, element type) of an array's type; an unknown size is None."""
    match = re.fullmatch(r"tensor<((?:(?:\d{1,18}|\?)x)*)([a-z]\w*|complex<f\d+>)>", text)
    match = _matched(match, "types of arrays", text[:100])
    return [None if n == "?" else int(n) for n in match[1].split("x")[:-1]], match[2]


def _nbytes(shape, kind):
    bits = int(re.findall(r"\d+", kind)[0]) * (2 if kind.startswith("complex") else 1)
    return math.prod(1 if n is None else n for n in shape) * max(bits // 8, 1)


def _attributes(operation):
    return {name: str(operation.attributes[name]) for name in operation.attributes}


def _check_attributes(operation):
    for name in operation.attributes:
        text = str(operation.attributes[name]) if "." in name or name in _NESTED else ""
        if "." in name:
            allowed = _ATTRIBUTES.get(name)
            fits = allowed and re.fullmatch(allowed, text, re.DOTALL)
            _require(fits, "attributes that sporax writes", f"{name} = {text:.100}")
        elif name in _NESTED:
            names = re.findall(r"([\w.]+) = ", re.sub(r'"(?:[^"\\]|\\.)*"', '""', text))
            fits = set(names) <= {"jax.result_info", "jax.global_constant"}
            _require(fits, "attributes that sporax writes", text[:200])


class _Checks:
    """Checks the operations of functions."""

    def __init__(self, most, custom_calls):
        self.most, self.custom_calls, self.function = most, custom_calls, None
        self.steps, self.calls = {}, {}  # function -> number of operations, called functions

    def visit(self, operation, depth):
        name = operation.name
        if name == "func.func":
            self.function = _string(operation, "sym_name")
            self.steps[self.function], self.calls[self.function] = 0, []
        dialect, _, short = name.partition(".")
        known = {"stablehlo": _STABLEHLO, "chlo": _ELEMENTWISE}.get(dialect, ())
        _require(short in known or name in _FUNCTIONS, "operations that sporax writes", name)
        _require(depth < _DEEPEST, f"at most {_DEEPEST} levels", "more")
        _check_attributes(operation)
        for value in [*operation.operands, *operation.results]:
            self.check_type(str(value.type))
        self.steps[self.function] += 1
        if name == "stablehlo.custom_call":
            target = _string(operation, "call_target_name")
            _require(self.custom_calls, "no custom calls", f"one of '{target:.80}'")
            _check_custom_call(operation)
        elif name == "stablehlo.composite":
            self.calls[self.function].append(_string(operation, "decomposition"))
            _check_composite(operation)
        elif name == "func.call":
            self.calls[self.function].append(_string(operation, "callee"))
        for region in operation.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    self.check_type(str(argument.type))
                for inner in block:
                    self.visit(inner.operation, depth + 1)

    def check_type(self, text):
        size = _nbytes(*_type(text))
        _require(size <= self.most, f"arrays of at most {self.most} bytes", f"{text} of {size}")

    def count(self):
        """Bound the number of operations, counting a called function at each of its calls."""
        total, active = {}, []

        def weight(name):
            if name not in total:
                fits = name in self.steps and name not in active and len(active) < _DEEPEST
                _require(fits, f"calls that end, {_DEEPEST} in each other at most", name)
                active.append(name)
                total[name] = self.steps[name] + sum(map(weight, self.calls[name]))
                active.pop()
            return total[name]

        _require(weight("main") <= _MOST_STEPS, f"at most {_MOST_STEPS} operations", "more")


def _types(operation):
    return [
        [_type(str(value.type)) for value in values]
        for values in (operation.operands, operation.results)
    ]


def _check_composite(operation):
    name = _string(operation, "name").removeprefix("chlo.")
    operands, results = _types(operation)
    if name != "top_k":
        shapes = {tuple(map(str, shape)) for shape, _ in [*operands, *results]}
        fits = name in _ELEMENTWISE and len(shapes) == 1
        _require(fits, "composites that sporax writes", name)
        return
    text = _attributes(operation).get("composite_attributes", "")
    rule = "top_k of an array"
    k = int(_matched(re.search(r"\bk = (\d{1,18}) : i64", text), rule, text[:100])[1])
    _require(len(operands) == 1 and len(results) == 2 and operands[0][0], rule, text[:100])
    ((shape, kind),) = operands
    (values, *kinds), (indices, indices_kind) = results
    fits = values == indices == [*shape[:-1], k] and [*kinds, indices_kind] == [kind, "i32"]
    fits = fits and (shape[-1] is None or k <= shape[-1])
    _require(fits, "a top_k of the sizes of its operand", [operands, results])


def _check_custom_call(operation):
    attributes, target = _attributes(operation), _string(operation, "call_target_name")
    operands, results = _types(operation)
    unknown = sorted(set(attributes) - _CALL_ATTRIBUTES)
    _require(not unknown, "custom calls as sporax writes them", f"{target:.80} with {unknown}")
    called = attributes.get("called_computations", "[]")
    _require(called == "[]", "custom calls without functions", called[:80])
    if target == "shape_assertion":
        _check_assertion(operands, results, attributes)
        return
    match = re.fullmatch(r"lapack_([sdcz])(\w+)_ffi", target)
    rule, got = "custom calls of a list of harmless ones", f"'{target:.80}'"
    match = _matched(match, rule, got)
    _require(match[2] in _LAPACK, rule, got)
    fits = _fits(match[2], _PRECISIONS[match[1]], operands, results, attributes)
    _require(fits, f"the types of {target}", f"{operands} -> {results}, {attributes}"[:400])
    _check_aliases(attributes.get("output_operand_aliases", "[]"), operands, results)


def _check_assertion(operands, results, attributes):
    """Require a condition, followed by the sizes that the message names by index."""
    message = attributes.get("error_message", "")
    indices = [int(n) for n in re.findall(r"\{(\d{1,9})\}", message)]
    plain = re.sub(r"\{\d{1,9}\}", "", message)
    scalars = all(shape == [] for shape, _ in operands)
    kinds = [kind for _, kind in operands]
    _require(
        not results and scalars and 1 <= len(kinds) <= 33 and kinds[0] == "i1"
        and {*kinds[1:]} <= {"i32", "i64"} and len(message) < _ASSERTION_SIZE
        and not {*"{}"} & {*plain} and all(n < len(kinds) - 1 for n in indices),
        "assertions of sizes", message[:100],
    )  # fmt: skip


def _fits(routine, own, operands, results, attributes):
    """Return True if the types and options match a LAPACK routine."""
    inputs, outputs, options = _LAPACK[routine]
    if own.startswith("complex"):
        outputs = _COMPLEX.get(routine, outputs)
    config = attributes.get("mhlo.backend_config", "")
    config = {n: int(v) for n, v in re.findall(r"(\w+) = (\d{1,9}) : (?:ui8|i32)", config)}
    inputs, outputs = inputs.split(), outputs.split()
    if (
        set(config) != set(options)
        or "mhlo.backend_config" not in attributes  # only calls of the typed FFI have it
        or not attributes.get("api_version", "4").startswith("4")
        or (len(operands), len(results)) != (len(inputs), len(outputs))
    ):
        return False
    sizes = _sizes([*inputs, *outputs], [*operands, *results], own)
    return sizes is not None and _options_fit(options, config, sizes)


def _sizes(specs, types, own):
    """Return {letter: size}, or None if the types do not match `specs`."""
    real = re.findall(r"f\d+", own)[0]
    kinds = {"x": own, "r": real, "z": f"complex<{real}>", "i": "i32"}
    shape, names = types[0][0], specs[0].partition(":")[2]
    batch, sizes = shape[: max(len(shape) - len(names), 0)], {}
    for spec, (shape, kind) in zip(specs, types, strict=True):
        letter, _, names = spec.partition(":")
        if (
            kind != kinds[letter]
            or None in shape
            or len(shape) != len(batch) + len(names)
            or shape[: len(batch)] != batch
        ):
            return None
        for name, size in zip(names, shape[len(batch) :], strict=True):
            m, n = sizes.get("m", 0), sizes.get("n", 0)
            derived = {"k": min(m, n), "l": max(n - 1, 0)}
            if size != derived.get(name, sizes.setdefault(name, size)) or size >= 2**31:
                return None
    return sizes


def _options_fit(options, config, sizes):
    for name, allowed in options.items():
        if allowed in ("1", "n"):
            fits = config[name] == (1 if allowed == "1" else sizes["n"])
        else:
            fits = config[name] in map(ord, allowed)
        if not fits:
            return False
    if "a" in sizes:  # singular vectors: all, or one per singular value
        m, n, mode = sizes["m"], sizes["n"], chr(config["mode"])
        full, thin = (m, n), (min(m, n), min(m, n))
        return (sizes["a"], sizes["b"]) in {"A": [full], "S": [thin], "N": [full, thin]}[mode]
    if "s" in sizes:  # a triangular matrix on the left or on the right
        return sizes["s"] == sizes["m" if chr(config["side"]) == "L" else "n"]
    if "t" in sizes and "m" in sizes:  # Householder reflectors
        return sizes["t"] <= sizes["n"] <= sizes["m"]
    return True


def _check_aliases(text, operands, results):
    """Require that each alias maps an output to its own operand, of the same type."""
    pairs = [(int(o or 0), int(i)) for o, i in re.findall(
        r"output_tuple_indices = \[(\d{0,3})\], operand_index = (\d{1,3}), "
        r"operand_tuple_indices = \[\]", text)]  # fmt: skip
    rule = "outputs in place of operands of their types"
    _require(len(pairs) == text.count("output_operand_alias<"), rule, text[:200])
    distinct = len({o for o, _ in pairs}) == len({i for _, i in pairs}) == len(pairs)
    fits = all(
        o < len(results) and i < len(operands) and results[o] == operands[i] for o, i in pairs
    )
    _require(distinct and fits, rule, text[:200])
