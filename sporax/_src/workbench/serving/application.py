"""The ASGI application of a served graph: predictions, health, metrics, a page and its OpenAPI.

Starlette routes and answers, uvicorn speaks HTTP, prometheus_client keeps the metrics: the extra
`serve`. Responses to bad requests are one sentence; an error of the program is logged, and its text
is not sent.
"""

import contextlib
import hmac
import io
import json
import logging
import math
import time
import zipfile

import numpy as np
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client import generate_latest as metrics_text
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from sporax._src.core.units import bytes_text
from sporax._src.diagnosis.rules import message
from sporax._src.workbench import pages
from sporax._src.workbench.serving.batching import Batcher
from sporax._src.workbench.serving.rejected import Rejected, rejected
from sporax.io import npz_file
from sporax.io.portable_program import DTYPES

JSON, NPZ = "application/json", "application/x-npz"
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in pages.HEADERS.items()]
_OPEN = {"/health"}  # without a token
_log = logging.getLogger("sporax.serve")


class _Metrics:
    """The metrics at `/metrics`."""

    def __init__(self):
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "sporax_requests", "Requests by status.", ["status"], registry=self.registry
        )
        self.seconds = Histogram(
            "sporax_predict_seconds", "Time of a prediction, with waiting.",
            registry=self.registry,
            buckets=[b * 10.0**e for e in range(-4, 2) for b in (1, 2.5, 5)],
        )  # fmt: skip
        self.rows = Histogram(
            "sporax_batch_rows", "Rows of a run.", registry=self.registry,
            buckets=[2**n for n in range(11)],
        )  # fmt: skip
        self.waiting = Gauge("sporax_waiting", "Requests that wait.", registry=self.registry)


