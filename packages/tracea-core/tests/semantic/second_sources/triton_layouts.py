# SPDX-License-Identifier: MIT
"""Write down what Triton takes matrix instructions' lanes and shared memory's swizzles to be: a second source for our own maps.

    python triton_layouts.py > triton_layouts.json      # with a Python that has Triton 3.9, no GPU needed

Its linear layouts are lists of images of bits, (row, column) of each register, lane and warp bit, or of each bit of an offset in
shared memory. They were written by others, from the same vendors' documents, and run on the hardware every day.
"""

from __future__ import annotations

import json
from typing import Any

import triton
from triton._C.libtriton import amd, gluon_ir, ir, nvidia
from triton.experimental.gluon.language._layouts import DotOperandLayout, NVMMADistributedLayout, NVMMASharedLayout
from triton.experimental.gluon.language.amd._layouts import AMDMFMALayout, AMDWMMALayout

WARPS = {
    "mma_m16n8k8_fp16": 2,
    "mma_m16n8k16_bf16": 2,
    "mma_m16n8k8_tf32": 1,
    "mma_m16n8k32_int8": 4,
    "mma_m16n8k32_fp8_e4m3": 4,
}
"""Elements that a lane holds side by side along k."""
WARPGROUPS = {
    "wgmma_ra_m64n8k16_bf16": 2, "wgmma_ra_m64n64k16_bf16": 2, "wgmma_ra_m64n256k16_bf16": 2, "wgmma_ra_m64n64k8_tf32": 1,
    "wgmma_ra_m64n64k32_int8": 4,
}  # fmt: skip
MFMA = {
    2: ("32x32x8_int8", "16x16x16_int8"),
    3: (
        "32x32x8_fp16", "16x16x16_fp16", "32x32x8_bf16", "16x16x16_bf16", "32x32x16_int8", "16x16x32_int8",
        "32x32x16_fp8_e4m3fnuz", "16x16x32_fp8_e4m3fnuz", "32x32x2_fp32", "16x16x4_fp32", "32x32x4_tf32", "16x16x8_tf32",
    ),
    4: ("32x32x16_fp16", "16x16x32_bf16", "32x32x32_int8", "16x16x64_int8"),
}  # fmt: skip
"""By generation: gfx90a, gfx942, gfx950."""


def shape(name: str) -> tuple[int, int, int]:
    """The m, n and k that a name says."""
    digits = name.split("_")[2 if "_ra_" in name else 1].replace("m", "").replace("n", "x").replace("k", "x")
    m, n, k = (int(part) for part in digits.split("x"))
    return m, n, k


class Teller:
    """Asks Triton for linear layouts."""

    def __init__(self) -> None:
        self.context = ir.context()
        for library in (ir, nvidia, amd):
            library.load_dialects(self.context)
        self.builder = gluon_ir.GluonOpBuilder(self.context)
        self.builder.set_loc(__file__, 1, 1)

    def bits(self, layout: Any, extents: tuple[int, int]) -> Any:
        """The layout over a matrix of these extents, as Triton's own value."""
        return self.builder.to_linear_layout(layout._to_ir(self.builder), list(extents))

    def held(self, layout: Any, extents: tuple[int, int]) -> dict[str, list[list[int]]]:
        """Images of the register and lane bits, those of warps behind those of lanes."""
        found = self.bits(layout, extents)
        return {"register": found.reg_bases, "lane": found.lane_bases + found.warp_bases}

    def product(self, size: tuple[int, int, int], c: Any, run: int, operands: str = "ab") -> dict[str, Any]:
        """All three maps of an instruction whose lanes hold `run` consecutive k."""
        m, n, k = size
        found = {"c": self.held(c, (m, n))}
        for index, (name, extents) in enumerate((("a", (m, k)), ("b", (k, n)))):
            if name in operands:
                found[name] = self.held(DotOperandLayout(index, c, run), extents)
        return found


def main() -> None:
    """Print all of them as JSON."""
    ask, found = Teller(), {}
    for name, run in WARPS.items():
        found[name] = ask.product(shape(name), NVMMADistributedLayout([2, 0], [1, 1], [16, 8]), run)
    found["mma_m8n8k4_fp64"] = ask.product((8, 8, 4), NVMMADistributedLayout([2, 0], [1, 1], [8, 8]), 1, "")
    for name, run in WARPGROUPS.items():
        _, n, k = shape(name)
        found[name] = ask.product((64, n, k), NVMMADistributedLayout([3, 0], [4, 1], [16, n, k]), run, "a")
    for generation, names in MFMA.items():
        for name in names:
            m, n, k = shape(f"mfma_{name}")
            tile = AMDMFMALayout(generation, [m, n, k], False, [1, 1])
            found[f"mfma_{name}"] = ask.product((m, n, k), tile, k * m // 64)
    for generation, version in (("11", 1), ("12", 2)):
        for dtype in ("fp16", "bf16", "int8"):
            tile = AMDWMMALayout(version, False, [], instr_shape=[16, 16, 16])
            found[f"wmma_gfx{generation}_16x16x16_{dtype}"] = ask.product((16, 16, 16), tile, 16 if version == 1 else 8)
    swizzles = [
        [width, bits, ask.bits(NVMMASharedLayout(width, bits, 2), (16, 8 * width // bits)).offset_bases]
        for width in (32, 64, 128)
        for bits in (8, 16, 32)
    ]
    lines = [f"  {json.dumps(name)}: {json.dumps(maps)}" for name, maps in found.items()]
    rows = [f"  {json.dumps(swizzle)}" for swizzle in swizzles]
    print(f'{{"triton": "{triton.__version__}", "instructions": {{')
    print(",\n".join(lines) + '\n}, "swizzles": [\n' + ",\n".join(rows) + "\n]}")


if __name__ == "__main__":
    main()
