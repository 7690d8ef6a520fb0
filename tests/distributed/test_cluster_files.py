"""The files of examples/cluster: checked by linters, against what `sporax.distributed` reads, and
run in the small, with programs that set the variables of srun and mpirun in their places."""

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sporax._src.devices.distributed.launch_environment import Launch, read
from sporax._src.workbench.cli.command import _parser
from sporax._src.workbench.cli.launch import PORT, _share

FOLDER = Path(__file__).parents[2] / "examples" / "cluster"
SCRIPTS, MANIFESTS = sorted(FOLDER.glob("*.sh")), sorted(FOLDER.glob("*.yaml"))
KEPT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C"}
KNOWN = {"getent": "#!/bin/bash\n"}  # any host is known
LINT = "comes with pip install 'sporax[lint]'"


def in_bash(command, folder, programs, **environ):
    """(exit code, lines) of a command, with some programs, {name: text}, in place of others."""
    programs = {"sporax": f'#!/bin/bash\nexec {sys.executable} -m sporax "$@"\n', **programs}
    for name, text in programs.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    environ = {**KEPT, **{k: str(v) for k, v in environ.items()}}
    environ["PATH"] = f"{folder}:{environ['PATH']}"
    run = subprocess.run(
        command, cwd=FOLDER, env=environ, text=True, check=False, timeout=200,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return run.returncode, run.stdout.splitlines()


def job(name):
    """(the Service, the Job, its container) of a manifest."""
    service, found = yaml.safe_load_all((FOLDER / name).read_text("utf8"))
    (container,) = found["spec"]["template"]["spec"]["containers"]
    return service, found, container


def variables(container):
    return {item["name"]: item["value"] for item in container["env"]}


# linters --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.name)
def test_scripts_are_bash(path):
    subprocess.run(["bash", "-n", path], check=True)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.name)
def test_shellcheck_finds_nothing(path):
    program = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:{KEPT['PATH']}")
    if program is None:
        pytest.skip(f"shellcheck {LINT}")
    run = subprocess.run([program, path], text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda p: p.name)
def test_manifests_are_those_of_kubernetes(path):
    if importlib.util.find_spec("kubernetes_validate") is None:
        pytest.skip(f"kubernetes-validate {LINT}")
    import kubernetes_validate as kubernetes

    for document in yaml.safe_load_all(path.read_text("utf8")):
        kubernetes.validate(document, kubernetes.latest_version(), strict=True)


# against what sporax reads --------------------------------------------------------------------


@pytest.mark.parametrize("name", [path.name for path in MANIFESTS])
def test_a_job_and_its_service_agree(name):
    service, found, container = job(name)
    spec, pod = found["spec"], found["spec"]["template"]["spec"]
    own = found["metadata"]["name"]
    assert spec["completionMode"] == "Indexed" and spec["completions"] == spec["parallelism"]
    assert pod["subdomain"] == service["metadata"]["name"]
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["selector"] == {"job-name": own}
    names = [v for k, v in variables(container).items() if k in ("POD_NAMES", "HOST_NAMES")]
    assert names == [f"{own}-%g.{pod['subdomain']}"]


def test_the_pods_share_the_ranks(tmp_path):
    service, found, container = job("gpu_job.yaml")
    pods, given = found["spec"]["completions"], variables(container)
    per_pod = int(container["resources"]["limits"]["nvidia.com/gpu"])
    assert (int(given["PODS"]), int(given["RANKS_PER_POD"])) == (pods, per_pod)
    ranks = []
    for index in range(pods):
        code, (line,) = in_bash(
            container["command"], tmp_path, KNOWN | {"sporax": '#!/bin/bash\necho "$@"\n'}, **given,
            JOB_COMPLETION_INDEX=index,
        )  # fmt: skip
        options = _parser().parse_args(line.split())
        hosts = options.hosts.split(",")
        assert (code, options.host_index, hosts[-1]) == (0, index, f"train-{pods - 1}.train")
        first, count = _share(options.n, hosts, options.host_index)
        ranks += range(first, first + count)
        assert (options.port, options.script) == (PORT, "train.py")
    assert ranks == list(range(pods * per_pod))
    ports = [item["containerPort"] for item in container["ports"]]
    assert ports == [item["port"] for item in service["spec"]["ports"]] == [PORT, PORT + 1]


