#!/bin/bash
# 512 ranks on 64 hosts with 8 GPUs each: sbatch slurm.sh
# On one host with 8 GPUs: sbatch --nodes=1 slurm.sh
#SBATCH --job-name=sporax
#SBATCH --nodes=64
#SBATCH --ntasks-per-node=8
#SBATCH --gpus-per-task=1
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
#SBATCH --output=%x-%j.out
set -euo pipefail

# The coordinator is on the first host, at a port that follows from the number of the job.
# With --kill-on-bad-exit, the first rank that fails ends the others.
srun --kill-on-bad-exit=1 --label sporax run "${SCRIPT:-train.py}" "$@"
