# SPDX-License-Identifier: MIT
"""Binaries of Intel's offline compiler: what their description says, what is refused, and that first configurations need no scratch."""

from __future__ import annotations

import shutil

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError, ScheduleError
from tracea_core.pipeline.path import trace
from tracea_core.testing.cases import gemm
from tracea_sycl import offline

DESCRIBED = b"""\x7fELF\0---
version:         '1.20'
kernels:
  - name:            product
    execution_env:
      grf_count:       256
      has_dpas:        true
      simd_size:       16
      slm_size:        32768
    per_thread_memory_buffers:
      - type:            scratch
        usage:           single_space
        size:            8192
      - type:            global
        usage:           private_space
        size:            448
    payload_arguments:
      - arg_type:        local_size
        size:            12
\0"""


def source(device: str) -> KernelSource:
    made = trace(gemm((256, 256, 256), DType.BF16, "nt"), preset=device).source
    assert made is not None
    return made


def test_the_description_is_read() -> None:
    found = offline.report(DESCRIBED)
    assert found == offline.BinaryReport(256, 16, 32768, 8192 + 448, True)
    assert "8640 of scratch, with dpas" in found.describe()
    plain = DESCRIBED.replace(b"has_dpas:        true", b"").split(b"    per_thread_memory")[0] + b"\0"
    assert offline.report(plain) == offline.BinaryReport(256, 16, 32768, 0, False)


def test_bytes_without_a_description_are_refused() -> None:
    with pytest.raises(CompileError, match="does not describe"):
        offline.report(b"\x7fELF nothing")


def test_scratch_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "compile_text", lambda source: DESCRIBED)
    with pytest.raises(ScheduleError, match="8640 of scratch"):
        offline.binary(source("pvc"))


def test_without_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(BackendUnavailableError, match="Install ocloc"):
        offline.binary(source("pvc"))


@pytest.mark.toolchain
@pytest.mark.parametrize("device", ["pvc", "arc_a770"])
def test_first_configurations_stay_in_registers(device: str) -> None:
    made = source(device)
    try:
        found = offline.report(offline.binary(made))
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    assert found.matrix_instructions and found.shared_bytes == made.launch.shared_bytes
