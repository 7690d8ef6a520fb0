"""The environment set by a launcher: `sporax launch`, `msrun`, `mpirun` and `srun`."""

import dataclasses
import os
import zlib

from sporax._src.core.jax_internals import cluster_address
from sporax._src.diagnosis.rules import message, rejection, require

# launcher -> variables for the number of ranks, the rank, and both on its host (rank first)
LAUNCHERS = {
    "sporax launch": ("MS_WORKER_NUM", "RANK_ID", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    "msrun": ("MS_WORKER_NUM", "MS_NODE_ID", "", ""),
    "mpirun": (
        "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
    ),
    "srun": ("SLURM_NTASKS", "SLURM_PROCID", "SLURM_LOCALID", ""),
}  # fmt: skip
JOINED = "SPORAX_RANK_PROCESS"  # process id of the rank; its child processes are not ranks
LAUNCHER_PIPE = "SPORAX_LAUNCHER_PIPE"  # a file descriptor that closes when the launcher ends
LOOPBACK = "127.0.0.1"
_CLUSTERS = {"mpirun": "ompi", "srun": "slurm"}  # as JAX names them
_OTHER_ROLES = "MS_SCHED", "MS_PSERVER"
_PORTS = 61_440  # first of 4,096 ports for Slurm and MPI, chosen by the job


@dataclasses.dataclass(frozen=True)
class Launch:
    """A process's place among the ranks; `address`: host and port of the coordinator."""

    rank: int
    size: int
    address: str
    local_rank: int | None = None
    local_size: int | None = None


def read(environ=os.environ):
    """Return the `Launch` that the environment describes; None for a single process.

    Raises RuntimeError if a launcher has set an environment that cannot work here.
    """
    if environ.get(JOINED, str(os.getpid())) != str(os.getpid()):
        return None  # started by a rank: to load data, or to run another script
    for launcher, names in LAUNCHERS.items():
        size, rank, local_rank, local_size = [_whole(environ, name) for name in names]
        if size is None or size == 1 or (launcher == "srun" and not _in_step(environ)):
            continue
        if environ.get("MS_ROLE") in _OTHER_ROLES:
            raise rejection("no-scheduler-server-process", "init", role=environ["MS_ROLE"])
        if rank is None:
            continue
        names = {"name": names[1], "of": names[0]}
        require(0 <= rank < size, "rank-below-size", "init", size=size, got=rank, **names)
        address = _address(environ, launcher, local_size == size)
        if address is not None:
            return Launch(rank, size, address, local_rank, local_size)
    return None


def simulated(environ=os.environ):
    """Return the place of a process that stands for one of RANK_SIZE ranks without the others, as
    MS_SIMULATION_LEVEL asks for; None without it."""
    if not environ.get("MS_SIMULATION_LEVEL"):
        return None
    return Launch(_whole(environ, "RANK_ID") or 0, _whole(environ, "RANK_SIZE") or 1, "")


_SIZES = "MS_WORKER_NUM", "RANK_SIZE", "OMPI_COMM_WORLD_SIZE"


def incomplete(environ=os.environ):
    """Return why there is no `Launch` although a variable names several ranks, or None."""
    for name in _SIZES:
        if _whole(environ, name) not in (None, 1) and JOINED not in environ:
            return message("no-rank-said", "init", name=name, value=environ[name])
    return None


def _whole(environ, name):
    value = environ.get(name, "") if name else ""
    is_whole = not value or value.lstrip("-").isdigit()
    require(is_whole, "whole-number", "init", name=name, got=value)
    return int(value) if value else None


def _in_step(environ):
    """Return True if `srun` started this process; a batch script has some of its variables, too."""
    return {"SLURM_JOB_ID", "SLURM_STEP_NODELIST"} <= environ.keys()


def _address(environ, launcher, is_one_host):
    port = environ.get("MS_SCHED_PORT")
    if port:
        return f"{environ.get('MS_SCHED_HOST', LOOPBACK)}:{port}"
    if launcher not in _CLUSTERS:
        return None
    if launcher == "mpirun" and is_one_host:
        job = next((environ[n] for n in ("PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri")
                    if n in environ), str(os.getppid()))  # fmt: skip
        return f"{LOOPBACK}:{_PORTS + zlib.crc32(job.encode()) % 4096}"
    return cluster_address(_CLUSTERS[launcher])
