"""`sporax serve`: predictions over real connections against the Cell itself, bad requests."""

import asyncio
import http.client
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import zipfile

import numpy as np
import pytest
import uvicorn

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.workbench.cli.command import main
from sporax._src.workbench.serving import ServedGraph, application
from sporax._src.workbench.serving.batching import Batcher
from sporax._src.workbench.serving.rejected import Rejected
from sporax._src.workbench.serving.served_graph import batch_sizes

JSON, NPZ = "application/json", "application/x-npz"
MOST = 100_000  # bytes of a body


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2)

    def construct(self, x, scale):
        return self.dense(x) * scale, ops.exp(100 * x)


def exported(folder, net, *inputs):
    file = str(folder / "net.mindir")
    ms.export(net, *inputs, file_name=file, file_format="MINDIR")
    return file


class Running:
    """A service on a free port of this machine, in a thread."""

    def __init__(self, served, **options):
        config = uvicorn.Config(application(served, **options), port=0, log_level="critical")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        self.port = self.server.servers[0].sockets[0].getsockname()[1]

    def end(self):
        self.server.should_exit = True
        self.thread.join()

    def ask(self, method, path, body=None, **headers):
        """Return (status, headers, body) of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def predict(self, inputs):
        status, _, body = self.ask("POST", "/predict", json.dumps({"inputs": inputs}),
                                   Content_Type=JSON)  # fmt: skip
        return status, json.loads(body)


@pytest.fixture(scope="module")
def net():
    return Net()


@pytest.fixture(scope="module")
def served(net, tmp_path_factory):
    any_batch = Tensor(shape=[None, 3], dtype=ms.float32)
    scale = Tensor(shape=[None, 1], dtype=ms.float32)
    graph = ServedGraph(exported(tmp_path_factory.mktemp("served"), net, any_batch, scale))
    graph.prepare(4)
    return graph


@pytest.fixture(scope="module")
def running(served):
    service = Running(served, batch=4, most_bytes=MOST)
    yield service
    service.end()


def arrays(rows, seed=0):
    random = np.random.default_rng(seed)
    return [random.normal(size=(rows, n)).astype(np.float32) / 4 for n in (3, 1)]


def names(specs):
    return [spec.name for spec in specs]


def test_json_gives_what_the_cell_computes(running, served, net):
    x, scale = arrays(3)
    inputs = dict(zip(names(served.inputs), (x.tolist(), scale.tolist()), strict=True))
    status, answer = running.predict(inputs)
    assert status == 200
    expected = net(Tensor(x), Tensor(scale))
    for name, array in zip(names(served.outputs), expected, strict=True):
        np.testing.assert_allclose(answer["outputs"][name], array.asnumpy(), 1e-5)


def test_npz_gives_what_the_cell_computes(running, served, net):
    x, scale = arrays(2)
    body = io.BytesIO()
    np.savez(body, **dict(zip(names(served.inputs), (x, scale), strict=True)))
    status, headers, body = running.ask("POST", "/predict", body.getvalue(), Content_Type=NPZ)
    assert (status, headers["content-type"]) == (200, NPZ)
    with np.load(io.BytesIO(body)) as answer:
        expected = net(Tensor(x), Tensor(scale))
        for name, array in zip(names(served.outputs), expected, strict=True):
            np.testing.assert_allclose(answer[name], array.asnumpy(), 1e-5)


def test_numbers_that_json_lacks_are_named(running, served):
    first, second = names(served.inputs)
    status, answer = running.predict({first: [[9, 0, 0]], second: [[1]]})
    assert status == 200
    assert answer["outputs"][names(served.outputs)[1]] == [["Infinity", 1.0, 1.0]]


def test_many_clients_get_their_own_rows(running, served, net):
    found = {}

    def client(k):
        x, scale = arrays(1 + k % 3, seed=k)
        inputs = dict(zip(names(served.inputs), (x.tolist(), scale.tolist()), strict=True))
        found[k] = running.predict(inputs), net.dense.weight.asnumpy() @ x.T

    threads = [threading.Thread(target=client, args=(k,)) for k in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bias = net.dense.bias.asnumpy()
    for k, ((status, answer), product) in found.items():
        assert status == 200
        expected = (product.T + bias) * arrays(1 + k % 3, seed=k)[1]
        np.testing.assert_allclose(
            answer["outputs"][names(served.outputs)[0]], expected, rtol=1e-4, atol=1e-5
        )


def test_waiting_requests_share_a_run():
    runs = []

    def compute(inputs):
        runs.append(len(inputs[0]))
        time.sleep(0.05)
        return [2 * inputs[0]]

    async def all_of_them():
        async with Batcher(compute, 8, 100) as batcher:
            tasks = [batcher.run([np.full((1, 2), k)]) for k in range(9)]
            return await asyncio.gather(*tasks)

    answers = asyncio.run(all_of_them())
    assert [int(answer[0][0, 0]) for answer in answers] == [2 * k for k in range(9)]
    assert runs == [8, 1]


def test_a_failing_request_fails_alone():
    def compute(inputs):
        if (inputs[0] == 3).any():
            raise ZeroDivisionError
        return [inputs[0]]

    async def all_of_them():
        async with Batcher(compute, 8, 100) as batcher:
            tasks = [batcher.run([np.full((1,), k)]) for k in range(6)]
            return await asyncio.gather(*tasks, return_exceptions=True)

    answers = asyncio.run(all_of_them())
    assert [type(answer) for answer in answers] == [list] * 3 + [ZeroDivisionError] + [list] * 2


def test_too_many_waiting_requests_are_rejected():
    async def all_of_them():
        async with Batcher(lambda inputs: time.sleep(0.1) or inputs, 1, 2) as batcher:
            tasks = [asyncio.create_task(batcher.run([np.zeros((1,))])) for _ in range(6)]
            return await asyncio.gather(*tasks, return_exceptions=True)

    answers = asyncio.run(all_of_them())
    refused = [answer for answer in answers if isinstance(answer, Rejected)]
    assert refused and all(error.status == 503 for error in refused)


@pytest.mark.parametrize(("most", "sizes"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6])])
def test_sizes_of_batches(most, sizes):
    assert batch_sizes(most) == sizes


def bad_bodies(served):
    first, second = names(served.inputs)
    good = {first: [[1, 2, 3]], second: [[1]]}
    bomb, pickled = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{first}.npy", b"\0" * 10 * MOST)
    np.savez(pickled, **{first: np.array([{}], object), second: np.zeros((1, 1), np.float32)})

    def inputs(**changed):
        return JSON, json.dumps({"inputs": good | changed}).encode()

    rows = {first: [[1, 2, 3]] * 5, second: [[1]] * 5}
    return {
        "no_json": (JSON, b"{", 400), "nothing": (JSON, b"", 400), "list": (JSON, b"[]", 400),
        "other_keys": (JSON, b'{"inputs": {}, "x": 1}', 400),
        "deep": (JSON, b'{"inputs": ' + b"[" * 40_000, 400), "no_utf8": (JSON, b"\xff\xfe", 400),
        "lacks": (JSON, json.dumps({"inputs": {first: [[1, 2, 3]]}}).encode(), 422),
        "names": (*inputs(z=1), 422), "texts": (*inputs(**{second: [["1"]]}), 422),
        "ragged": (*inputs(**{first: [[1, 2], [3]]}), 422),
        "sizes": (*inputs(**{first: [[1, 2]]}), 422),
        "rows": (*inputs(**{first: [[1, 2, 3]] * 2}), 422),
        "none": (*inputs(**{first: [], second: []}), 422),
        "huge_numbers": (*inputs(**{second: [[10**400]]}), 422),
        "many_rows": (*inputs(**rows), 413), "large": (JSON, b" " * (MOST + 1), 413),
        "no_npz": (NPZ, b"PK\x03\x04", 400), "bomb": (NPZ, bomb.getvalue(), 413),
        "pickle": (NPZ, pickled.getvalue(), 400), "cut": (NPZ, pickled.getvalue()[:-30], 400),
        "kind": ("text/plain", b"x", 415), "no_kind": ("", b"x", 415),
    }  # fmt: skip


def test_bad_bodies_get_one_sentence(running, served):
    for name, (kind, body, status) in bad_bodies(served).items():
        found, _, answer = running.ask("POST", "/predict", body, Content_Type=kind)
        assert found == status, name
        said = json.loads(answer)
        assert said.keys() == {"error"} and re.fullmatch(r"[^\n]{10,400}\.", said["error"]), name
        assert "Traceback" not in said["error"] and os.sep + "sporax" not in said["error"]


def test_mutated_bodies_never_break_the_service(running, served):
    first, second = names(served.inputs)
    good = json.dumps({"inputs": {first: [[1, 2, 3]], second: [[1]]}}).encode()
    packed = io.BytesIO()
    np.savez(packed, **{first: np.ones((1, 3), np.float32), second: np.ones((1, 1), np.float32)})
    random = np.random.default_rng(3)
    for k in range(200):
        kind, body = ((JSON, good), (NPZ, packed.getvalue()))[k % 2]
        body = bytearray(body)
        for _ in range(random.integers(1, 4)):
            body[random.integers(len(body))] = random.integers(256)
        status, _, answer = running.ask("POST", "/predict", bytes(body), Content_Type=kind)
        assert status in (200, 400, 413, 422), answer
    assert running.ask("GET", "/health")[0] == 200


@pytest.mark.parametrize(("method", "path", "status"), [
    ("GET", "/nowhere", 404), ("GET", "/predict", 405), ("DELETE", "/", 405), ("GET", "/../x", 404),
])  # fmt: skip
def test_other_paths_and_methods(method, path, status, running):
    found, headers, body = running.ask(method, path)
    assert found == status and "/predict" in json.loads(body)["error"]
    assert headers["x-content-type-options"] == "nosniff"


def test_the_page_and_its_interface(running, served):
    status, headers, page = running.ask("GET", "/")
    assert status == 200 and b"curl http://" in page and headers["x-frame-options"] == "DENY"
    description = json.loads(running.ask("GET", "/openapi.json")[2])
    body = description["paths"]["/predict"]["post"]["requestBody"]["content"][JSON]["schema"]
    inputs = body["properties"]["inputs"]
    assert inputs["required"] == names(served.inputs)
    row = inputs["properties"][names(served.inputs)[0]]["items"]
    assert (row["minItems"], row["maxItems"], row["items"]["type"]) == (3, 3, "number")


def test_metrics_count_requests(running):
    running.ask("GET", "/health")
    text = running.ask("GET", "/metrics")[2].decode()
    assert re.search(r'sporax_requests_total\{status="200"\} [1-9]', text)
    assert "sporax_batch_rows_bucket" in text and "sporax_predict_seconds_count" in text


def test_a_token_is_required(served):
    service = Running(served, batch=4, token="a secret of some length")
    try:
        assert service.ask("GET", "/")[0] == 401
        assert service.ask("GET", "/", Authorization="Bearer another")[0] == 401
        assert service.ask("GET", "/", Authorization="Bearer a secret of some length")[0] == 200
        assert service.ask("GET", "/?token=a%20secret%20of%20some%20length")[0] == 200
        assert service.ask("GET", "/health")[0] == 200
    finally:
        service.end()


def test_other_hosts_are_rejected(served):
    service = Running(served, batch=4, hosts={"127.0.0.1:1"})
    try:
        status, _, body = service.ask("GET", "/")
        assert status == 403 and "Host header" in json.loads(body)["error"]
    finally:
        service.end()


def test_errors_of_the_program_are_not_sent(tmp_path):
    class Breaks:
        inputs = outputs = ()
        batch, why_single = None, ""

        def taken(self, values):
            return []

        def __call__(self, arrays):
            raise RuntimeError("an internal secret")

    service = Running(Breaks())
    try:
        status, _, body = service.ask("POST", "/predict", b'{"inputs": {}}', Content_Type=JSON)
        assert status == 500 and b"secret" not in body and b"log" in body
    finally:
        service.end()


def test_rows_that_influence_each_other_are_not_batched(tmp_path):
    any_batch = Tensor(shape=[None, 3], dtype=ms.float32)
    file = exported(tmp_path, lambda x: x - x.mean(0), any_batch)
    graph = ServedGraph(file)
    assert graph.batch is not None
    graph.prepare(4)
    assert graph.batch is None and "depend on the other rows" in graph.why_single


def test_a_fixed_size_is_not_batched(tmp_path):
    graph = ServedGraph(exported(tmp_path, nn.Dense(2, 1), ops.ones((3, 2))))
    assert graph.batch is None and "shape=[None" in graph.why_single


def test_the_command_serves_a_file(tmp_path):
    any_batch = Tensor(shape=[None, 2], dtype=ms.float32)
    net = nn.Dense(2, 1, weight_init="ones", has_bias=False)
    file = exported(tmp_path, net, any_batch)
    command = [sys.executable, "-m", "sporax", "serve", file, "--batch", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(re.search(r"http://127\.0\.0\.1:(\d+)/ ", process.stdout.readline())[1])
            body = json.dumps({"inputs": {"x": [[1, 2]]}})
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("POST", "/predict", body, {"Content-Type": JSON})
            assert json.loads(connection.getresponse().read())["outputs"].popitem()[1] == [[3.0]]
            connection.close()
        finally:
            process.terminate()
    assert process.returncode == -signal.SIGTERM  # after the requests that ran


def test_what_cannot_be_served(tmp_path, capsys):
    (tmp_path / "bad.mindir").write_bytes(b"bad")
    secret = tmp_path / "token"
    secret.write_text("short")
    secret.chmod(0o600)
    good = exported(tmp_path, nn.Dense(2, 1), ops.ones((3, 2)))
    assert main(["serve", str(tmp_path / "none.mindir")]) == 2
    assert main(["serve", str(tmp_path / "bad.mindir")]) == 2
    assert main(["serve", good, "--token", str(secret)]) == 2
    secret.chmod(0o644)
    assert main(["serve", good, "--token", str(secret)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4 and all(line.startswith("sporax: ") for line in lines)
