"""One peer in one process: reads requests, a JSON line each, and answers with seconds.

{"do": "first", "case": name}            set-up and first call
{"do": "repeat", "case": name, "for": s}  call again and again for `s` seconds: each call's seconds
{"do": "each", "case": name, "calls": n}  n calls, none of them before: each call's seconds
"""

import importlib
import json
import sys
import time


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def answer(cases, ready, request):
    case = request["case"]
    if request["do"] == "first":
        start = time.perf_counter()
        ready[case] = cases[case]()
        ready[case]()
        return [time.perf_counter() - start]
    if request["do"] == "each":
        step = cases[case]()
        return [timed(step) for _ in range(request["calls"])]
    step, seconds = ready[case], []
    end = time.perf_counter() + request["for"]
    while time.perf_counter() < end:
        seconds.append(timed(step))
    return seconds


def main(peer, channel=sys.stdout):
    start = time.perf_counter()
    if peer == "sporax":
        import sporax

        sporax.install_as_mindspore()
        peer = "mindspore"
    cases = importlib.import_module(f"bench.peers.{peer}_peer").CASES
    ready = {}
    print(json.dumps([time.perf_counter() - start]), file=channel, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(cases, ready, json.loads(line))), file=channel, flush=True)


if __name__ == "__main__":
    out = sys.stdout
    sys.stdout = sys.stderr  # what a peer prints is not an answer
    main(sys.argv[1], out)