# as libtpu has them: the chips of a host, by the numbers in a slice of 4x4
CHIPS = [(0, 1, 4, 5), (2, 3, 6, 7), (8, 9, 12, 13), (10, 11, 14, 15)]
SHOWN = (
    "RANK_ID",
    "LOCAL_RANK",
    "MS_WORKER_NUM",
    "LOCAL_WORLD_SIZE",
    "MS_SCHED_HOST",
    "MS_SCHED_PORT",
)


@pytest.mark.parametrize("host", range(4))
def test_each_chip_of_a_tpu_host_has_a_rank(tmp_path, host):
    _, found, container = job("tpu_job.yaml")
    assert found["spec"]["completions"] == len(CHIPS)
    assert container["resources"]["limits"]["google.com/tpu"] == "4"
    names = [*SHOWN, "CLOUD_TPU_TASK_ID", "TPU_VISIBLE_CHIPS", "TPU_PROCESS_PORT",
             "TPU_PROCESS_ADDRESSES", "TPU_PROCESS_BOUNDS"]  # fmt: skip
    echo = "#!/bin/bash\necho " + " ".join(f"{name}=${name}" for name in names) + "\n"
    code, lines = in_bash(
        container["command"], tmp_path, KNOWN | {"sporax": echo}, **variables(container),
        JOB_COMPLETION_INDEX=host,
    )  # fmt: skip
    assert (code, len(lines)) == (0, 4)
    environs = [dict(item.split("=", 1) for item in line.split()) for line in lines]
    for told in environs:
        rank, chip = int(told["RANK_ID"]), int(told["LOCAL_RANK"])
        assert rank == CHIPS[host][chip] == int(told["CLOUD_TPU_TASK_ID"])
        assert read({k: told[k] for k in SHOWN}) == Launch(rank, 16, "train-0.train:8118", chip, 4)
        addresses = told["TPU_PROCESS_ADDRESSES"].split(",")
        assert len(set(addresses)) == 16 and told["TPU_VISIBLE_CHIPS"] == str(chip)
        assert addresses[rank] == f"train-{host}.train:{told['TPU_PROCESS_PORT']}"
    assert len({told["RANK_ID"] for told in environs}) == 4


def test_the_batch_script_has_a_rank_for_each_gpu(monkeypatch):
    text = (FOLDER / "slurm.sh").read_text("utf8")
    asked = dict(re.findall(r"^#SBATCH --([\w-]+)=(\S+)", text, re.MULTILINE))
    hosts, per_host = int(asked["nodes"]), int(asked["ntasks-per-node"])
    last = {
        "SLURM_JOB_ID": "77", "SLURM_STEP_NODELIST": "node[001-064]", "SLURM_LOCALID": "7",
        "SLURM_NTASKS": str(hosts * per_host), "SLURM_PROCID": str(hosts * per_host - 1),
    }  # fmt: skip
    for name, value in last.items():  # JAX reads the process' own
        monkeypatch.setenv(name, value)
    assert read(last) == Launch(511, 512, f"node001:{65535 - 4096 + 1 + 77}", 7, None)
    assert asked["gpus-per-task"] == "1"


# in the small ---------------------------------------------------------------------------------

