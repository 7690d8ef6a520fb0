"""Collectives read from compiled programs, against bytes that are counted by hand."""

import pytest

from sporax._src.devices.sharding.collective_bytes import Collective, collectives, total_traffic
from tests.module_output import json_of

WHOLE = 16 * 32 * 4  # bytes of the array that `compiled_collectives` divides by rows

# program -> (kind, its bytes on n devices, how often), with a part of WHOLE / n on each device
COUNTED = {
    "psum": ("all-reduce", lambda n: WHOLE // n, 1),
    "all_gather": ("all-gather", lambda n: WHOLE, 1),
    "psum_scatter": ("reduce-scatter", lambda n: WHOLE // n, 1),
    "all_to_all": ("all-to-all", lambda n: WHOLE // n, 1),
    "ppermute": ("collective-permute", lambda n: WHOLE // n, 1),
    "loop": ("all-reduce", lambda n: WHOLE // n, 5),
    "unknown": ("all-reduce", lambda n: WHOLE // n, 1),
    "int8": ("all-gather", lambda n: WHOLE // 4, 1),
    "bfloat16": ("all-gather", lambda n: WHOLE, 1),  # XLA:CPU makes it float32
    "twice": ("all-reduce", lambda n: WHOLE // n + 32 * 4, 1),  # combined into one
}
# bytes that each device sends on a ring of n, in bytes of the array
SENT = {
    "all-reduce": {2: 1, 4: 1.5, 8: 1.75},
    "all-gather": {2: 0.5, 4: 0.75, 8: 0.875},
    "reduce-scatter": {2: 0.5, 4: 0.75, 8: 0.875},
    "all-to-all": {2: 0.5, 4: 0.75, 8: 0.875},
    "collective-permute": {2: 1, 4: 1, 8: 1},
}


@pytest.fixture(scope="module")
def compiled():
    return json_of("tests.sharding.compiled_collectives")


@pytest.mark.parametrize("n", [2, 4, 8])
@pytest.mark.parametrize("program", COUNTED)
def test_bytes_are_those_counted_by_hand(compiled, program, n):
    kind, size, count = COUNTED[program]
    members = 2 if program == "ppermute" else n  # its groups are pairs
    known = program != "unknown"
    assert compiled[f"{program}-{n}"] == [[kind, size(n), members, count, known]]


@pytest.mark.parametrize(("program", "n"), [("psum of a and c", 4), ("psum of b", 2)])
def test_groups_of_a_grid(compiled, program, n):
    assert compiled[program] == [["all-reduce", WHOLE // 2, n, 1, True]]


@pytest.mark.parametrize("kind", SENT)
@pytest.mark.parametrize("n", [2, 4, 8])
def test_traffic_of_a_ring(kind, n):
    c = Collective(kind, 1000, (tuple(range(n)),), 3)
    assert c.traffic == 3000 * SENT[kind][n]
    assert total_traffic([c, c]) == {kind: (6, 6000, 6000 * SENT[kind][n])}


# the text of other backends: an instruction, and what it is
TEXTS = {
    "f32[8,4]{1,0} all-reduce(%x), replica_groups=[2,4]<=[8], to_apply=%add":
        ("all-reduce", 128, ((0, 1, 2, 3), (4, 5, 6, 7))),
    "f32[8,4]{1,0} all-reduce(%x), replica_groups=[4,2]<=[2,4]T(1,0), to_apply=%add":
        ("all-reduce", 128, ((0, 4), (1, 5), (2, 6), (3, 7))),
    "f32[8] all-reduce(%x), replica_groups=mesh['p'=2,'q'=4] {'p'}, to_apply=%add":
        ("all-reduce", 32, ((0, 4), (1, 5), (2, 6), (3, 7))),
    "f32[8] all-reduce(%x), replica_groups=mesh['p'=8] {'p':(2)2}, to_apply=%add":
        ("all-reduce", 32, ((0, 2), (1, 3), (4, 6), (5, 7))),
    "f32[8] all-reduce(%x), replica_groups=mesh['p'=2,'q'=4], device_ids=([4,2]T(1,0)) {'q'}":
        ("all-reduce", 32, ((0, 2, 4, 6), (1, 3, 5, 7))),
    "f32[8] all-reduce(%x), replica_groups={}, to_apply=%add":
        ("all-reduce", 32, (tuple(range(8)),)),
    "(f32[8]{0}, /*index=1*/bf16[3,5]{1,0}) all-reduce-start(%x, %y), replica_groups=[1,8]<=[8]":
        ("all-reduce", 62, (tuple(range(8)),)),
    "(bf16[2,4]{1,0:T(8,128)(2,1)}, bf16[16,4]{1,0:T(8,128)(2,1)S(1)}) all-gather-start(%x), "
    "replica_groups=[1,8]<=[8], dimensions={0}":
        ("all-gather", 128, (tuple(range(8)),)),
    "((f32[2], s8[4]), (f32[8], s8[16])) all-gather-start(%x, %y), replica_groups=[2,4]<=[8]":
        ("all-gather", 48, ((0, 1, 2, 3), (4, 5, 6, 7))),
    "f32[4] reduce-scatter(%x), replica_groups=[4,2]<=[8], dimensions={0}, to_apply=%add":
        ("reduce-scatter", 32, ((0, 1), (2, 3), (4, 5), (6, 7))),
    "((f32[16]), f32[4]) reduce-scatter-start(%x), replica_groups=[2,4]<=[8], to_apply=%add":
        ("reduce-scatter", 64, ((0, 1, 2, 3), (4, 5, 6, 7))),
    "(f32[6], f32[6], u32[], u32[]) collective-permute-start(%x), "
    "source_target_pairs={{0,1},{1,0}}":
        ("collective-permute", 24, ((0, 1), (1, 0))),
    "(u8[4,2], u8[4,2]) all-to-all(%x, %y), replica_groups={{0,1},{2,3},{4,5},{6,7}}":
        ("all-to-all", 16, ((0, 1), (2, 3), (4, 5), (6, 7))),
}  # fmt: skip


def module(*instructions, entry="ENTRY ", header="num_partitions=8"):
    lines = [f"  %i.{k} = {text}" for k, text in enumerate(instructions)]
    return "\n".join([
        f"HloModule m, {header}", "", "%add (a: f32[], b: f32[]) -> f32[] {",
        "  ROOT %sum = f32[] add(%a, %b)", "}", "",
        f"{entry}%main (x: f32[8,4]) -> f32[8,4] {{", *lines, "}",
    ])  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_forms_of_the_text(text):
    (c,) = collectives(module(text))
    assert (c.kind, c.size, c.groups) == TEXTS[text]


def test_what_is_started_counts_once():
    found = collectives(module(
        "(f32[8], f32[8]) all-gather-start(%x), replica_groups=[1,8]<=[8]",
        "f32[8] all-gather-done(%i.0)",
        "((f32[8]), f32[8], u32[]) async-start(%x), calls=%wrapped",
        "f32[8] async-done(%i.2), calls=%wrapped",
    ).replace("ENTRY", "%wrapped (x: f32[8]) -> f32[8] {\n  ROOT %r = f32[8] all-to-all(%x), "
              "replica_groups=[1,8]<=[8]\n}\n\nENTRY"))  # fmt: skip
    assert [c.kind for c in found] == ["all-gather", "all-to-all"]


def test_groups_of_one_device_exchange_nothing():
    text = "f32[8] all-reduce(%x), replica_groups=[8,1]<=[8], to_apply=%add"
    permute = "f32[8] collective-permute(%x), source_target_pairs={{0,0},{1,1}}"
    assert collectives(module(text, permute)) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no module", "without a computation ENTRY"),
        (module("f32[8] all-reduce(%x), replica_groups=@somewhere"), "groups of devices"),
        (module("f99x[8] all-reduce(%x), replica_groups={}"), "dtype 'f99x'"),
    ],
)
def test_unknown_text_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        collectives(text)
