# SPDX-License-Identifier: MIT
"""No main loop touches the stack: every tile that the policy starts from, compiled for AVX2, AVX-512, AMX and NEON, and looked at.

Problems of each family, type and layout are put to the policy of each instruction set; what it may start from is printed and compiled for a
processor of that kind, each kernel once; a run of the tests takes a part of them, and ``TRACEA_EVERY_TILE=1`` all. A vector on the stack
is a spill. An address may lie there: none to two a round, and of blocks of 16 rows that are turned in registers, as many as there are rows.
"""

from __future__ import annotations

import functools
import itertools
import os
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.cpu_blocks import panel_columns
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.pointwise import as_product
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import Form, lower_any
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import DISTANT_CACHE, HALVED_VECTORS, CapabilityProfile, Target
from tracea_core.testing.assembled import MainLoop, main_loop
from tracea_core.testing.cases import dense, gemm
from tracea_cpu.compile import assembly, features_of
from tracea_cpu.emit.contraction import emit_contraction
from tracea_cpu.variants import variants

LINUX, ARM = "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"
MACHINES = {
    "avx2": (LINUX, "haswell"), "avx512f": (LINUX, "skylake-avx512"), "avx512": (LINUX, "znver4"), "amx": (LINUX, "sapphirerapids"),
    "neon": (ARM, "neoverse-n1"), "halved": (LINUX, "znver1"),
}  # fmt: skip
FLOATS = (DType.FP32, DType.FP64, DType.BF16, DType.FP16)
BYTES = (DType.INT8, DType.UINT8)
LAYOUTS = ("nn", "nt", "tn", "tt")
ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 64, 96, 128, 200, 300, 1024)
COLUMNS = ((16, 256), (40, 256), (256, 256), (1024, 1024))
LARGE = (1, 4, 7, 16, 24, 64)
"""Rows of products with a matrix that no cache holds."""
LAST = (0, 2, 3, 1)
MOST_ADDRESSES, SIDE = 2, 16
"""Addresses that a round may load again, and the rows of the largest block that is turned in registers."""
SHARE = 1 if os.environ.get("TRACEA_EVERY_TILE") else 32
"""One problem in so many is put to the policy, chosen by its number; ``TRACEA_EVERY_TILE=1`` takes all: half an hour of a processor."""


@functools.cache
def profile_of(name: str) -> CapabilityProfile:
    """The preset of an instruction set; `avx512f` has no products of several k, `amx` tiles and a mesh, `halved` AVX2 in halves."""
    if name in ("avx2", "neon", "avx512"):
        return preset(name)
    if name == "halved":
        return preset("avx2").replace(features=(*preset("avx2").features, HALVED_VECTORS))
    wide = preset("avx512")
    if name == "amx":
        return wide.replace(features=(*wide.features, "amx-tile", "amx-bf16", "amx-int8", DISTANT_CACHE))
    return wide.replace(features=tuple(f for f in wide.features if f not in ("avx512bf16", "avx512vnni")))


# ---- what is put to the policy


def products(dtype: DType, layout: str) -> Iterator[Problem]:
    """Products of few rows, of few columns, small and large."""
    rows = [m for m in ROWS if m > 1 or layout[0] == "n"]  # one row lies along k whatever its strides
    for m in rows:
        yield from (gemm((m, n, k), dtype, layout) for n, k in COLUMNS)
    if dtype.is_float:
        yield from (gemm((m, 4096, 4096), dtype, layout) for m in LARGE if m in rows)


def mixed(layout: str) -> Iterator[Problem]:
    """Unsigned bytes by signed ones."""
    order = (1, 0) if layout[1] == "t" else None
    for m, (n, k) in itertools.product(ROWS[1:], COLUMNS):
        yield gemm((m, n, k), DType.UINT8, layout, b=dense((k, n), DType.INT8, order))


