# SPDX-License-Identifier: MIT
"""A library for AArch64, linked into a program with the C library of the wheel ``ziglang`` and executed by an emulator."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.export.conftest import drawn, share_of_bound
from tracea.exporting import export

CALLS = (
    "product=matmul 67 45 33 --epilogue bias,gelu",
    "last=conv2d 2 19 13 11 24 3 3 --padding 1 --layout nhwc --epilogue bias,relu",
    "rows=layer_norm 9 70",
)
PROGRAM = """
#include "arm.h"
#include <stdio.h>
#include <stdlib.h>
/* tensors in files 0, 1, ... of so many bytes; the last one is written */
int main(int count, char **sizes) {{
    void *at[16];
    TraceaStatus status;
    for (int i = 0; i + 1 < count; ++i) {{
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        at[i] = aligned_alloc(64, (size_t)(atoi(sizes[i + 1]) + 63) / 64 * 64);
        FILE *file = fopen(name, "rb");
        if (file == NULL || fread(at[i], 1, (size_t)atoi(sizes[i + 1]), file) != (size_t)atoi(sizes[i + 1])) return 9;
        fclose(file);
    }}
    status = {call};
    if (status != TRACEA_SUCCESS) return fprintf(stderr, "%s\\n", arm_last_error()), 1;
    FILE *file = fopen("out", "wb");
    return fwrite(at[count - 2], 1, (size_t)atoi(sizes[count - 1]), file) != (size_t)atoi(sizes[count - 1]) || fclose(file);
}}
"""


@pytest.mark.toolchain
def test_a_library_for_another_processor_is_right_there(tmp_path: Path) -> None:
    emulator = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if emulator is None or not importlib.util.find_spec("ziglang"):
        pytest.skip("needs qemu-user for AArch64, and the wheel ziglang")
    made = export(tmp_path / "arm", CALLS, "arm", preset="neon", built=False)
    objects = sorted(str(path) for path in (made.folder / "kernels").glob("*.o"))
    compiler = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        "aarch64-linux-musl",
        "-static",
        "-O1",
        "-D_GNU_SOURCE",
        "-Werror",
    ]
    for call in made.calls:
        tensors = drawn(call.problem, 7)
        inside = [one.memory[one.start : one.start + one.bytes] for one in tensors.values()]
        for number, part in enumerate(inside):
            (tmp_path / str(number)).write_bytes(part.tobytes())
        arguments = ", ".join([*(f"at[{number}]" for number in range(len(inside))), "NULL"])
        (tmp_path / "program.c").write_text(PROGRAM.format(call=f"arm_{call.name}({arguments})"))
        flags = [
            f"-I{made.folder}/include",
            f"-I{made.folder}/src",
            "program.c",
            f"{made.folder}/src/arm.c",
            *objects,
            "-o",
            "program",
        ]
        subprocess.run([*compiler, *flags], cwd=tmp_path, check=True)
        for threads in ("1", "3"):
            ran = subprocess.run(
                [emulator, "./program", *(str(part.size) for part in inside)],
                cwd=tmp_path, env={**os.environ, "TRACEA_NUM_THREADS": threads}, capture_output=True, text=True, timeout=300,
            )  # fmt: skip
            assert ran.returncode == 0, ran.stderr
            inside[-1][...] = np.frombuffer((tmp_path / "out").read_bytes(), np.uint8)
            assert share_of_bound(call.problem, tensors) <= 1.0
