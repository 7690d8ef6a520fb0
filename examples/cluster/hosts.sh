#!/bin/bash
# Without a job system: run this on each host, with the same HOSTS on all of them.
# HOSTS=node01,node02 ./hosts.sh
# They need the same ~/.local/state/sporax/job_key, or the same text in SPORAX_JOB_KEY.
set -euo pipefail
cd "$(dirname "$0")"

HOSTS="${HOSTS:?the names of the hosts, with commas between them}"
PER_HOST="${PER_HOST:-8}"
commas="${HOSTS//[^,]/}"
exec sporax launch -n "$(((${#commas} + 1) * PER_HOST))" --hosts "$HOSTS" "${SCRIPT:-train.py}" "$@"
