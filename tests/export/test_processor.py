# SPDX-License-Identifier: MIT
"""Libraries of C for this processor: every function against float64, under threads, forks and settings, and what is refused."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tracea_core.errors import CompileError, OptionError, UnsupportedError
from tracea_core.export import export_library
from tracea_core.export.build import build, machine
from tracea_core.export.library import MARK

from tests.export.conftest import Loaded, drawn, share_of_bound
from tracea.exporting import export, parse_call

pytestmark = pytest.mark.toolchain
CALLS = (
    "product=matmul 97 131 65",
    "square=matmul 384 384 384",
    "linear 33 64 48 --epilogue bias,gelu",
    "one=linear 1 777 513 --epilogue bias,silu",
    "gated=matmul 40 24 56 --epilogue swiglu",
    "wide=matmul 31 45 63 --dtype fp64",
    "halves=linear 21 40 72 --dtype bf16 --epilogue bias,relu",
    "bytes=matmul 40 48 64 --dtype int8",
    "last=conv2d 2 19 13 11 24 3 3 --padding 1 --layout nhwc --epilogue batch_norm,residual,relu",
    "first=conv2d 2 8 17 17 12 3 3 --padding 1 --epilogue bias,relu",
    "planes=conv2d 4 64 14 14 64 3 3 --padding 1 --allow-winograd",
    "pixel=conv2d 2 32 9 9 48 1 1 --layout nhwc --epilogue bias",
    "deep=conv2d 2 16 20 20 16 5 5 --padding 2 --groups 16 --layout nhwc",
    "up=conv_transpose2d 2 12 7 7 9 3 3 --stride 2 --padding 1 --layout nhwc",
    "filters=conv2d_filters 2 8 9 9 16 3 3 --padding 1",
    "soft=softmax 37 211",
    "norm=layer_norm 19 300",
    "seen=attention 2 3 70 90 32 --causal",
    "ranks=low_rank_mlp 40 50 60 8",
)


@pytest.fixture(scope="module")
def served(library: Callable[..., Loaded]) -> Loaded:
    return library(*CALLS)


@pytest.mark.parametrize("place", range(len(CALLS)), ids=[call.split("=")[0].split()[0] for call in CALLS])
def test_every_call_agrees_with_float64(served: Loaded, place: int) -> None:
    call = served.made.calls[place]
    for seed in (1, 2):
        tensors = drawn(call.problem, seed)
        assert served.call(call, tensors) == 0, served.said
        assert share_of_bound(call.problem, tensors) <= 1.0
        assert all(one.guarded for one in tensors.values())


def test_a_wrong_result_is_seen(served: Loaded) -> None:
    call = served.made.calls[0]
    tensors = drawn(call.problem, 3)
    assert share_of_bound(call.problem, tensors) > 1.0  # nobody has written it
    assert served.call(call, tensors) == 0
    tensors["output"].array[5, 7] += 1.0
    assert share_of_bound(call.problem, tensors) > 1.0


def test_callers_do_not_meet(served: Loaded) -> None:
    def repeat(seed: int) -> list[float]:
        shares = []
        for turn in range(6):
            call = served.made.calls[(seed + turn) % len(CALLS)]
            tensors = drawn(call.problem, seed)
            assert served.call(call, tensors) == 0
            shares.append(share_of_bound(call.problem, tensors))
        return shares

    with ThreadPoolExecutor(8) as pool:
        assert max(max(found) for found in pool.map(repeat, range(16))) <= 1.0


def run_apart(made: Any, body: str, **environment: str) -> str:
    """Run Python that has ctypes, the library as `lib`, and `addresses` of zeros, in a process of its own."""
    head = (
        "import ctypes, os\n"
        f"lib = ctypes.CDLL({str(made.library)!r})\n"
        "memory = (ctypes.c_float * (3 * 384 * 384 + 16))()\n"
        "at = lambda place: ctypes.c_void_p(-(-ctypes.addressof(memory) // 64) * 64 + place * 4 * 384 * 384)\n"
        "call = lambda: lib.probe_square(at(0), at(1), at(2), None)\n"
        "lib.probe_last_error.restype = ctypes.c_char_p\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", head + body],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_the_number_of_threads_is_what_is_asked_for(served: Loaded, threads: str) -> None:
    said = run_apart(
        served.made, "assert call() == 0\nprint(len(os.listdir('/proc/self/task')))", TRACEA_NUM_THREADS=threads
    )
    assert said.split() == [threads]


def test_a_number_of_threads_that_is_none_is_refused(served: Loaded) -> None:
    said = run_apart(served.made, "print(call(), lib.probe_last_error().decode())", TRACEA_NUM_THREADS="many")
    assert said.startswith("1 TRACEA_NUM_THREADS")


def test_children_of_a_fork_run_alone(served: Loaded) -> None:
    body = (
        "assert call() == 0\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if call() == 0 and call() == 0 else 3)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and call() == 0\n"
    )
    run_apart(served.made, body, TRACEA_NUM_THREADS="3")


def test_workers_leave_with_the_library(served: Loaded) -> None:
    body = (
        "assert call() == 0\n"
        "unload = ctypes.CDLL(None).dlclose\n"
        "unload.argtypes = [ctypes.c_void_p]\n"
        "assert unload(lib._handle) == 0\n"
        "print(len(os.listdir('/proc/self/task')))\n"
    )
    assert run_apart(served.made, body, TRACEA_NUM_THREADS="4").split() == ["1"]


def test_null_pointers_and_odd_addresses_are_refused_before_anything_is_written(served: Loaded) -> None:
    call = served.made.calls[0]
    tensors = drawn(call.problem, 1)
    before = tensors["output"].memory.copy()
    function = served.library.probe_product
    assert function(None, *(ctypes.c_void_p(tensors[name].address) for name in ("input1", "output")), None) == 1
    assert served.said == "product: input0 is a null pointer"
    odd = [ctypes.c_void_p(one.address + (2 if name == "input1" else 0)) for name, one in tensors.items()]
    assert function(*odd, None) == 1
    assert "input1 starts at" in served.said and "multiple of 4 bytes" in served.said
    assert (tensors["output"].memory == before).all()


def test_a_processor_without_the_instructions_is_refused(tmp_path: Path, strict_compiler: None) -> None:
    made = export(tmp_path / "made", ["square=matmul 64 64 64"], "probe", built=False)
    text = (made.folder / "src" / "probe.c").read_text()
    assert "tracea_cpu_features[" in text
    head, _, tail = text.partition("tracea_cpu_features[")
    tail = tail.split(";", 1)[1]
    (made.folder / "src" / "probe.c").write_text(f'{head}tracea_cpu_features[2] = {{"none-such", 0}};{tail}')
    if machine() != "x86_64":
        pytest.skip("only x86 processors are asked")
    built = replace(made, library=made.folder / build_again(made.folder).relative_to(made.folder))
    loaded = Loaded(built)
    tensors = drawn(made.calls[0].problem, 1)
    assert loaded.call(made.calls[0], tensors) == 2
    assert "this processor has no none-such" in loaded.said


def build_again(folder: Path) -> Path:
    return build(folder, "probe", machine(), ("-D_GNU_SOURCE", "-pthread"), ("-pthread",))


def test_a_compiler_that_refuses_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    with pytest.raises(CompileError, match="refuses the library"):
        export(tmp_path / "made", ["matmul 8 8 8"], built=True)
    assert not list(tmp_path.iterdir())


def test_a_library_replaces_another_but_nothing_else(tmp_path: Path) -> None:
    export(tmp_path / "made", ["a=matmul 8 8 8"], built=False)
    made = export(tmp_path / "made", ["b=matmul 8 8 8"], built=False)
    assert "kernels_b" in (made.folder / "include" / "kernels.h").read_text()
    assert "kernels_a" not in (made.folder / "include" / "kernels.h").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
    (made.folder / MARK).unlink()
    with pytest.raises(OptionError, match="no library that tracea wrote"):
        export(made.folder, ["b=matmul 8 8 8"], built=False)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OptionError, match="no library that tracea wrote"):
        export(tmp_path / "file", ["b=matmul 8 8 8"], built=False)


@pytest.mark.parametrize(
    ("calls", "name", "said"),
    [
        ([], "kernels", "no call is stated"),
        (["a=matmul 8 8 8", "a=matmul 9 9 9"], "kernels", "several functions are called a"),
        (["last_error=matmul 8 8 8"], "kernels", "last_error"),
        (["matmul 8 8 8"], "two words", "cannot name a library"),
        (["matmul 8 8 8"], "tracea_library", "cannot name a library"),
        (["int=matmul 8 8 8"], "kernels", "cannot name a function"),
        (["matmul 8 8"], "kernels", "matmul takes M N K"),
        (["matmul 8 8 eight"], "kernels", "is no call"),
        (["matmul '8 8 8"], "kernels", "No closing quotation"),
        (["matmul 8 8 8 --json"], "kernels", "unrecognized arguments: --json"),
        (["matmul 8 8 8 --preset h200"], "kernels", "unrecognized arguments: --preset"),
        (["nothing 8 8 8"], "kernels", "no op is called"),
    ],
)
def test_what_is_no_library_is_refused_before_anything_is_written(
    tmp_path: Path, calls: list[str], name: str, said: str
) -> None:
    with pytest.raises(OptionError, match=said):
        export(tmp_path / "made", calls, name)
    assert not list(tmp_path.iterdir())


def test_a_call_that_would_be_converted_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="fp8_e4m3"):
        export(tmp_path / "made", ["matmul 64 64 64 --dtype fp8_e4m3"], preset="a100", built=False)
    assert not list(tmp_path.iterdir())


def test_backends_without_a_runtime_in_c_say_so(tmp_path: Path) -> None:
    problem = parse_call("matmul 64 64 64 --dtype fp16")
    with pytest.raises(Exception, match="has no runtime in C"):
        export_library(tmp_path / "made", [("one", "matmul", problem)], preset="mi300x")


@pytest.mark.parametrize("preset", ["avx2", "avx512", "neon"])
def test_libraries_for_other_processors_are_written(tmp_path: Path, preset: str) -> None:
    made = export(tmp_path / "made", ["matmul 65 33 17 --epilogue bias,gelu"], preset=preset, built=False)
    objects = sorted((made.folder / "kernels").glob("*.o"))
    assert len(objects) == 2
    wanted = {"neon": 183}.get(preset, 62)  # EM_AARCH64, EM_X86_64
    assert all(int.from_bytes(path.read_bytes()[18:20], "little") == wanted for path in objects)
