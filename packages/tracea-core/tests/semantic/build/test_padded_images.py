# SPDX-License-Identifier: MIT
"""How images are copied with their padding: as runs, turned in registers, or pixel by pixel, and that a line left out is noticed."""

from __future__ import annotations

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.contraction import HALO_COLUMN, Contraction
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Fill, If, Load, Loop, Transfer, Turn
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense
from tracea_core.testing.faults import faults

AVX2, AVX512 = preset("avx2"), preset("avx512")
LAST, PLANAR = (0, 2, 3, 1), (0, 1, 2, 3)
TILE = PipelineConfig(tile_m=3, tile_n=16, tile_k=2, halo=True)


def convolution(order: tuple[int, ...], dtype: DType = DType.FP32) -> Contraction:
    op = Conv2dOp(2, 11, 7, 10, 8, 3, 3, padding=(1, 1), dtype=dtype)
    inputs = tuple(dense(shape, dtype, order) for shape in op.input_shapes())
    return lower(Problem(op, inputs, dense(op.output_shape(), op.output_dtype(), order))).contraction


def built(contraction: Contraction) -> SemanticKernel:
    return panel_kernel(contraction, TILE, AVX2, "cpu.contraction.test", "kernel")


def copying(kernel: SemanticKernel) -> Loop:
    """The loop over the lines of the images."""
    return next(node for node in kernel.roles[0].body if isinstance(node, Loop) and node.var == "line")


def test_planar_images_are_turned_and_only_the_pixels_that_fill_no_block_gathered() -> None:
    nodes = list(walk((copying(built(convolution(PLANAR))),)))
    assert any(isinstance(node, Turn) for node in nodes)
    (rest,) = (node for node in nodes if isinstance(node, Loop) and node.var == HALO_COLUMN.name)
    assert any(_gathers(node) for node in walk(rest.body))
    places = {"pad_columns": 1, "columns": 10}
    assert (evaluate(rest.start, places), evaluate(rest.stop, places)) == (9, 11)


def test_vectors_of_whole_lines_turn_so_many_pixels_of_all_channels_and_the_rest_with_masks() -> None:
    lines = copying(lined())
    nodes = list(walk((lines,)))
    assert not any(_gathers(node) for node in nodes)
    through, last = (node for node in nodes if isinstance(node, Loop) and node.var == "pixel")
    assert [isinstance(pixel.body[0], Loop) for pixel in (through, last)] == [
        True,
        False,
    ]  # the last channels lie in one chunk
    masked = [node for node in nodes if isinstance(node, Load) and node.transfer is Transfer.VECTOR and node.guard]
    assert len(masked) == 2  # of whole chunks of channels, and of the last one


def lined() -> SemanticKernel:
    """The kernel for vectors that are whole lines."""
    tile = PipelineConfig(tile_m=3, tile_n=32, tile_k=2, halo=True)
    return panel_kernel(convolution(PLANAR), tile, AVX512, "cpu.contraction.test", "kernel")


@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16])
def test_copies_by_whole_lines_are_certified(dtype: DType) -> None:
    contraction = convolution(PLANAR, dtype)
    tile = PipelineConfig(tile_m=3, tile_n=32, tile_k=2, halo=True)
    assert certify(
        panel_kernel(contraction, tile, AVX512, "cpu.contraction.test", "kernel"), contraction, AVX512
    ).proofs


@pytest.mark.parametrize(
    "words",
    [
        "worker: Loop pixel left out",
        "worker: Loop pixel: stop + 1",
        "worker: Let whole_pixels: value: ",
        "worker: Let pixel: value ",
        "worker: Load block_turned: guard ",
        "worker: Store block: guard ",
    ],
)
def test_wrong_copies_by_whole_lines_are_refused(words: str) -> None:
    contraction = convolution(PLANAR)
    planted = [fault.kernel for fault in faults(lined()) if fault.words.startswith(words)]
    assert planted
    refused = 0
    for wrong in planted:
        try:
            certify(wrong, contraction, AVX512)
        except CertificationError:
            refused += 1
    assert refused


