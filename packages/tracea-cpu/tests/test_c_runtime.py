# SPDX-License-Identifier: MIT
"""What exported libraries ask a processor for: the same names here and in C, and the same answers as LLVM's."""

from __future__ import annotations

import ctypes
import re
import subprocess
from importlib import resources
from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.errors import BackendUnavailableError, UnsupportedError
from tracea_core.export.build import compiler_for, machine
from tracea_cpu import compile as compiler
from tracea_cpu.c_runtime import ASKED, MOST_WORKSPACES, c_runtime
from tracea_cpu.pool_text import ORIGIN, POOL_BYTES
from tracea_cpu.processors import MOST_WORKERS
from tracea_llvm.barrier import BARRIER_BYTES, LINE

HEADER = (resources.files("tracea_cpu") / "c" / "tracea_cpu.h").read_text()


def test_names_and_numbers_are_those_of_the_header() -> None:
    table = HEADER[HEADER.index("tracea_features[]") : HEADER.index("static bool tracea_processor_has")]
    assert sorted(re.findall(r'\{"([^"]+)"', table)) == sorted(ASKED)
    numbers = {name: int(value) for name, value in re.findall(r"(TRACEA_[A-Z_]+) = (\d+)[,} ]", HEADER)}
    assert numbers["TRACEA_LINE"] == LINE and numbers["TRACEA_MOST_WORKSPACES"] == MOST_WORKSPACES
    assert numbers["TRACEA_POOL_LINES"] * LINE == POOL_BYTES and numbers["TRACEA_ORIGIN"] == ORIGIN
    assert f"TRACEA_BARRIER_BYTES = {BARRIER_BYTES // LINE} * TRACEA_LINE" in HEADER
    assert numbers["TRACEA_MOST_WORKERS"] == MOST_WORKERS


@pytest.mark.toolchain
def test_a_processor_says_in_c_what_it_tells_llvm(tmp_path: Path) -> None:
    if machine() != "x86_64":
        pytest.skip("only x86 processors are asked")
    try:
        words = compiler_for(machine())
    except BackendUnavailableError as error:
        pytest.skip(error.message)
    core = resources.files("tracea_core.export") / "c"
    for name in ("tracea.h", "tracea_library.h"):
        (tmp_path / name).write_text((core / name).read_text())
    (tmp_path / "tracea_cpu.h").write_text(HEADER)
    (tmp_path / "probe.c").write_text(
        "#define TRACEA_WORKER p_worker\n#define TRACEA_LAUNCH p_launch\n#define TRACEA_DEAL p_deal\n"
        "static const char *const tracea_cpu_features[] = {0};\n"
        '#include "tracea_cpu.h"\n'
        "void p_worker(void *a, int64_t b) { (void)a, (void)b; }\n"
        "void p_launch(void *a, void *b, void *c, int64_t d, int64_t e) { (void)a, (void)b, (void)c, (void)d, (void)e; }\n"
        "void p_deal(void *a, int64_t b, int64_t c) { (void)a, (void)b, (void)c; }\n"
        "int has(const char *name) { return tracea_processor_has(name); }\n"
    )
    subprocess.run(
        [*words, "-D_GNU_SOURCE", "-std=gnu11", "-shared", "-fPIC", "-I.", "-o", "probe.so", "probe.c", "-pthread"],
        cwd=tmp_path,
        check=True,
    )
    library = ctypes.CDLL(str(tmp_path / "probe.so"))
    told = compiler.host_features()
    asked = [name for name in ASKED if name != "amx-tile"]  # which the system may refuse
    assert {name: bool(library.has(name.encode())) for name in asked} == {name: bool(told.get(name)) for name in asked}
    assert not library.has(b"none-such")


def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "target_of", lambda arch: ("x86_64-apple-darwin", arch, ""))
    with pytest.raises(UnsupportedError, match="run on Linux"):
        c_runtime(preset("avx2"))
