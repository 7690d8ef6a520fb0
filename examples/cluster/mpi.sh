#!/bin/bash
# 16 ranks on the two hosts of the file 'hosts': ./mpi.sh
# For 64 hosts, list them there. The coordinator is on the first one.
set -euo pipefail
cd "$(dirname "$0")"

HOSTS="${HOSTS:-hosts}"
MS_SCHED_HOST="$(awk '!/^#/ && NF { print $1; exit }' "$HOSTS")"
MS_SCHED_PORT="${MS_SCHED_PORT:-8118}"
ranks="$(awk '!/^#/ && NF { sub(/.*slots=/, ""); n += $1 } END { print n }' "$HOSTS")"
export MS_SCHED_HOST MS_SCHED_PORT

exec mpirun --hostfile "$HOSTS" -np "$ranks" -x MS_SCHED_HOST -x MS_SCHED_PORT \
    sporax run "${SCRIPT:-train.py}" "$@"
