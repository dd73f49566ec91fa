# SPDX-License-Identifier: MIT
"""Uniform rings of 1 to 8 slots: right at every trip count around their depth, carried over from tile to tile, and no fault is missed.

Tiles are copied without registers (sm_80) or pass them (gfx942), where the steps of a whole round of the ring stand in a row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.multistage import multistage_kernel
from tracea_core.semantic.index import Const
from tracea_core.semantic.interpret_block import BlockInterpreter
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.phases import AwaitAsync, Mechanism, PhaseTransition
from tracea_core.semantic.steps import AsyncCopy, AsyncKind, Barrier, BufferRef, Load, Node, Store, Wait
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.sizes import block_sizes
from tracea_core.testing.cases import gemm
from tracea_core.testing.edit import edited

DEVICES = {"a100": "mma_m16n8k16_bf16", "mi300x": "mfma_16x16x16_bf16"}
TILE = {"tile_m": 32, "tile_n": 32, "tile_k": 16, "warps": 2, "vector_a": 8, "vector_b": 8, "vector_c": 2}
DEPTHS = range(1, 9)


def ring(device: str, slots: int) -> tuple[SemanticKernel, Lowered]:
    """A small product, whose reduction takes any number of steps of 16, in a ring of so many slots."""
    low = lower(gemm((64, 64, 64), DType.BF16, "nt"))
    config = PipelineConfig(**TILE, stages=slots)
    return multistage_kernel(low.contraction, config, preset(device), "v.contraction.v", "gemm", DEVICES[device]), low


@pytest.mark.parametrize("slots", DEPTHS)
@pytest.mark.parametrize("device", DEVICES)
def test_rings_of_every_depth_are_certified(device: str, slots: int) -> None:
    kernel, low = ring(device, slots)
    assert {buffer.slots for buffer in kernel.buffers} == {slots}
    proofs = certify(kernel, low.contraction, preset(device)).proofs
    assert {"banks", "cover", "meaning"} <= {proof.property for proof in proofs}


@pytest.mark.parametrize("slots", DEPTHS)
@pytest.mark.parametrize("device", DEVICES)
def test_the_proof_tries_no_step_and_one_and_more_than_there_are_slots(device: str, slots: int) -> None:
    kernel, _ = ring(device, slots)
    steps = {-(-k // 16) for _, _, k in block_sizes(kernel, "k")}
    assert {0, 1} <= steps and max(steps) > slots and (slots < 3 or {slots - 1, slots} & steps)


@pytest.mark.parametrize("slots", DEPTHS)
@pytest.mark.parametrize("device", DEVICES)
def test_every_trip_count_is_right_and_slots_carry_over(device: str, slots: int) -> None:
    """One block computes six tiles one after the other, its threads in any order, its copies landing as late as their waits allow."""
    kernel, _ = ring(device, slots)
    m, n = 40, 72
    random = np.random.default_rng(slots)
    for steps, rest in ((0, 0), (1, 0), (1, 8), (slots, 8), (slots + 1, 0), (2 * slots + 1, 8)):
        k = max(16 * steps - rest, 0)
        a, b = (random.integers(-9, 10, (rows, k)).astype(np.float64) for rows in (m, n))
        pad = max(k, 8)
        symbols = {"m": m, "n": n, "k": k, "a_row": pad, "b_column": pad, "out_row": n}
        operands = {name: np.pad(matrix, ((0, 0), (0, pad - k))).ravel() for name, matrix in (("a", a), ("b", b))} | {
            "out": np.full(m * n, np.nan)
        }
        found = BlockInterpreter(kernel, symbols, operands, workers=1, seed=steps).run()["out"].reshape(m, n)
        assert np.array_equal(found, a @ b.T), (steps, rest)


@pytest.mark.parametrize("slots", DEPTHS)
def test_what_is_awaited_follows_from_the_distance(slots: int) -> None:
    kernel, _ = ring("a100", slots)
    waits = {node.pending for node in walk(kernel.roles[0].body) if isinstance(node, Wait)}
    if slots == 1:  # tiles pass registers: nothing runs ahead
        assert not waits and not any(isinstance(node, AsyncCopy) for node in walk(kernel.roles[0].body))
        return
    needed = PhaseTransition(slots).requirement(slots - 1, 0, Mechanism.COPY_GROUPS)
    assert isinstance(needed, AwaitAsync) and waits == {needed.pending, 0}


def _in_slot(node: Node, field: str, kind: type) -> bool:
    place = getattr(node, field, None)
    return isinstance(node, kind) and isinstance(place, BufferRef) and place.slot is not None


def _next_slot(slots: int, field: str, *kinds: type) -> Callable[[Node], Node]:
    def change(node: Node) -> Node:
        for kind in kinds:
            if _in_slot(node, field, kind):
                place: Any = getattr(node, field)
                return node.replace(**{field: place.replace(slot=(place.slot + 1) % slots)})
        return node

    return change


def _without(name: str) -> Callable[[Node], Node | None]:
    return lambda node: None if isinstance(node, Barrier) and node.name == name else node


def _one_more(node: Node) -> Node:
    return node.replace(pending=node.pending + 1) if isinstance(node, Wait) and node.kind is AsyncKind.COPY else node


def _first_slot(node: Node) -> Node:
    if _in_slot(node, "source", Load):
        return node.replace(source=node.source.replace(slot=Const(0)))  # type: ignore[union-attr]
    return node


@pytest.mark.parametrize("slots", DEPTHS)
@pytest.mark.parametrize("device", DEVICES)
def test_planted_faults_are_found_at_every_depth(device: str, slots: int) -> None:
    faults: dict[str, Callable[[Node], Node | None]] = {"no barrier before a slot is read": _without("slot_written")}
    if slots == 1:
        faults["no barrier before a slot is written"] = _without("slot_read")
    else:
        faults |= {
            "tiles of one tile meet those of the next": _without("tile_done"),
            "read from the next slot": _next_slot(slots, "source", Load),
            "written to the next slot": _next_slot(slots, "target", Store, AsyncCopy),
            "read from the first slot": _first_slot,
        }
        if device == "a100":
            faults["one copy too many may run"] = _one_more
    kernel, low = ring(device, slots)
    for name, change in faults.items():
        broken = edited(kernel, change)
        with pytest.raises(CertificationError):
            certify(broken, low.contraction, preset(device))
            pytest.fail(name)
