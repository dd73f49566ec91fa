# SPDX-License-Identifier: MIT
"""CUDA C++ to machine code without a device: both compilers, the gates, and the cache."""

from pathlib import Path

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.runtime.cache import BinaryCache
from tracea_cuda import compile as compiler

TEXT = """
extern "C" __global__ void __launch_bounds__(128, 1) scale(float* x, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) x[i] = 2.0f * x[i];
}
"""
SPILLING = """
extern "C" __global__ void __launch_bounds__(1024, 2) scale(float* x, int n) {
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = x[threadIdx.x + i * n];
  for (int j = 0; j < n; ++j)
#pragma unroll
    for (int i = 0; i < 64; ++i) a[i] = a[i] * a[(i + 7) % 64] + x[j];
  for (int i = 0; i < 64; ++i) x[threadIdx.x + i * n] = a[i];
}
"""
DROPPED = """
extern "C" __global__ void scale(float* x) {
  if (threadIdx.x < 128) { asm volatile("setmaxnreg.dec.sync.aligned.u32 40;"); x[threadIdx.x] = 1; }
  else { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); x[threadIdx.x] = 2; }
}
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BinaryCache:
    """A cache for one test."""
    cache = BinaryCache(tmp_path / "binaries")
    monkeypatch.setattr(compiler, "binary_cache", lambda: cache)
    return cache


@pytest.fixture(params=["nvrtc", "nvcc"])
def compile_text(request: pytest.FixtureRequest) -> object:
    """Each compiler that is here."""
    if request.param == "nvcc":
        return request.getfixturevalue("compile_nvcc")
    need_nvrtc()
    return compiler.compile_nvrtc


def need_nvrtc() -> None:
    try:
        compiler.nvrtc_version()
        compiler._cuda_core()
    except BackendUnavailableError as error:
        pytest.skip(str(error))


def test_both_compilers_give_machine_code_and_a_report(compile_text) -> None:  # type: ignore[no-untyped-def]
    made = compile_text(TEXT, "sm_90a", "scale")
    assert made.binary.startswith(b"\x7fELF")
    assert 4 <= made.report.registers <= 64
    assert made.report.faults == ()


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100a"])
def test_every_architecture_is_compiled_for(arch: str) -> None:
    need_nvrtc()
    assert compiler.compile_nvrtc(TEXT, arch, "scale").report.registers


def test_rejected_text_is_quoted(compile_text) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(CompileError, match=r'identifier "b" is undefined.*line=3.*int a = b;'):
        compile_text('extern "C" __global__ void scale() {\n\n  int a = b;\n}', "sm_90a", "scale")


@pytest.mark.parametrize(("text", "words"), [(SPILLING, "it spills"), (DROPPED, "setmaxnreg is dropped")])
def test_kernels_that_the_assembler_degrades_are_refused_and_not_kept(
    text: str, words: str, source: KernelSource, own_cache: BinaryCache
) -> None:
    need_nvrtc()
    with pytest.raises(CompileError, match=words):
        compiler.binary(source.replace(text=text))
    assert own_cache.keys() == ()


def test_a_binary_is_made_once(source: KernelSource, own_cache: BinaryCache, monkeypatch: pytest.MonkeyPatch) -> None:
    need_nvrtc()
    made = compiler.binary(source.replace(text=TEXT))
    assert own_cache.keys() == (compiler.binary_key(source.replace(text=TEXT)),)
    monkeypatch.setattr(compiler, "compile_nvrtc", lambda *_: pytest.fail("compiled again"))
    assert compiler.binary(source.replace(text=TEXT)) == made


def test_a_cache_entry_that_is_no_machine_code_is_replaced(source: KernelSource, own_cache: BinaryCache) -> None:
    need_nvrtc()
    own_cache.put(compiler.binary_key(source.replace(text=TEXT)), b"something else")
    assert compiler.binary(source.replace(text=TEXT)).startswith(b"\x7fELF")


def test_the_key_holds_source_target_and_compiler(source: KernelSource, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {compiler.binary_key(source), compiler.binary_key(source.replace(arch="sm_80"))}
    keys |= {compiler.binary_key(source.replace(text="other")), compiler.binary_key(source.replace(entry="other"))}
    monkeypatch.setattr(compiler, "compiler", lambda: "nvrtc 99.0")
    keys.add(compiler.binary_key(source))
    assert len(keys) == 5


def test_foreign_sources_and_targets_are_refused(source: KernelSource) -> None:
    with pytest.raises(CompileError, match="not CUDA"):
        compiler.binary(source.replace(language="hip"))
    with pytest.raises(CompileError, match="no architecture"):
        compiler.compile_nvrtc(TEXT, "gfx942", "scale")
