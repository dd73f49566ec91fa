# SPDX-License-Identifier: MIT
"""Kernels of NVIDIA's devices in a library of C: machine code as arrays of bytes, and what hands it to the driver (``c/tracea_cuda.h``)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources

from tracea_core.emit.source import KernelSource
from tracea_core.errors import UnsupportedError
from tracea_core.export.build import machine
from tracea_core.export.c_text import array, literal, number, string, structure
from tracea_core.plugin.c_runtime import CKernel, CRuntime
from tracea_core.runtime.checked import check_symbols, launched_blocks
from tracea_core.target import CapabilityProfile

from tracea_cuda import compile as compiler
from tracea_cuda.tensor_map import MAX_RANK, TiledMap, is_small, numbers, tiled_map

HEADER = "tracea_cuda.h"
MOST_MAPS, MOST_ARGUMENTS = 6, 96
"""As ``tracea_cuda.h`` says."""


def c_runtime(profile: CapabilityProfile) -> CRuntime:
    """Return what launches kernels on devices of a profile; its architecture is in their code."""
    return CRuntime(
        header=HEADER,
        files={HEADER: (resources.files("tracea_cuda") / "c" / HEADER).read_text()},
        suffix=".cu",
        define=lambda prefix: "",
        objects=lambda prefix: {},
        kernel=_kernel,
        machine=machine(),
        flags=("-D_GNU_SOURCE", "-pthread"),
        libraries=("-pthread", "-ldl"),
    )


def _kernel(prefix: str, name: str, source: KernelSource, symbols: Mapping[str, int]) -> CKernel:
    """Return a kernel's machine code, and the constants that describe it to ``tracea_cuda.h``."""
    check_symbols(source, symbols)
    code = compiler.binary(source)
    values = {symbol: int(value) for symbol, value in symbols.items()}
    launch = source.launch
    order = [parameter.name for parameter in source.parameters]
    maps = [_map(tiled_map(box, values), order.index(box.operand)) for box in source.boxes]
    if len(maps) > MOST_MAPS or len(maps) + len(order) + len(source.symbols) > MOST_ARGUMENTS:
        raise UnsupportedError(
            f"{source.entry} takes more arguments than a library passes", hint="Export the call in parts"
        )
    words = [number(values[symbol.name]) for symbol in source.symbols]
    lines = (
        array("unsigned char", f"{name}_binary", map(str, code)).replace(
            "static const", "static const _Alignas(16)", 1
        ),
        array("int64_t", f"{name}_symbols", words),
        array("TraceaCudaMap", f"{name}_maps", maps),
        f"static TraceaCudaLoaded {name}_loaded[TRACEA_MOST_DEVICES];",
        structure(
            "TraceaCudaKernel",
            name,
            {
                "binary": f"{name}_binary",
                "entry": string(source.entry),
                "pointer_count": len(order),
                "symbol_count": len(words),
                "map_count": len(maps),
                "symbols": f"{name}_symbols",
                "maps": f"{name}_maps",
                "blocks": launched_blocks(source, values),
                "threads": launch.threads,
                "shared_bytes": launch.shared_bytes,
                "cluster": launch.cluster,
                "begins_early": launch.early,
                "loaded": f"{name}_loaded",
            },
        ),
    )
    return CKernel("\n".join(lines), code, ".cubin")


def _map(tiled: TiledMap, operand: int) -> str:
    """Return the initializer of a ``TraceaCudaMap``."""
    tiled.require()
    kind, swizzle, promotion = numbers(tiled)
    walk = tiled.walk
    lower, upper, steps = ((0, 0), (0, 0), (1, 1)) if walk is None else (walk.lower, walk.upper, walk.steps)
    extents, strides = _filled(tiled.extents, 1), _filled(tiled.strides, 0)
    box = _filled(tiled.box, 1)
    values = (
        operand, kind, len(tiled.extents), extents, strides, box, swizzle, promotion, walk is not None, _pair(lower), _pair(upper),
        _pair(steps), is_small(tiled), tiled.is_empty,
    )  # fmt: skip
    return "{" + ", ".join(map(literal, values)) + "}"


def _filled(values: tuple[int, ...], rest: int) -> str:
    return "{" + ", ".join(number(value) for value in (*values, *[rest] * (MAX_RANK - len(values)))) + "}"


def _pair(values: tuple[int, int]) -> str:
    return "{" + ", ".join(str(value) for value in values) + "}"
