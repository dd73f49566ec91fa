# SPDX-License-Identifier: MIT
"""Programs in C++ and CMake: over an exported library, and over the package that serves every call by way of Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.export.conftest import Loaded

pytestmark = pytest.mark.toolchain
PROGRAM = r"""
#include <tracea.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    std::vector<float> x(33 * 48), w(64 * 48), bias(64), y(33 * 64, -1.0f);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.01f * static_cast<float>(i % 7) - 0.03f;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = 0.02f * static_cast<float>(i % 5) - 0.04f;
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = 0.1f * static_cast<float>(i % 3) - 0.1f;
    const tracea::TensorView weight(w.data(), {64, 48});
    tracea::gemm(tracea::TensorView(x.data(), {33, 48}), weight.transposed(), tracea::TensorView(y.data(), {33, 64}),
                 {tracea::Epilogue::BiasAdd(tracea::TensorView(bias.data(), {64})), tracea::Epilogue::ReLU()});
    for (int row = 0; row < 33; ++row)
        for (int column = 0; column < 64; ++column) {
            double sum = bias[column];
            for (int k = 0; k < 48; ++k) sum += static_cast<double>(x[row * 48 + k]) * w[column * 48 + k];
            if (std::fabs(y[row * 64 + column] - (sum > 0 ? sum : 0)) > 1e-5) return 2;
        }
    std::vector<float> a(16 * 40, 0.5f), b(40 * 24, 0.25f), c(16 * 24);
    tracea::Context("cpu").execute(a.data(), b.data(), c.data(), 16, 24, 40);
    if (c[0] != 5.0f || c[16 * 24 - 1] != 5.0f) return 3;
    std::vector<float> image(2 * 8 * 8 * 4, 1.0f), filter(6 * 3 * 3 * 4, 0.5f), out(2 * 8 * 8 * 6);
    tracea::Conv2dParams params;
    params.padding_h = params.padding_w = 1;
    const std::vector<std::int64_t> last{8 * 8 * 4, 1, 8 * 4, 4}, filters{3 * 3 * 4, 1, 3 * 4, 4}, outs{8 * 8 * 6, 1, 8 * 6, 6};
    tracea::conv2d(tracea::TensorView(image.data(), {2, 4, 8, 8}, tracea::DType::Float32, -1, last),
                   tracea::TensorView(filter.data(), {6, 4, 3, 3}, tracea::DType::Float32, -1, filters), nullptr,
                   tracea::TensorView(out.data(), {2, 6, 8, 8}, tracea::DType::Float32, -1, outs), params);
    if (out[0] != 8.0f || out[(8 + 1) * 6] != 18.0f) return 4;
    try {
        tracea::gemm(tracea::TensorView(x.data(), {33, 48}), weight, tracea::TensorView(y.data(), {33, 64}));
        return 5;
    } catch (const tracea::Error &error) {
        if (error.status() != TRACEA_INVALID_PARAMS || std::string(error.what()).empty()) return 6;
    }
    tracea::clear_error();
    if (!tracea::get_last_error().empty()) return 7;
    std::printf("tracea %s\n", tracea::version().c_str());
    return 0;
}
"""
CALLS = (
    "linear 33 64 48 --epilogue bias,relu",
    "matmul 16 24 40",
    "conv2d 2 4 8 8 6 3 3 --padding 1 --layout nhwc",
)


def found(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"there is no {name}")
    return path


def run(words: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=600, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_program_links_an_exported_library(library: Callable[..., Loaded], tmp_path: Path) -> None:
    compiler = (
        [path] if (path := shutil.which("g++") or shutil.which("clang++")) else [sys.executable, "-m", "ziglang", "c++"]
    )
    made = library(*CALLS, name="linked").made
    (tmp_path / "program.cpp").write_text(PROGRAM)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{made.folder}/include", "program.cpp", "-o", "program"]
    run([*compiler, *flags, f"-L{made.folder}/lib", "-llinked", f"-Wl,-rpath,{made.folder}/lib"], tmp_path)
    assert run(["./program"], tmp_path).startswith("tracea 0.")


@pytest.mark.parametrize("how", ["built", "found"])
def test_cmake_takes_an_exported_library(library: Callable[..., Loaded], tmp_path: Path, how: str) -> None:
    cmake, _ = found("cmake"), found("g++")
    made = library(*CALLS, name="cmaked").made
    taken = (
        f'add_subdirectory("{made.folder}" cmaked)'
        if how == "built"
        else f'find_package(cmaked REQUIRED PATHS "{made.folder}/cmake")'
    )
    (tmp_path / "program.cpp").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.16)\nproject(program C CXX)\nset(CMAKE_CXX_STANDARD 17)\n{taken}\n"
        "add_executable(program program.cpp)\ntarget_link_libraries(program PRIVATE tracea::cmaked)\n"
    )
    run([cmake, "-S", ".", "-B", "build"], tmp_path)
    run([cmake, "--build", "build"], tmp_path)
    run(["build/program"], tmp_path)


def test_cmake_takes_the_package_that_serves_every_call(tmp_path: Path) -> None:
    cmake, _ = found("cmake"), found("g++")
    if (
        not sysconfig.get_config_var("Py_ENABLE_SHARED")
        or not (Path(sysconfig.get_path("include")) / "Python.h").exists()
    ):
        pytest.skip("this Python has no shared library, or no headers")
    folder = run([sys.executable, "-m", "tracea.c_interface"], tmp_path).strip()
    (tmp_path / "program.cpp").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(program C CXX)\nset(CMAKE_CXX_STANDARD 17)\nfind_package(tracea REQUIRED)\n"
        "add_executable(program program.cpp)\ntarget_link_libraries(program PRIVATE tracea::tracea)\n"
    )
    run([cmake, "-S", ".", "-B", "build", f"-Dtracea_DIR={folder}", f"-DPython3_EXECUTABLE={sys.executable}"], tmp_path)
    run([cmake, "--build", "build"], tmp_path)
    home = str(Path(sysconfig.get_config_var("LIBDIR") or "/usr/lib"))
    said = run(["build/program"], tmp_path, LD_LIBRARY_PATH=home)
    assert said.startswith("tracea 0.")
