"""The modules of `sporax/_src/workbench/cli/bench_peers`, which the wheel has: found without
importing sporax, whose dependencies an interpreter of another library may lack."""

from pathlib import Path

__path__ = [str(Path(__file__).parents[2] / "sporax/_src/workbench/cli/bench_peers")]