def fused(dtype: DType, layout: str) -> Iterator[Problem]:
    """Gated products, and such with a bias or a residual."""
    for m, size in itertools.product((1, 2, 3, 4, 5, 6, 8, 16, 64, 128, 512), (256, 1024)):
        yield gemm((m, 2 * size, size), dtype, layout, epilogue=parse_epilogue("swiglu"))
    for m, n in ((4, 768), (8, 768), (128, 768), (512, 768)):
        yield gemm((m, n, n), dtype, layout, epilogue=parse_epilogue("bias,gelu"), extra=(dense((n,), DType.FP32),))
        tail = parse_epilogue("residual,relu")
        yield gemm((m, n, n), dtype, layout, epilogue=tail, extra=(dense((m, n), DType.FP32),))


def several(dtype: DType, layout: str) -> Iterator[Problem]:
    """Batches, and rows in ragged groups, few and many in each."""
    yield from (gemm((m, 128, 64), dtype, layout, batch=(12,)) for m in (1, 4, 8, 32, 128))
    stored = None if dtype.is_float else DType.INT32
    for (groups, m), size in itertools.product(
        ((8, 8), (8, 16), (8, 24), (8, 32), (8, 40), (8, 64), (8, 256), (8, 2048)), (256, 1024)
    ):
        op = GroupedGemmOp(m, groups, size, size, dtype=dtype, out_dtype=stored)
        x = dense((m, size), dtype, (1, 0) if layout[0] == "t" else None)
        w = dense((groups, size, size), dtype, (0, 2, 1) if layout[1] == "t" else None)
        yield Problem(op, (x, w, dense((groups,), DType.INT32)), dense((m, size), op.output_dtype()))


def panels(dtype: DType, layout: str, profile: CapabilityProfile) -> Iterator[Problem]:
    """Products of weights that were packed before."""
    for m, (n, k) in itertools.product((*ROWS, 4096), ((256, 256), (300, 200), (1024, 1024), (4096, 4096))):
        width = panel_columns(profile, dtype, n)
        weight = dense((k, n), dtype).replace(strides=(width, 1))
        a = dense((m, k), dtype, (1, 0) if layout[0] == "t" else None)
        options = Options(panel_columns=width)
        yield Problem(GemmOp(m, n, k, dtype=dtype), (a, weight), dense((m, n), dtype), options=options)


_LAYERS = (
    (64, 56, 64, 3, 1), (256, 14, 256, 3, 1), (512, 7, 512, 3, 1), (128, 56, 128, 3, 2), (3, 112, 64, 3, 2), (3, 224, 64, 7, 2),
    (64, 56, 64, 1, 1), (64, 56, 256, 1, 1), (256, 56, 64, 1, 1), (512, 28, 128, 1, 1), (1024, 14, 256, 1, 1), (512, 7, 2048, 1, 1),
    (256, 56, 512, 1, 2), (1024, 14, 2048, 1, 2), (24, 30, 40, 3, 1), (40, 20, 80, 5, 1),
)  # fmt: skip
"""Channels, pixels along a side, filters, their extent, stride."""