class _Service:
    """The handlers of the routes, for one graph."""

    def __init__(self, served, batch, most_waiting, most_bytes, title):
        self.served, self.most_bytes, self.title = served, most_bytes, title
        self.metrics = _Metrics()
        rows = batch if served.batch is not None else 1
        self.batcher = Batcher(served, rows, most_waiting, self.metrics.rows.observe)
        self.metrics.waiting.set_function(lambda: len(self.batcher.waiting))

    async def predict(self, request):
        """Answer with the outputs, in the format of the request."""
        began = time.perf_counter()
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in (JSON, NPZ):
            raise rejected(415, "serve-content-type", choices=[JSON, NPZ], got=kind[:100])
        body = await self._body(request)
        values = _from_json(body) if kind == JSON else _from_npz(body, self.most_bytes)
        outputs = await self.batcher.run(self.served.taken(values))
        named = dict(zip([spec.name for spec in self.served.outputs], outputs, strict=True))
        self.metrics.seconds.observe(time.perf_counter() - began)
        if kind == NPZ:
            content = io.BytesIO()
            np.savez(content, **{n: _standard(x) for n, x in named.items()})
            return Response(content.getvalue(), media_type=NPZ)
        return Response(_to_json(named), media_type=JSON)

    async def _body(self, request):
        """Return the body; `Rejected` as soon as it has more than the allowed bytes."""
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self.most_bytes:
                raise rejected(413, "serve-body-large", most=bytes_text(self.most_bytes))
        return bytes(body)

    async def health(self, request):
        """Answer that requests are taken."""
        return JSONResponse({"status": "ok"})

    async def show_metrics(self, request):
        """Answer with the metrics in the format of Prometheus."""
        return Response(metrics_text(self.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    async def openapi(self, request):
        """Answer with the OpenAPI description."""
        return JSONResponse(self.description())

    async def page(self, request):
        """Answer with a page for people: inputs, outputs, and how to call."""
        rows = [("input", spec) for spec in self.served.inputs]
        rows += [("output", spec) for spec in self.served.outputs]
        cells = [(kind, s.name, s.dtype, s.shape_text) for kind, s in rows]
        table = pages.table(("", "name", "dtype", "shape"), cells, caption="Inputs and outputs")
        example = json.dumps({"inputs": {s.name: _example(s) for s in self.served.inputs}})
        shown = example if len(example) < 400 else f"{example[:400]} ..."
        call = f"curl {request.base_url}predict -H 'Content-Type: {JSON}' -d '{shown}'"
        others = [
            pages.element("p", pages.element("a", path, href=path[1:]), f": {text}")
            for path, text in (
                ("/openapi.json", "the interface as OpenAPI"),
                ("/health", "200 while requests are taken"),
                ("/metrics", "counts and times, for Prometheus"),
            )
        ]
        how = message("serve-batches", most=self.batcher.most_rows, size=self.served.batch or "")
        if self.served.batch is None:
            how = self.served.why_single
        body = pages.join([
            table, pages.element("h2", "Call"), pages.element("pre", call, tabindex="0"),
            pages.element("p", f"NumPy arrays: a body of numpy.savez with the content type {NPZ} "
                               "is answered by one of the outputs."),
            pages.element("p", str(how)), pages.element("h2", "Also here"), *others,
        ])  # fmt: skip
        return HTMLResponse(pages.page(self.title, body, subtitle="served by sporax"))

    def description(self):
        """Return the OpenAPI description: the schemas of the inputs and outputs."""

        def schema(specs):
            return {
                "type": "object", "additionalProperties": False,
                "required": [spec.name for spec in specs],
                "properties": {spec.name: _schema(spec) for spec in specs},
            }  # fmt: skip

        def content(name, specs):
            inside = {"type": "object", "required": [name], "properties": {name: schema(specs)}}
            binary = {"schema": {"type": "string", "format": "binary"}}
            return {JSON: {"schema": inside}, NPZ: binary}

        sentence = {"type": "object", "properties": {"error": {"type": "string"}}}
        failures = {
            str(status): {"description": text, "content": {JSON: {"schema": sentence}}}
            for status, text in _FAILURES.items()
        }
        good = {"description": "The outputs", "content": content("outputs", self.served.outputs)}
        body = {"required": True, "content": content("inputs", self.served.inputs)}
        operation = {"summary": "Compute the outputs for inputs", "operationId": "predict",
                     "requestBody": body, "responses": {"200": good, **failures}}  # fmt: skip
        return {
            "openapi": "3.1.0", "info": {"title": self.title, "version": "1.0"},
            "paths": {"/predict": {"post": operation}},
            "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        }  # fmt: skip


_FAILURES = {
    400: "The body cannot be read", 401: "The token is missing or another one",
    413: "Too many bytes or rows", 415: "Another content type", 422: "Inputs that do not fit",
    500: "The program failed", 503: "Too many requests wait",
}  # fmt: skip


def _schema(spec):
    kind = DTYPES[spec.dtype].kind
    schema = {"type": {"b": "boolean", "i": "integer", "u": "integer"}.get(kind, "number")}
    for size in reversed(spec.shape):
        schema = {"type": "array", "items": schema, "minItems": 1}
        if isinstance(size, int):
            schema |= {"minItems": size, "maxItems": size}
    return schema | {"description": f"{spec.dtype} {spec.shape_text}"}


def _example(spec):
    shape = [n if isinstance(n, int) else 1 for n in spec.shape]
    return np.zeros(shape, bool if spec.dtype == "Bool" else int).tolist()


def _from_json(body):
    try:
        content = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise rejected(400, "serve-json", cause=type(error).__name__) from None
    if not isinstance(content, dict) or content.keys() != {"inputs"}:
        raise rejected(400, "serve-json", cause=message("serve-other-content"))
    return content["inputs"]


def _from_npz(body, most_bytes):
    """Return the arrays of a `numpy.savez` file, with at most `most_bytes` once decompressed."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            if sum(member.file_size for member in archive.infolist()) > most_bytes:
                raise rejected(413, "serve-body-large", most=bytes_text(most_bytes))
            for member in archive.infolist():
                npz_file.check(archive, member, len(body))
        with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except npz_file.MALFORMED as error:
        raise rejected(400, "serve-npz", cause=type(error).__name__) from None


def _standard(array):
    """Return an array with a dtype that plain NumPy has: bfloat16 and float8 as float32."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def _to_json(named):
    """Return the outputs as JSON; numbers that JSON lacks are the texts "NaN", "Infinity" and
    "-Infinity", complex numbers are pairs."""
    outputs = {}
    for name, array in named.items():
        array = _standard(array)
        if array.dtype.kind == "c":
            array = np.stack([array.real, array.imag], -1)
        listed = array.tolist()
        is_finite = array.dtype.kind != "f" or bool(np.isfinite(array).all())
        outputs[name] = listed if is_finite else _named_numbers(listed)
    return json.dumps({"outputs": outputs}, allow_nan=False).encode()


def _named_numbers(value):
    if isinstance(value, list):
        return [_named_numbers(item) for item in value]
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


class _Guarded:
    """Rejects requests for other hosts or without the token, counts all, and logs errors."""

    def __init__(self, app, hosts, token, metrics):
        self.app, self.hosts, self.token, self.metrics = app, hosts, token, metrics

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def counted(part):
            if part["type"] == "http.response.start":
                part = {**part, "headers": [*part.get("headers", []), *_HEADERS]}
                self.metrics.requests.labels(str(part["status"])).inc()
            await send(part)

        try:
            self._check(Request(scope))
            await self.app(scope, receive, counted)
        except ClientDisconnect:
            return
        except Rejected as error:
            await _rejected(None, error)(scope, receive, counted)
        except Exception:  # noqa: BLE001 - logged, after `_failed` has answered
            _log.exception("a request failed")

    def _check(self, request):
        if self.hosts is not None and request.headers.get("host", "").lower() not in self.hosts:
            raise rejected(403, "serve-host", hosts=sorted(self.hosts))
        if self.token is None or request.url.path in _OPEN:
            return
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        given = given or request.query_params.get("token", "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise rejected(401, "serve-token")


def _said(status, text):
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    headers |= {"Retry-After": "1"} if status == 503 else {}
    return JSONResponse({"error": f"{text}."}, status, headers)


def _unknown(request, error):
    """Answer to an unknown path or method."""
    paths = ["/", "/predict", "/openapi.json", "/health", "/metrics"]
    return _said(error.status_code, message("serve-path", paths=paths))


def _rejected(request, error):
    return _said(error.status, error.args[0])


def _failed(request, error):
    return _said(500, message("serve-failed"))


def application(served, *, batch=32, most_waiting=256, most_bytes=2**26, hosts=None, token=None,
                title="graph"):  # fmt: skip
    """Return the ASGI application of a `ServedGraph` that is prepared for `batch` rows.

    `batch`: the most rows of a run, which requests share; `most_waiting` requests, of `most_bytes`
    each, may wait. `hosts`: the allowed Host headers, None: any. `token`: required in the header
    `Authorization: Bearer`.
    """
    service = _Service(served, batch, most_waiting, most_bytes, title)

    @contextlib.asynccontextmanager
    async def lifespan(app):
        async with service.batcher:
            yield

    routes = [
        Route("/", service.page),
        Route("/predict", service.predict, methods=["POST"]),
        Route("/openapi.json", service.openapi),
        Route("/health", service.health),
        Route("/metrics", service.show_metrics),
    ]
    handlers = {404: _unknown, 405: _unknown, Rejected: _rejected, Exception: _failed}
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return _Guarded(app, hosts, token, service.metrics)
