# SPDX-License-Identifier: MIT
"""The quotient as kernels in C have it, compiled: the same bits as Python's integers over all of the 32-bit range."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tracea_core.emit.c.dialect import Dialect
from tracea_core.errors import BackendUnavailableError
from tracea_core.semantic.quotient import reciprocal
from tracea_core.testing.simt.toolchain import find_compiler

pytestmark = pytest.mark.toolchain
LAST = (1 << 31) - 1
EDGES = sorted({value for bit in range(31) for value in ((1 << bit) - 1, 1 << bit, (1 << bit) + 1)} | {LAST - 1, LAST})
_TEXT = """
typedef long long i64;
{idiom}
extern "C" void quotients(const int* dividends, const i64* reciprocals, int* found, int count) {{
  for (int i = 0; i < count; ++i) found[i] = quotient(dividends[i], reciprocals[i]);
}}
"""
Divide = Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], npt.NDArray[np.int32]]


class Plain(Dialect):
    """What C and the languages of GPUs share."""

    function = "static inline"


@pytest.fixture(scope="module")
def divide(tmp_path_factory: pytest.TempPathFactory) -> Divide:
    try:
        compiler = find_compiler()
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    folder: Path = tmp_path_factory.mktemp("quotient")
    (folder / "q.cpp").write_text(_TEXT.format(idiom=Plain().reciprocal_idiom()))
    command = [*compiler.command, "-O2", "-shared", "-fPIC", "-o", str(folder / "q.so"), str(folder / "q.cpp")]
    subprocess.run(command, check=True, capture_output=True)
    library = ctypes.CDLL(str(folder / "q.so"))

    def run(dividends: npt.NDArray[np.int64], reciprocals: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        n, r = dividends.astype(np.int32), reciprocals.astype(np.int64)
        found = np.full(len(n), -1, np.int32)
        library.quotients(*(ctypes.c_void_p(array.ctypes.data) for array in (n, r, found)), ctypes.c_int(len(n)))
        return found

    return run


@settings(max_examples=400, deadline=None)
@given(dividend=st.integers(0, LAST), divisor=st.integers(1, LAST))
def test_compiled_quotients_are_those_of_integers(divide: Divide, dividend: int, divisor: int) -> None:
    whole = dividend // divisor * divisor
    around = [v for v in (dividend, whole - 1, whole, whole + divisor - 1, whole + divisor, LAST) if 0 <= v <= LAST]
    found = divide(np.array(around), np.full(len(around), reciprocal(divisor)))
    assert found.tolist() == [value // divisor for value in around]


def test_compiled_quotients_at_every_edge_and_of_many_drawn(divide: Divide) -> None:
    random = np.random.default_rng(31)
    drawn = random.integers(0, LAST, 200_000, endpoint=True) >> random.integers(0, 31, 200_000)
    for divisor in (edge for edge in EDGES if edge):
        values = np.concatenate([np.array(EDGES), drawn])
        assert np.array_equal(divide(values, np.full(len(values), reciprocal(divisor))), values // divisor), divisor


def test_a_reciprocal_one_too_small_shows(divide: Divide) -> None:
    last = LAST // 7 * 7
    assert divide(np.array([last]), np.array([reciprocal(7) - 1])).tolist() != [last // 7]