def convolutions(dtype: DType, order: tuple[int, ...] | None) -> Iterator[Problem]:
    """Layers of networks with one image and with eight, by windows, as products, and by minimal filtering where that is allowed."""
    for (c, size, k, extent, stride), n, tail in itertools.product(_LAYERS, (1, 8), ("", "bias,relu")):
        if dtype is not DType.FP32 and (tail or n == 1):
            continue
        op = Conv2dOp(n, c, size, size, k, extent, extent, (stride, stride), (extent // 2, extent // 2), dtype=dtype)
        x, w, out = (dense(shape, dtype, order) for shape in (*op.input_shapes(), op.output_shape()))
        extra = (dense((k,), DType.FP32),) if tail else ()
        epilogue = parse_epilogue(tail) if tail else IDENTITY
        for allowed in (False, True) if extent == 3 and dtype is DType.FP32 else (False,):
            yield Problem(op, (x, w), out, epilogue, extra, Options(allow_winograd=allowed))


def strips(dtype: DType) -> Iterator[Problem]:
    """Convolutions of channels-last images with a filter for each channel."""
    for extent, stride in ((7, 1), (3, 1), (3, 2), (5, 1), (5, 2)):
        op = Conv2dOp(
            8, 96, 56, 56, 96, extent, extent, (stride, stride), (extent // 2, extent // 2), groups=96, dtype=dtype
        )
        x, w, out = (dense(shape, dtype, LAST) for shape in (*op.input_shapes(), op.output_shape()))
        yield Problem(op, (x, w), out)


# ---- what the policy makes of it


def starts(problem: Problem, profile: CapabilityProfile) -> Iterator[tuple[Form, Variant, PipelineConfig]]:
    """Yield what the policy may start from."""
    target = Target(backend="cpu", device="preset:cpu", profile=profile)
    chosen = choose(as_product(problem, profile), target, variants(profile))
    form = lower_any(chosen.problem, chosen.variant).form
    for hero in PolicyEngine(profile).decide(chosen.problem, chosen.variant).heroes:
        yield form, chosen.variant, hero


def compiled(form: Form, variant: Variant, hero: PipelineConfig, name: str) -> MainLoop | None:
    """Return the main loop of a kernel; None of a configuration that the form excludes, which no call takes either."""
    try:
        kernel = build_kernel(form, hero, profile_of(name), variant)
    except ConfigurationError:
        return None
    text = emit_contraction(kernel, Certificate(kernel.digest(), ())).text
    return main_loop(assembly(text, *MACHINES[name], ",".join(features_of(text))))


def faults(loop: MainLoop, hero: PipelineConfig) -> list[str]:
    """Return what of a main loop is not in registers."""
    turned = not hero.pack_b and not hero.block_k and hero.tile_n <= SIDE
    most = SIDE if turned else MOST_ADDRESSES
    return [*loop.spills, *(loop.addresses if len(loop.addresses) > most else ())]


FAMILIES: dict[str, tuple[Callable[..., Iterator[Problem]], tuple[Any, ...]]] = {
    **{f"product-{d.value}-{o}": (products, (d, o)) for d in (*FLOATS, *BYTES) for o in LAYOUTS},
    **{f"product-mixed-{o}": (mixed, (o,)) for o in LAYOUTS},
    **{f"fused-{d.value}-{o}": (fused, (d, o)) for d in FLOATS for o in LAYOUTS[:3]},
    **{f"several-{d.value}-{o}": (several, (d, o)) for d in (*FLOATS, DType.INT8) for o in LAYOUTS[:3]},
    **{f"panels-{d.value}-{o}": (panels, (d, o)) for d in FLOATS[:2] for o in ("nn", "tn")},
    **{f"planes-{d.value}": (convolutions, (d, None)) for d in FLOATS},
    **{f"channels-last-{d.value}": (convolutions, (d, LAST)) for d in FLOATS},
    **{f"strips-{d.value}": (strips, (d,)) for d in FLOATS},
}


def problems(family: str, profile: CapabilityProfile) -> Iterator[Problem]:
    """The problems of a family; widths of panels are the processor's."""
    make, given = FAMILIES[family]
    return make(*given, profile) if make is panels else make(*given)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", MACHINES)
def test_no_main_loop_touches_the_stack(name: str, family: str) -> None:
    profile = profile_of(name)
    taken = (
        given
        for number, given in enumerate(problems(family, profile))
        if zlib.crc32(f"{name} {family} {number}".encode()) % SHARE == 0
    )
    found = {}
    for form, variant, hero in dict.fromkeys(one for given in taken for one in starts(given, profile)):
        loop = compiled(form, variant, hero, name)
        if loop is not None:
            found[f"{variant.name} {hero.describe()} of {form.title} {form.digest()[:8]}"] = faults(loop, hero)
    assert found or SHARE > 1, "nothing was compiled"
    assert not {words: wrong for words, wrong in found.items() if wrong}


def test_a_tile_that_is_too_large_is_noticed() -> None:
    """Eleven rows of two sums each fit AVX-512's registers by number, not beside the broadcasts that are loaded ahead."""
    problem, profile = gemm((1024, 256, 256), DType.FP32), profile_of("avx512")
    form, variant, hero = next(starts(problem, profile))
    loop = compiled(form, variant, hero.replace(tile_m=13, tile_n=32, block_k=0), "avx512")
    assert loop is not None and loop.spills and faults(loop, hero)
