#!/bin/bash
# The ranks of one host of a TPU v5e slice: one for each of its four chips.
# Each host has a square of 2 x 2 chips; a rank's number is that of its chip, counted by rows of the
# slice. The first rank that fails ends the others of this host.
set -euo pipefail

COLUMNS_OF_CHIPS="${COLUMNS_OF_CHIPS:?chips in a row of the slice: 4 of 4x4}"
ROWS_OF_CHIPS="${ROWS_OF_CHIPS:?rows of the slice: 4 of 4x4}"
HOST="${HOST:?which host of the slice this is, from 0 on}"
HOST_NAMES="${HOST_NAMES:?a format with %g for the number of a host, such as train-%g.train}"
PORT="${PORT:-8118}"
SCRIPT="${SCRIPT:-train.py}"

# (the number of a host, the number of its chip) -> rank
rank_of() {
    local across=$((COLUMNS_OF_CHIPS / 2))
    local x=$((2 * ($1 % across) + $2 % 2)) y=$((2 * ($1 / across) + $2 / 2))
    echo $((x + COLUMNS_OF_CHIPS * y))
}

name_of() { seq -f "$HOST_NAMES" "$1" "$1"; }

export MS_WORKER_NUM=$((COLUMNS_OF_CHIPS * ROWS_OF_CHIPS)) LOCAL_WORLD_SIZE=4
MS_SCHED_HOST="$(name_of 0)"
export MS_SCHED_HOST MS_SCHED_PORT="$PORT"
export TPU_CHIPS_PER_PROCESS_BOUNDS=1,1,1 TPU_PROCESS_BOUNDS="$COLUMNS_OF_CHIPS,$ROWS_OF_CHIPS,1"
export ALLOW_MULTIPLE_LIBTPU_LOAD=1

# the first host listens at its name, which DNS knows some seconds after its start
for _ in {1..120}; do
    getent ahosts "$MS_SCHED_HOST" > /dev/null && break
    sleep 1
done

addresses=()
for ((host = 0; host < MS_WORKER_NUM / 4; host++)); do
    for chip in 0 1 2 3; do
        addresses[$(rank_of "$host" "$chip")]="$(name_of "$host"):$((8476 + chip))"
    done
done
TPU_PROCESS_ADDRESSES="$(IFS=,; echo "${addresses[*]}")"
export TPU_PROCESS_ADDRESSES

trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
for chip in 0 1 2 3; do
    rank="$(rank_of "$HOST" "$chip")"
    RANK_ID="$rank" LOCAL_RANK="$chip" CLOUD_TPU_TASK_ID="$rank" TPU_VISIBLE_CHIPS="$chip" \
        TPU_PROCESS_PORT=$((8476 + chip)) sporax run "$SCRIPT" "$@" &
done
for chip in 0 1 2 3; do
    wait -n
done