# what stands for a launcher: two processes with its variables
SRUN = """#!/bin/bash
while [[ $1 == --* ]]; do shift; done
for i in 0 1; do
    SLURM_JOB_ID=$JOB SLURM_STEP_NODELIST=localhost SLURM_NTASKS=2 SLURM_PROCID=$i \\
        SLURM_LOCALID=$i "$@" &
done
wait -n && wait -n
"""
MPIRUN = """#!/bin/bash
[[ $1 == --hostfile && $3 == -np && $5 == -x && $7 == -x ]] || exit 9
n=$4
shift 8
for ((i = 0; i < n; i++)); do
    OMPI_COMM_WORLD_SIZE=$n OMPI_COMM_WORLD_RANK=$i OMPI_COMM_WORLD_LOCAL_RANK=$i \\
        OMPI_COMM_WORLD_LOCAL_SIZE=$n "$@" &
done
wait -n && wait -n
"""
ROOT = {f"{p}_ALLOW_RUN_AS_ROOT{c}": 1 for p in ("OMPI", "PRTE") for c in ("", "_CONFIRM")}


def small(port, folder):
    """name -> (commands that run at once, stand-ins, variables)."""
    shared = {"XLA_FLAGS": "--xla_backend_optimization_level=0", "JAX_PLATFORMS": "cpu"}
    (folder / "two").write_text("# a comment\nlocalhost slots=2\n")
    container = job("gpu_job.yaml")[2]
    pods = variables(container) | {"PODS": 2, "RANKS_PER_POD": 1, "POD_NAMES": "127.0.1.%g"}
    out = ["--out", str(folder / "out")]
    mpi = {"HOSTS": folder / "two", "MS_SCHED_PORT": port}
    chips = {"COLUMNS_OF_CHIPS": 2, "ROWS_OF_CHIPS": 2, "HOST": 0, "HOST_NAMES": "127.0.1.%g"}
    return {
        "slurm": ([["./slurm.sh", *out]], {"srun": SRUN}, shared | {"JOB": port}),
        "mpi": ([["./mpi.sh", *out]], {"mpirun": MPIRUN}, shared | mpi),
        "open mpi": ([["./mpi.sh", *out]], {}, shared | mpi | ROOT),
        "hosts": (
            [["./hosts.sh", *out]], {}, shared | {"HOSTS": "127.0.0.1", "PER_HOST": 2},
        ),
        "kubernetes": (
            [container["command"]] * 2, {}, shared | pods | {"PORT": port},
        ),
        "tpu": ([["./tpu_ranks.sh", *out]], {}, shared | chips | {"PORT": port}),
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["slurm", "mpi", "open mpi", "hosts", "kubernetes", "tpu"])
def test_training_is_started(name, tmp_path):
    if name == "open mpi" and shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun on this machine")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    commands, programs, environ = small(port, tmp_path)[name]
    if len(commands) > 1:  # the pods
        script = "cd $OUT; for i in 0 1; do JOB_COMPLETION_INDEX=$i SCRIPT=$FOLDER/train.py "
        script += 'bash -c "$COMMAND" & done; wait -n && wait -n'
        environ |= {"COMMAND": commands[0][2], "FOLDER": FOLDER, "OUT": tmp_path}
        commands = [["bash", "-c", script]]
    code, lines = in_bash(commands[0], tmp_path, programs, **environ)
    ranks = 4 if name == "tpu" else 2
    said = [line for line in lines if f"{ranks} ranks, accuracy 0.9" in line]
    assert (code, len(said)) == (0, 1), "\n".join(lines)
    assert next(tmp_path.glob("out*/net.ckpt")).stat().st_size > 8000


@pytest.mark.slow
def test_a_failing_rank_of_a_tpu_host_ends_the_others(tmp_path):
    fails = "#!/bin/bash\n[[ $LOCAL_RANK == 2 ]] && exit 3\nexec sleep 100\n"
    environ = {"COLUMNS_OF_CHIPS": 4, "ROWS_OF_CHIPS": 4, "HOST": 1, "HOST_NAMES": "h%g"}
    code, lines = in_bash(["./tpu_ranks.sh"], tmp_path, KNOWN | {"sporax": fails}, **environ)
    assert (code, lines) == (3, [])
