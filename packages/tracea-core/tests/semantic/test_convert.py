# SPDX-License-Identifier: MIT
"""Conversions arrive where they should, by the fewest shuffles there are, and without bank conflicts that can be avoided."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tracea_core.errors import ConfigurationError
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.semantic.convert import Conversion, convert
from tracea_core.semantic.convert_lanes import lane_plan
from tracea_core.semantic.convert_shared import _elements, shared_plan
from tracea_core.semantic.distributed import common_block, distribute
from tracea_core.semantic.fragment import FragmentAxis, FragmentLayout, Holder, Repeat
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.lanes import instruction


def names(layout: FragmentLayout) -> np.ndarray:
    """The element in every register of every lane, as a number."""
    row, column = layout.elements()
    return row * layout.shape[1] + column


def arrives(conversion: Conversion) -> bool:
    return np.array_equal(conversion.run(names(conversion.source)), names(conversion.target))


def scattered(lanes: int, registers: int, columns: tuple[int, ...]) -> FragmentLayout:
    """A fragment of one column whose register and lane bits reach the given elements."""
    bits = max([1, *(c.bit_length() for c in columns)])
    bits = max(bits, lanes + registers)
    return FragmentLayout((1 << bits, 1), lanes, registers, bits, 0, Matrix(bits, columns))


def random_layout(random: np.random.Generator, lanes: int, registers: int) -> FragmentLayout:
    """A bijective layout drawn at random from all linear ones."""
    bits = lanes + registers
    while True:
        columns = tuple(int(x) for x in random.integers(1, 1 << bits, bits))
        if Matrix(bits, columns).is_bijective():
            return scattered(lanes, registers, columns)


def missing(conversion: Conversion, wave: int) -> int:
    """How many of its words the worst off lane does not hold: a bound on shuffles, as each brings a lane one word."""
    have, want = names(conversion.source), names(conversion.target)
    return max(int((~np.isin(want[lane], have[lane])).sum()) for lane in range(len(have)))


REAL = {
    "accumulator to operand": (
        instruction("mma_m16n8k16_bf16").c.repeat(columns=2), instruction("mma_m16n8k16_bf16").a, 2, 32, "rename"),
    "accumulator to tf32 operand": (
        instruction("mma_m16n8k16_bf16").c.repeat(columns=2), instruction("mma_m16n8k8_tf32").a.repeat(columns=2), 4, 32, "shuffle"),
    "attention's probabilities": (
        instruction("wgmma_m64n128k16_bf16").c, instruction("wgmma_ra_m64n64k16_bf16").a.repeat(columns=8), 2, 32, "rename"),
    "208 columns": (instruction("wgmma_m64n208k16_bf16").c, instruction("wgmma_m64n208k16_bf16").c, 4, 32, "rename"),
    "two matrix cores": (
        instruction("mfma_32x32x8_fp16").c, instruction("mfma_16x16x16_fp16").c.repeat(rows=2, columns=2), 4, 64, "shuffle"),
    "transposed": (instruction("mfma_32x32x8_fp16").c.transposed(), instruction("mfma_32x32x8_fp16").c, 4, 64, "shuffle"),
    "rows": (
        instruction("wgmma_m64n128k16_bf16").c,
        FragmentLayout.from_bits((64, 128), (*((1 << i, 0) for i in range(6)), (0, 64)), tuple((0, 1 << i) for i in range(6))),
        4, 32, "shared"),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_layouts_of_real_instructions(name):
    source, target, element_bytes, wave, kind = REAL[name]
    found = convert(source, target, element_bytes=element_bytes, wave=wave)
    assert arrives(found) and found.kind == kind, str(found)
    assert found.cost.conflicts == 0
    back = convert(target, source, element_bytes=element_bytes, wave=wave)
    assert arrives(back)


@pytest.mark.parametrize("element_bytes", [1, 2, 4, 8])
@pytest.mark.parametrize("wave", [4, 8, 32])
def test_random_layouts_arrive(element_bytes, wave):
    random = np.random.default_rng(7)
    for _ in range(40):
        lanes, registers = int(random.integers(1, 6)), int(random.integers(0, 5))
        source, target = (random_layout(random, lanes, registers) for _ in range(2))
        for limit in (0, 1 << 16):
            try:
                found = convert(source, target, element_bytes=element_bytes, wave=wave, shared_bytes=limit)
            except ConfigurationError:
                assert limit == 0
                continue
            assert arrives(found), str(found)


def test_shuffles_are_as_few_as_the_worst_lane_needs():
    random = np.random.default_rng(3)
    for _ in range(200):
        lanes, registers = int(random.integers(1, 5)), int(random.integers(0, 4))
        source, target = (random_layout(random, lanes, registers) for _ in range(2))
        found = convert(source, target, shared_bytes=0)
        assert arrives(found) and found.cost.shuffles == missing(found, 32)


def one_round_suffices(have: np.ndarray, want: np.ndarray) -> bool:
    """Whether some single shuffle brings every lane all that it misses: every publication and every reader is tried."""
    lanes = range(len(have))
    needed = [set(want[lane]) - set(have[lane]) for lane in lanes]
    for published in itertools.product(*(set(row) for row in have)):
        if all(any(needed[lane] <= {published[other]} for other in lanes) for lane in lanes):
            return True
    return False


@pytest.mark.parametrize(("lanes", "registers"), [(1, 2), (2, 1), (1, 1), (3, 0)])
def test_every_small_conversion_against_brute_force(lanes, registers):
    bits = lanes + registers
    source = scattered(lanes, registers, tuple(1 << i for i in range(bits)))
    tried = 0
    for columns in itertools.product(range(1, 1 << bits), repeat=bits):
        if not Matrix(bits, columns).is_bijective():
            continue
        tried += 1
        found = convert(source, scattered(lanes, registers, columns), shared_bytes=0)
        assert arrives(found)
        have, want = names(found.source), names(found.target)
        at_home = all(set(want[lane]) <= set(have[lane]) for lane in range(len(have)))
        assert (found.cost.shuffles == 0) == at_home
        if found.cost.shuffles > 1:
            assert not one_round_suffices(have, want)
        elif found.cost.shuffles == 1:
            assert one_round_suffices(have, want)
        same = all(np.array_equal(np.argsort(have[0])[np.searchsorted(np.sort(have[0]), want[0])],
                                  np.argsort(have[i])[np.searchsorted(np.sort(have[i]), want[i])])
                   for i in range(len(have))) if at_home else False  # fmt: skip
        assert (found.kind == "rename") == same
    assert tried == {2: 6, 3: 168}[bits]


def test_elements_that_travel_together_share_a_shuffle():
    source = instruction("mfma_32x32x8_fp16").c
    target = instruction("mfma_16x16x16_fp16").c.repeat(rows=2, columns=2)
    wide, narrow = (convert(source, target, wave=64, element_bytes=b, shared_bytes=0) for b in (4, 2))
    assert arrives(narrow) and narrow.cost.shuffles * 2 == wide.cost.shuffles
    eight = convert(source, target, wave=64, element_bytes=8, shared_bytes=0)
    assert eight.cost.shuffles == 2 * wide.cost.shuffles


def test_broadcast_targets_are_filled():
    source = FragmentLayout.from_bits((1, 8), ((0, 1), (0, 2), (0, 4)), ())
    target = FragmentLayout.from_bits((1, 8), ((0, 0), (0, 0), (0, 0)), ((0, 1), (0, 2), (0, 4)))
    found = convert(source, target)
    assert arrives(found)
    assert arrives(convert(target, source)) and convert(target, source).cost.shuffles == 0


def test_blocks_that_are_no_power_of_two_are_converted_alike():
    source = instruction("wgmma_m64n208k16_bf16").c
    pairs = (Repeat(Holder.REGISTER, FragmentAxis.COLUMN, 2, 8), Repeat(Holder.REGISTER, FragmentAxis.COLUMN, 13, 16))
    target = source.replace(repeats=pairs)
    assert common_block(source, target) == (64, 16)
    found = convert(source, target)
    assert arrives(found) and found.kind == "rename" and len(found.blocks) == 13
    tile = instruction("fma_outer_6x4x16_fp32").c
    assert arrives(convert(tile, tile.replace(repeats=tile.repeats[::-1])))


@pytest.mark.parametrize("element_bytes", [1, 2, 4, 8])
def test_counted_cycles_are_those_of_the_addresses(element_bytes):
    random = np.random.default_rng(11)
    banks = BankConflictSimulator()
    for _ in range(25):
        lanes, registers = 5, int(random.integers(1, 5))
        source, target = (random_layout(random, lanes, registers) for _ in range(2))
        block = common_block(source, target)
        ours, theirs = distribute(source, block), distribute(target, block)
        plan = shared_plan(ours, theirs, wave=32, element_bytes=element_bytes, limit=1 << 20)
        total = 0
        for fragment, width in ((ours, plan.write_bytes), (theirs, plan.read_bytes)):
            addresses = plan.place(_elements(fragment, np.arange(32)))[1] * element_bytes // width * width
            for word in {tuple(column) for column in addresses.T.tolist()}:
                total += banks.access(np.array(word), width).cycles
        assert total == plan.write_cycles + plan.read_cycles


def test_the_swizzle_is_what_avoids_conflicts():
    """A transposition of 32 x 32 words: the buffer alone has 32-way conflicts on one side."""
    source = FragmentLayout.from_bits(
        (32, 32), tuple((0, 1 << i) for i in range(5)), tuple((1 << i, 0) for i in range(5))
    )
    found = convert(source, source.transposed(), shared_bytes=1 << 16)
    plan = found.shared_plan
    assert plan is not None and arrives(found) and found.cost.conflicts == 0
    plain = plan.replace(swizzle=Matrix.identity(plan.swizzle.rows))
    block = distribute(source, (32, 32))
    cycles = [
        BankConflictSimulator().access(p.place(_elements(b, np.arange(32)))[1][:, 0] * 4, 4).cycles
        for p in (plan, plain)
        for b in (block, distribute(source.transposed(), (32, 32)))
    ]
    assert cycles[:2] == [1, 1] and max(cycles[2:]) > 1


@pytest.mark.parametrize("limit", [32768, 8192, 2048])
def test_little_memory_takes_more_passes(limit):
    source, target, *_ = REAL["rows"]
    found = convert(source, target, shared_bytes=limit)
    assert arrives(found) and found.cost.passes == 32768 // limit and found.cost.shared_bytes <= limit


def test_planted_faults_do_not_arrive():
    source, target, *_ = REAL["accumulator to tf32 operand"]
    found = convert(source, target)
    plan = found.lane_plan
    assert plan is not None
    first, *rest = plan.rounds
    other = Matrix(plan.after.rows, tuple(c ^ 1 for c in plan.after.columns))
    for broken in (
        plan.replace(rounds=(first.replace(source=first.source ^ 1), *rest)),
        plan.replace(rounds=tuple(r.replace(lane_xor=r.lane_xor ^ 1) for r in plan.rounds)),
        plan.replace(rounds=plan.rounds[1:]),
        plan.replace(after=other),
        plan.replace(before=Matrix(plan.before.rows, tuple(0 for _ in plan.before.columns))),
    ):
        assert broken != plan and not arrives(found.replace(lane_plan=broken))
    through = convert(*REAL["rows"][:2])
    memory = through.shared_plan
    assert memory is not None
    flat = memory.replace(swizzle=Matrix.zero(memory.swizzle.rows, len(memory.swizzle.columns)))
    assert not arrives(through.replace(shared_plan=flat))


def test_what_cannot_be_converted_is_said():
    a = instruction("mma_m16n8k16_bf16").c
    with pytest.raises(ConfigurationError, match="shape and the lanes"):
        convert(a, a.repeat(columns=2))
    with pytest.raises(ConfigurationError, match="leaves elements unheld"):
        convert(
            FragmentLayout.from_bits((1, 4), ((0, 1),), ((0, 1),)),
            FragmentLayout.from_bits((1, 4), ((0, 1),), ((0, 2),)),
        )
    source, target, *_ = REAL["rows"]
    with pytest.raises(ConfigurationError, match="no shared memory"):
        convert(source, target, shared_bytes=0)
    with pytest.raises(ConfigurationError, match="of shared memory at a time"):
        convert(source, target, shared_bytes=64)
    with pytest.raises(ConfigurationError, match="3 bytes"):
        convert(a, a, element_bytes=3)
    lanes = a.repeat(columns=3, holder=Holder.LANE)
    with pytest.raises(ConfigurationError, match="powers of two"):
        convert(lanes, lanes)


def test_plans_survive_json():
    for source, target, element_bytes, wave, _ in REAL.values():
        found = convert(source, target, element_bytes=element_bytes, wave=wave)
        assert Conversion.from_json(found.to_json()) == found


def test_no_plan_within_a_wave_where_elements_leave_it():
    source, target, *_ = REAL["rows"]
    block = common_block(source, target)
    assert lane_plan(distribute(source, block), distribute(target, block), 32, 4) is None
