# SPDX-License-Identifier: MIT
"""Conversions of 8-bit floats in ``device/short_floats.h``, run in the emulator: every code, and floats around every code and edge."""

from importlib.resources import files

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError
from tracea_core.testing.simt import SimtProgram

SHORT = (DType.FP8_E4M3, DType.FP8_E5M2, DType.FP8_E4M3FNUZ, DType.FP8_E5M2FNUZ)


def text() -> str:
    folder = files("tracea_hip") / "device"
    parts = [(folder / name).read_text("utf-8") for name in ("common.h", "short_floats.h")]
    lines = [f"  codes[{i} * n + at] = to_{d.value}(x[at]);" for i, d in enumerate(SHORT)]
    lines += [
        f"  if (at < 256) values[{i} * 256 + at] = from_{d.value}((unsigned char)at);" for i, d in enumerate(SHORT)
    ]
    head = 'extern "C" __global__ void convert(const float* x, unsigned char* codes, float* values, int n) {'
    index = "  const int at = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();\n  if (at >= n) return;"
    return "\n".join((*parts, head, index, *lines, "}"))


@pytest.mark.toolchain
def test_every_conversion_is_what_the_type_says() -> None:
    codes = np.arange(256, dtype=np.uint8)
    known = np.unique(np.concatenate([d.decode(codes) for d in SHORT]))
    known = known[np.isfinite(known)]
    random = np.random.default_rng(0).standard_normal(3000) * 2.0 ** np.random.default_rng(1).uniform(-20, 18, 3000)
    ties = (known[1:] + known[:-1]) / 2
    x = np.concatenate([known, ties, random, [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e-30]]).astype(np.float32)
    x = np.concatenate([x, np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(0))])
    got, values = np.zeros((len(SHORT), x.size), np.uint8), np.zeros((len(SHORT), 256), np.float32)
    try:
        program = SimtProgram(text(), language="hip", target="mi300x")
    except BackendUnavailableError as error:
        pytest.skip(error.message)
    program.run(grid=(-(-x.size // 256),), block=(256,), args=[x, got, values, x.size]).require_clean()
    for dtype, written, read in zip(SHORT, got, values, strict=True):
        np.testing.assert_array_equal(read, dtype.decode(codes).astype(np.float32))
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(dtype.decode(written), dtype.decode(dtype.encode(x)), err_msg=dtype.value)
