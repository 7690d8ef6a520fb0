#!/bin/sh
# Examines sporax on a machine with one NVIDIA GPU within ten minutes, and writes one page:
# gpu_first_hour.sh [--platform cpu] [--short] [--out gpu.md]; see gpu_first_hour.py. The Python is
# PYTHON, or the one of the project's environment.
root=$(dirname "$0")/..
python=${PYTHON:-$root/.venv/bin/python}
export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"
exec "$python" "$root/tools/gpu_first_hour.py" "$@"
