"""The live page: what is served, to whom, and how `sporax watch` ends."""

import http.client
import json
import signal
import subprocess
import sys
import threading

import pytest

from sporax import Tensor, insight
from sporax._src.workbench.cli import main
from sporax.insight.dashboard_server import DashboardServer
from sporax.insight.run_files import FILE
from tests.insight.browser import document_of


@pytest.fixture
def runs(tmp_path):
    """A folder with one run."""
    insight.RunRecord(tmp_path / "runs" / "a").log(1, loss=0.5)
    return tmp_path / "runs"


@pytest.fixture
def server(runs):
    with DashboardServer([runs]) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()


def answer(server, path="/data", method="GET", host=None, token=None):
    """(status, headers, text) of an answer; `host`: the headers of that name."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    query = f"?token={server.token if token is None else token}"
    connection.putrequest(method, path + query, skip_host=True)
    for name in [f"127.0.0.1:{server.server_port}"] if host is None else host:
        connection.putheader("Host", name.format(port=server.server_port))
    connection.endheaders()
    got = connection.getresponse()
    text = got.read().decode()
    connection.close()
    return got.status, got.headers, text


def test_runs_are_followed(server, runs):
    assert server.server_address[0] == "127.0.0.1"
    status, headers, page = answer(server, "/")
    assert status == 200 and "connect-src &#x27;self&#x27;" in page
    assert headers["X-Frame-Options"] == "DENY"
    losses = {"a": [[1, 0.5]]}
    assert found(server) == losses
    insight.RunRecord(runs / "a", resume=True).log(2, loss=0.25)
    insight.RunRecord(runs / "b").log(1, loss=float("inf"))
    assert found(server) == {"a": [[1, 0.5], [2, 0.25]], "b": [[1, "inf"]]}
    (runs / "a" / FILE).unlink()
    insight.RunRecord(runs / "a").log(9, lr=1)
    assert found(server) == {"a": None, "b": [[1, "inf"]]}
    with open(runs / "a" / FILE, "a") as file:
        file.write("?\n")
    status, headers, text = answer(server)
    assert status == 500 and headers["Content-Type"] == "text/plain"
    assert "is damaged in line 3" in text


def found(server):
    return {run["name"]: run["curves"].get("loss") for run in json.loads(answer(server)[2])}


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"host": ["localhost:{port}"]}, 200),
        ({"host": ["evil.example:{port}"], "path": "/favicon.ico"}, 403),
        ({"host": ["evil.example:{port}"]}, 403),
        ({"host": ["127.0.0.1"]}, 403),
        ({"host": ["127.0.0.1:{port}", "evil.example"]}, 403),
        ({"host": []}, 403),
        ({"token": ""}, 401),
        ({"token": "another"}, 401),
        ({"path": "/", "token": "another"}, 401),
        ({"path": "/../run.jsonl"}, 404),
        ({"path": "/a/run.jsonl"}, 404),
        ({"method": "POST"}, 405),
        ({"method": "HEAD"}, 405),
        ({"method": "DELETE"}, 405),
        ({"method": "NOWHERE"}, 501),
    ],
)
def test_who_is_answered(server, request_, status):
    got, headers, text = answer(server, **request_)
    assert got == status and headers["X-Content-Type-Options"] == "nosniff"
    assert ("curves" in text) == (status == 200)


def test_command(runs, tmp_path, capsys):
    assert main(["watch", str(runs), "--seconds", "0.1"]) == 0
    assert capsys.readouterr().out.startswith("http://127.0.0.1:")
    page = tmp_path / "page.html"
    assert main(["watch", str(runs / "a"), "--html", str(page)]) == 0
    assert '"loss":[[1,0.5]]' in page.read_text("utf8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{tmp}/nowhere"], "there must be a folder"),
        (["{tmp}"], "is no run: it has no 'run.jsonl'"),
        (["{runs}", "{tmp}/other"], "is a run of version 2, but this sporax reads version 1"),
        (["{runs}", "--port", "{port}"], "is in use. Choose another one"),
        (["{runs}", "--html", "{runs}"], "Is a directory"),
    ],
)
def test_refusals(arguments, words, server, runs, tmp_path, capsys):
    if "{tmp}/other" in arguments:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / FILE).write_text('{"format":"sporax run","version":2}\n')
    tmp = tmp_path / "empty" if arguments == ["{tmp}"] else tmp_path
    tmp.mkdir(exist_ok=True)
    filled = [a.format(tmp=tmp, runs=runs, port=server.server_port) for a in arguments]
    assert main(["watch", *filled]) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert line.startswith("sporax: ") and words in line and not captured.out


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_ports_that_are_none(port, runs, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["watch", str(runs), f"--port={port}"])
    assert ended.value.code == 2 and "from 0 to 65535" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it(number, runs):
    command = [sys.executable, "-m", "sporax", "watch", str(runs), "--seconds", "60"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"http://127.0.0.1:")
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 0 and said == b""


@pytest.mark.slow
@pytest.mark.parametrize("width", [1200, 390])
def test_in_a_browser(server, runs, tmp_path, width):
    record = insight.RunRecord(runs / "<i>b", hyperparameters={"rate": 0.1}, note="<i>wide")
    for step in range(20):
        record.log(
            step,
            eval_loss=0.5,
            loss=float("nan") if step == 5 else 1 / (step + 1),
            accuracy=step / 20,
        )
        layers = {name: Tensor([1.0, step]) for name in ("<i>first", "last")}
        record.log_layers(step, "activations", layers)
    page = insight.write_dashboard(runs, tmp_path / "page.html")
    for address in (page.as_uri(), server.address):
        document, console = document_of(address, width)
        assert console == []
        table, _, charts = document.partition('id="table"')[2].partition('id="charts"')
        assert table.count("<tr") == 3 and "&lt;i&gt;wide" in table and "rate" in table
        charts, _, sections = charts.partition("<section")
        assert "dashed: eval loss" in charts and ">step<" in charts
        assert sections.count("<canvas") == 2 and "standard deviation by layer" in sections
        assert charts.count("<figure") == 2 and charts.count("M") > charts.count("<path")
        assert "&lt;i&gt;b" in document and "<i>" not in charts + sections.partition("<script")[0]
        assert (">live<" in document) == (address == server.address)