def test_pixels_that_lie_together_are_moved_by_whole_vectors() -> None:
    nodes = list(walk((copying(built(convolution(LAST))),)))
    assert not any(isinstance(node, Turn) for node in nodes) and not any(_gathers(node) for node in nodes)
    assert any(isinstance(node, Loop) and node.var == "run_at" and node.unroll > 1 for node in nodes)


def _gathers(node: object) -> bool:
    return isinstance(node, Load) and node.transfer is Transfer.GATHER


@pytest.mark.parametrize("order", [LAST, PLANAR])
@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16])
def test_copies_are_certified_and_padding_that_is_not_cleared_is_caught(order: tuple[int, ...], dtype: DType) -> None:
    contraction = convolution(order, dtype)
    kernel = built(contraction)
    certify(kernel, contraction, AVX2)
    lines = copying(kernel)
    (choice,) = (node for node in lines.body if isinstance(node, If))
    forgetful = lines.replace(body=tuple(n.replace(otherwise=()) if n is choice else n for n in lines.body))
    (role,) = kernel.roles
    body = tuple(forgetful if node is lines else node for node in role.body)
    with pytest.raises(CertificationError):
        certify(kernel.replace(roles=(role.replace(body=body),)), contraction, AVX2)


def pixels(stride: int, dtype: DType = DType.FP32) -> Contraction:
    """A convolution whose windows are single pixels of planar images, every one or every `stride`-th along each axis."""
    op = Conv2dOp(2, 11, 7, 10, 8, 1, 1, stride=(stride, stride), dtype=dtype)
    inputs = tuple(dense(shape, dtype) for shape in op.input_shapes())
    return lower(Problem(op, inputs, dense(op.output_shape(), op.output_dtype()))).contraction


def test_single_pixels_are_copied_alone_without_any_padding() -> None:
    whole, third = (pixels(stride) for stride in (1, 3))
    assert whole.halo is not None and third.halo is not None
    assert (evaluate(whole.halo.height, {}), evaluate(whole.halo.width, {"n": 70})) == (1, 70)
    sizes = {"n": 12, "out_width": 4}
    assert (evaluate(third.halo.height, sizes), evaluate(third.halo.width, sizes)) == (3, 4)
    for contraction, turns in ((whole, True), (third, False)):
        nodes = list(walk((copying(built(contraction)),)))
        assert any(isinstance(node, Turn) for node in nodes) == turns
        assert any(_gathers(node) for node in nodes)
        assert not any(isinstance(node, Fill) for node in nodes)


@pytest.mark.parametrize("stride", [1, 3])
@pytest.mark.parametrize("dtype", [DType.FP32, DType.BF16])
@pytest.mark.parametrize("profile", ["avx2", "avx512", "neon"])
def test_copies_of_single_pixels_are_certified(stride: int, dtype: DType, profile: str) -> None:
    contraction = pixels(stride, dtype)
    target = preset(profile)
    assert certify(
        panel_kernel(contraction, TILE, target, "cpu.contraction.test", "kernel"), contraction, target
    ).proofs


@pytest.mark.parametrize(
    ("stride", "words"),
    [
        (1, "worker: Loop pixel left out"),
        (1, "worker: Loop pixel: stop: 9 for 8"),
        (1, "worker: Loop halo_column: start: 9 for 8"),
        (1, "worker: Let whole_channels: value: 7 for 8"),
        (3, "worker: Let whole_channels: value: 7 for 8"),
        (3, "worker: Loop halo_column left out"),
        (3, "worker: Load copied: guard + 1"),
    ],
)
def test_wrong_copies_of_single_pixels_are_refused(stride: int, words: str) -> None:
    contraction = pixels(stride)
    planted = [fault.kernel for fault in faults(built(contraction)) if fault.words == words]
    assert planted
    refused = 0
    for wrong in planted:
        try:
            certify(wrong, contraction, AVX2)
        except CertificationError:
            refused += 1
    assert refused  # all, but for pixels that are copied by a vector and once more alone, which is the same
