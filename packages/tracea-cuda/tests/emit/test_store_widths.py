# SPDX-License-Identifier: MIT
"""Results of convolutions leave by 16 bytes where channels allow, in every family of kernels: whole tiles by runs, edges by elements.

What is looked at is what the policy chooses: every store of a result in its kernels, passes included, is a box of the copy engine or
16 bytes of a lane, but for those that stand where a tile was found to end early.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import ScheduleError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.conv_filters import Conv2dFiltersOp
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import Path, trace
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Access, AsyncStore, If, Loop, Node, Store
from tracea_core.testing.cases import dense

CHUNK = 16
LAST = (0, 2, 3, 1)
H, F, I8 = DType.FP16, DType.FP32, DType.INT8


def conv(epilogue: str = "", **fields: Any) -> Problem:
    """Return a convolution of channels-last tensors whose pixels are multiples of 16 bytes."""
    sizes = {"n": 8, "c": 64, "h": 28, "w": 28, "k": 64, "r": 3, "s": 3, "padding": (1, 1), "dtype": H}
    return tensors(Conv2dOp(**(sizes | fields)), epilogue)


def tensors(op: Conv2dOp | Conv2dFiltersOp | ConvTranspose2dOp, epilogue: str = "") -> Problem:
    """Return the problem of dense tensors, channels last."""
    stored = F if op.dtype is DType.TF32 else op.dtype
    inputs = tuple(dense(shape, stored, LAST) for shape in op.input_shapes())
    out = dense(op.output_shape(), op.output_dtype(), LAST)
    fused = parse_epilogue(epilogue)
    shapes = [fused.operand_shape(slot, out.shape, 1) for slot in range(len(fused.operands))]
    extra = tuple(dense(s, out.dtype, LAST) if s == out.shape else dense(s, F) for s in shapes)
    return Problem(op, inputs, out, fused, extra)


def own(r: int = 3, **fields: Any) -> Problem:
    sizes = {"c": 96, "k": 96, "groups": 96, "r": r, "s": r, "padding": (r // 2, r // 2)}
    return conv(**(sizes | fields))


def images(**fields: Any) -> Problem:
    sizes = {"n": 8, "c": 64, "h": 14, "w": 14, "k": 64, "r": 3, "s": 3, "padding": (1, 1), "dtype": H}
    return tensors(ConvTranspose2dOp(**(sizes | fields)))


def filters(**fields: Any) -> Problem:
    sizes = {"n": 8, "c": 64, "h": 28, "w": 28, "k": 64, "r": 3, "s": 3, "padding": (1, 1), "dtype": H}
    return tensors(Conv2dFiltersOp(**(sizes | fields)))


FAMILIES: dict[str, Problem] = {
    "windows": conv("bias,residual,relu"),
    "windows of fp32": conv(dtype=F),
    "windows of fp32 to 16 bits": conv("relu", dtype=F, out_dtype=H),
    "pointwise": conv("bias,relu", r=1, s=1, padding=(0, 0)),
    "pointwise of fp32 to 16 bits": conv("bias,relu", r=1, s=1, padding=(0, 0), dtype=F, out_dtype=H),
    "three channels": conv("bias,relu", c=3, r=7, s=7, stride=(2, 2), padding=(3, 3)),
    "odd channels": conv("bias,residual,relu", c=67),
    "odd channels of fp32": conv(c=67, dtype=F),
    "odd channels of fp32 to 16 bits": conv(c=67, dtype=F, out_dtype=H),
    "groups": conv(groups=4),
    "bytes": conv("relu,quantize:int8:0.05", dtype=I8, out_dtype=I8),
    "depthwise 3x3": own(),
    "depthwise 3x3 strided": own(stride=(2, 2)),
    "depthwise 5x5 with bias": own(5, epilogue="bias,relu"),
    "depthwise 7x7": own(7, n=64, c=384, k=384, groups=384, h=14, w=14),
    "depthwise 7x7 of one image": own(7, n=1, c=384, k=384, groups=384, h=14, w=14),
    "depthwise 7x7 of one small image": own(7, n=1, c=768, k=768, groups=768, h=7, w=7),
    "depthwise of fp32": own(dtype=F),
    "depthwise in bf16 with residual": own(epilogue="bias,residual,relu", dtype=DType.BF16),
    "few channels in a group": conv(c=64, k=64, groups=32),
    "several filters for a channel": conv(c=64, k=128, groups=64),
    "transposed": images(stride=(1, 1)),
    "transposed by phases": images(stride=(2, 2), output_padding=(1, 1)),
    "gradient of filters": filters(),
    "gradient of filters, divided": filters(n=64),
}  # fmt: skip


def stores(nodes: tuple[Node, ...], inside: bool = False) -> Iterator[tuple[Node, bool]]:
    """Yield the stores of a body, and whether each stands where a test that may fail at an edge has failed."""
    for node in nodes:
        if isinstance(node, Loop):
            yield from stores(node.body, inside)
        elif isinstance(node, If):
            yield from stores(node.then, inside)
            yield from stores(node.otherwise, True)
        elif isinstance(node, Store | AsyncStore):
            yield node, inside


def narrow(kernel: SemanticKernel, operand: str) -> list[str]:
    """Return the accesses by which whole tiles of a result leave in less than 16 bytes.

    Raises
    ------
    ScheduleError
        If nothing stores the result.
    """
    found: list[str] = []
    seen = 0
    for role in kernel.roles:
        for node, edge in stores(role.body):
            if isinstance(node, AsyncStore):
                seen += node.target.operand == operand
            elif isinstance(node, Store) and isinstance(node.target, Access) and node.target.operand == operand:
                size = node.width * role.fragment(node.fragment).dtype.bytes
                seen += 1
                if size < CHUNK and not edge:
                    found.append(f"{kernel.name}: {size} bytes of {node.fragment}")
    if not seen:
        raise ScheduleError("nothing stores the result", kernel=kernel.name)
    return found


def results(path: Path) -> Iterator[tuple[SemanticKernel, str]]:
    """Yield the kernels that store the problem's result, each with the name of it."""
    if path.phases:
        for _, part in path.phases:
            yield from results(part)
        return
    last = path.kernels[-1]
    yield last, next(name for name in ("out", "output") if any(p.name == name for p in last.parameters))


@pytest.mark.parametrize("device", ["h200", "a100"])
@pytest.mark.parametrize("name", FAMILIES)
def test_whole_tiles_leave_by_16_bytes(name: str, device: str) -> None:
    for kernel, operand in results(trace(FAMILIES[name], preset=device)):
        assert narrow(kernel, operand) == []


def test_a_narrow_store_is_found() -> None:
    """The kernel of odd results stores elements and pairs; and one that stores nothing of that name is no proof of anything."""
    ((kernel, operand),) = results(trace(conv(c=67, k=67), preset="a100"))
    assert narrow(kernel, operand)
    with pytest.raises(ScheduleError, match="nothing stores"):
        narrow(kernel, "nobody")
