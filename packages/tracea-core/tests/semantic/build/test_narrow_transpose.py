# SPDX-License-Identifier: MIT
"""Transpositions of short columns: certified for every type and raggedness, equal to the source, and planted faults are refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset, preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.build.narrow_transpose import is_narrow
from tracea_core.semantic.build.sweep import sweep_configuration, sweep_kernel
from tracea_core.semantic.index import Const, IndexFn, IndexOp
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Access, Barrier, BufferRef, Let, Load, Loop, Node, Store
from tracea_core.semantic.sweep import LoweredSweep, is_short, lower_copy
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.edit import edited

H200 = preset_target("h200").profile


def filters(count: int, taps: int, channels: int, dtype: DType, room: int = 0) -> LoweredSweep:
    """Return the copy of filters in planes into rows of channels, `room` of them with zeros at their ends."""
    row = room or -(-channels // (16 // dtype.bytes)) * (16 // dtype.bytes)
    spec = TensorSpec((count, taps, channels), dtype, (taps * channels, 1, taps))
    copied = TensorSpec(spec.shape, dtype, (taps * row, row, 1))
    return lower_copy("input1", spec, "copy1", copied, -1, row, short=True)


def built(lowered: LoweredSweep, alignment: int = 16) -> SemanticKernel:
    return sweep_kernel(lowered.form, sweep_configuration(lowered, H200, alignment), H200, "kernel")


KINDS = [
    (filters(5, 9, 72, DType.BF16), 16, 8, 2),
    (filters(3, 9, 1280, DType.FP16), 16, 8, 2),
    (filters(4, 25, 40, DType.BF16), 4, 2, 2),
    (filters(2, 49, 136, DType.FP16), 16, 8, 2),
    (filters(3, 9, 67, DType.BF16), 16, 1, 2),
    (filters(3, 9, 36, DType.FP32), 16, 4, 1),
    (filters(3, 3, 130, DType.FP32, 136), 16, 2, 1),
    (filters(2, 9, 160, DType.INT8), 16, 16, 4),
]


@pytest.mark.parametrize(("lowered", "alignment", "read", "stored"), KINDS)
def test_certified_and_in_runs_as_long_as_they_may_be(
    lowered: LoweredSweep, alignment: int, read: int, stored: int
) -> None:
    assert is_narrow(lowered.form) and lowered.form.title.startswith("transpose columns of")
    kernel = built(lowered, alignment)
    assert (kernel.configuration.vector_a, kernel.configuration.vector_c) == (read, stored)
    assert certify(kernel, lowered.form, H200).proofs[-1].property == "meaning"


def test_warps_share_columns_evenly() -> None:
    """Of 1280 channels twenty runs of 64 are dealt to three blocks of seven warps, of 320 five to one of five."""
    found = [built(filters(1, 9, channels, DType.BF16)).configuration for channels in (1280, 320, 64)]
    assert [(one.tile_n, one.warps) for one in found] == [(448, 7), (320, 5), (64, 1)]
    assert built(filters(1, 49, 1280, DType.BF16)).configuration.warps == 4


@pytest.mark.parametrize(("channels", "room"), [(72, 72), (67, 72), (130, 136)])
def test_rows_are_the_columns_that_were_and_zeros_behind(channels: int, room: int) -> None:
    lowered = filters(3, 9, channels, DType.BF16, room)
    source = np.random.default_rng(3).integers(-99, 99, 3 * 9 * channels).astype(np.float64)
    memory = {"source": source, "out": np.zeros(3 * 9 * room)}
    out = interpreter(built(lowered), lowered.symbols, memory, 4, 1).run()["out"].reshape(3, 9, room)
    np.testing.assert_array_equal(out[..., :channels], source.reshape(3, channels, 9).transpose(0, 2, 1))
    assert (out[..., channels:] == 0).all()


@pytest.mark.parametrize(
    ("spec", "device", "short"),
    [
        (TensorSpec((4, 9, 64), DType.BF16, (576, 1, 9)), "h200", True),
        (TensorSpec((4, 63, 64), DType.BF16, (63 * 64, 1, 63)), "h200", True),
        (TensorSpec((4, 65, 64), DType.BF16, (65 * 64, 1, 65)), "h200", False),
        (TensorSpec((4, 16, 64), DType.BF16, (1024, 1, 16)), "h200", False),
        (TensorSpec((4, 9, 64), DType.FP64, (576, 1, 9)), "h200", False),
        (TensorSpec((4, 9, 64), DType.BF16, (576, 1, 9)), "mi300x", False),
    ],
)
def test_columns_are_short_and_odd_and_lanes_read_words_of_all_banks(
    spec: TensorSpec, device: str, short: bool
) -> None:
    assert is_short(spec, -1, preset(device)) is short


def test_columns_that_lie_apart_keep_the_form_of_any_length() -> None:
    spec = TensorSpec((4, 9, 64), DType.BF16, (640, 1, 10))
    lowered = lower_copy("input1", spec, "copy1", TensorSpec.contiguous(spec.shape, DType.BF16), -1, 64, short=True)
    assert not is_narrow(lowered.form) and lowered.form.title.startswith("transpose bf16")


def changed(name: str, by: int) -> Callable[[Node], Node | None]:
    def edit(node: Node) -> Node | None:
        if not (isinstance(node, Let) and node.name == name):
            return node
        return node.replace(value=IndexOp(IndexFn.ADD, node.value, Const(by)))

    return edit


def unmasked(node: Node) -> Node:
    return node.replace(guard=()) if isinstance(node, Load | Store) else node


def one_row_less(node: Node) -> Node:
    return node.replace(stop=Const(8)) if isinstance(node, Loop) and node.var == "row_of_matrix" else node


def another_column(node: Node) -> Node:
    """Words are read one column further on."""
    if not (isinstance(node, Load) and isinstance(node.source, BufferRef)):
        return node
    warp, place = node.source.coordinates
    return node.replace(source=node.source.replace(coordinates=(warp, place + 9)))


FAULTS: dict[str, Callable[[Node], Node | None]] = {
    "read before it is kept": lambda n: None if isinstance(n, Barrier) and n.name == "kept" else n,
    "kept before it is taken": lambda n: None if isinstance(n, Barrier) and n.name == "taken" else n,
    "edges are not masked": unmasked,
    "what is beyond is not zero": lambda n: (
        n.replace(fill=1.0) if isinstance(n, Load) and isinstance(n.source, Access) else n
    ),
    "a row is left out": one_row_less,
    "another column": another_column,
    "a column later": changed("first_column", 1),
    "the next matrix": changed("item", 1),
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_refused(name: str) -> None:
    lowered = filters(3, 9, 72, DType.BF16)
    with pytest.raises(CertificationError):
        certify(edited(built(lowered), FAULTS[name]), lowered.form, H200)


@pytest.mark.parametrize("change", [{"tile_n": 96}, {"tile_m": 7}, {"warps": 5}, {"vector_a": 16}])
def test_configurations_that_do_not_fit_are_refused(change: dict[str, int]) -> None:
    lowered = filters(3, 9, 64, DType.BF16)
    with pytest.raises(ConfigurationError, match="does not fit"):
        sweep_kernel(lowered.form, sweep_configuration(lowered, H200).replace(**change), H200, "kernel")


def test_other_lanes_are_refused() -> None:
    lowered = filters(3, 9, 64, DType.BF16)
    with pytest.raises(ConfigurationError, match="64 lanes"):
        sweep_kernel(lowered.form, sweep_configuration(lowered, H200), preset("mi300x"), "kernel")
