# SPDX-License-Identifier: MIT
"""tracea.h by both libraries that offer it: an exported one over its table, and Python (`tracea.c_interface`) for every call."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.export.tables import DTYPES
from tracea_core.ops.spec import TensorSpec

from tests.export.conftest import Loaded, Placed, drawn, share_of_bound
from tracea import c_interface as python
from tracea.c_interface import Conv2dParams, GemmParams, Stage, View
from tracea.exporting import parse_call

HEADER = (Path(python.__file__).parents[2] / "packages/tracea-core/src/tracea_core/export/c/tracea.h").read_text()
CALLS = (
    "plain=matmul 33 47 29",
    "linear=linear 33 64 48 --epilogue bias,gelu",
    "gated=matmul 16 24 40 --epilogue swiglu",
    "scaled=matmul 16 24 40 --epilogue scale:0.5,relu",
    "conv=conv2d 2 16 12 12 24 3 3 --padding 1 --layout nhwc --epilogue bias,relu",
    "strided=conv2d 2 16 12 12 24 3 3 --stride 2 --epilogue batch_norm",
)


class Boundary:
    """The two functions, whoever serves them; `said` is the message of the last failure."""

    def __init__(self, library: Any) -> None:
        self.library, self.said = library, ""
        self._kept: list[Any] = []

    def view(self, one: Placed, **changed: Any) -> View:
        spec = one.spec
        shape, strides = (ctypes.c_uint64 * spec.rank)(*spec.shape), (ctypes.c_int64 * spec.rank)(*spec.strides)
        self._kept.append((shape, strides, one))
        given = {
            "ptr": one.address,
            "rank": spec.rank,
            "shape": shape,
            "stride": strides,
            "dtype": python.DTYPES.index(spec.dtype),
            "device_id": -1,
        }
        return View(**{**given, **changed})

    def stages(self, *stages: tuple[str, list[View]]) -> dict[str, Any]:
        listed = (Stage * len(stages))(
            *[Stage(name.encode(), (View * len(views))(*views), len(views)) for name, views in stages]
        )
        self._kept.append(listed)
        return {"epilogues": listed, "epilogue_count": len(stages)}

    def gemm(self, a: View, b: View, out: View | None, params: GemmParams) -> int:
        return self._call("gemm", [a, b], None, out, params)

    def conv2d(self, x: View, w: View, b: View | None, out: View | None, params: Conv2dParams) -> int:
        return self._call("conv2d", [x, w], b, out, params)

    def _call(self, name: str, views: list[View], bias: View | None, out: View | None, params: Any) -> int:
        if self.library is None:
            addresses = [ctypes.addressof(one) if one is not None else 0 for one in (*views, bias, out, params)]
            status, self.said = getattr(python, name)(*addresses)
            return int(status)
        biases = [None if bias is None else ctypes.byref(bias)] if name == "conv2d" else []
        status = getattr(self.library, f"tracea_{name}")(
            *views, *biases, None if out is None else ctypes.byref(out), params
        )
        text = ctypes.create_string_buffer(2048)
        length = self.library.tracea_get_last_error(text, len(text))
        self.said = text.value.decode()
        assert length == len(text.value)
        return int(status)


@pytest.fixture(scope="module")
def table(library: Callable[..., Loaded]) -> Any:
    return library(*CALLS, name="interface").library


@pytest.fixture(params=[pytest.param("exported", marks=pytest.mark.toolchain), "python"])
def boundary(request: pytest.FixtureRequest) -> Boundary:
    return Boundary(request.getfixturevalue("table") if request.param == "exported" else None)


def tensors_of(line: str) -> tuple[Any, dict[str, Placed]]:
    problem = parse_call(line.partition("=")[2])
    return problem, drawn(problem, 5)


@pytest.mark.parametrize("line", CALLS[:4])
def test_products(boundary: Boundary, line: str) -> None:
    problem, tensors = tensors_of(line)
    names = {"linear": ("bias", "gelu"), "gated": ("swiglu",), "scaled": ("scale:0.5", "relu")}.get(
        line.partition("=")[0], ()
    )
    operands = [boundary.view(one) for name, one in tensors.items() if name.startswith("epilogue")]
    stages = boundary.stages(*[(name, operands if name == "bias" else []) for name in names])
    a, b, out = (boundary.view(tensors[name]) for name in ("input0", "input1", "output"))
    assert boundary.gemm(a, b, out, GemmParams(**stages)) == 0, boundary.said
    assert share_of_bound(problem, tensors) <= 1.0
    assert all(one.guarded for one in tensors.values())


def test_convolutions(boundary: Boundary) -> None:
    problem, tensors = tensors_of(CALLS[4])
    x, w, b, out = (boundary.view(tensors[name]) for name in ("input0", "input1", "epilogue0", "output"))
    params = Conv2dParams(padding_h=1, padding_w=1, **boundary.stages(("relu", [])))
    assert boundary.conv2d(x, w, b, out, params) == 0, boundary.said
    assert share_of_bound(problem, tensors) <= 1.0
    problem, tensors = tensors_of(CALLS[5])
    x, w, out = (boundary.view(tensors[name]) for name in ("input0", "input1", "output"))
    normed = boundary.stages(("batch_norm", [boundary.view(tensors[f"epilogue{place}"]) for place in range(4)]))
    assert boundary.conv2d(x, w, None, out, Conv2dParams(stride_h=2, stride_w=2, **normed)) == 0, boundary.said
    assert share_of_bound(problem, tensors) <= 1.0


def test_strides_may_be_left_out_where_rows_follow_each_other(boundary: Boundary) -> None:
    problem, tensors = tensors_of(CALLS[0])
    a, b, out = (boundary.view(tensors[name], stride=None) for name in ("input0", "input1", "output"))
    assert boundary.gemm(a, b, out, GemmParams()) == 0, boundary.said
    assert share_of_bound(problem, tensors) <= 1.0


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"ptr": None}, 1, "null pointer"),
        ({"rank": 3}, 1, "axes|matrices"),
        ({"shape": None}, 1, "no shape"),
        ({"dtype": 99}, 1, "unknown type 99"),
        ({"device_id": 0}, 1, "on device|several devices"),
    ],
)
def test_views_that_contradict_themselves_are_refused(
    boundary: Boundary, change: dict[str, Any], status: int, said: str
) -> None:
    _, tensors = tensors_of(CALLS[0])
    before = tensors["output"].memory.copy()
    if "rank" in change:
        change = {**change, "shape": (ctypes.c_uint64 * 3)(1, 1, 1), "stride": (ctypes.c_int64 * 3)(1, 1, 1)}
    a, b, out = (
        boundary.view(tensors[name], **(change if name == "input1" else {})) for name in ("input0", "input1", "output")
    )
    assert boundary.gemm(a, b, out, GemmParams()) == status
    assert re.search(said, boundary.said), boundary.said
    assert (tensors["output"].memory == before).all()


def test_addresses_between_elements_are_refused(boundary: Boundary) -> None:
    _, tensors = tensors_of(CALLS[0])
    between = boundary.view(tensors["input1"], ptr=tensors["input1"].address + 2)
    a, out = (boundary.view(tensors[name]) for name in ("input0", "output"))
    assert boundary.gemm(a, between, out, GemmParams()) == 1
    assert "multiple of 4 bytes" in boundary.said
    assert np.isnan(tensors["output"].values).all()


def test_what_no_call_says_is_refused(boundary: Boundary) -> None:
    _, tensors = tensors_of(CALLS[0])
    a, b, out = (boundary.view(tensors[name]) for name in ("input0", "input1", "output"))
    assert boundary.gemm(a, b, None, GemmParams()) == 1 and "null pointer" in boundary.said
    assert boundary.gemm(a, a, out, GemmParams()) == 1
    assert boundary.gemm(a, b, out, GemmParams(epilogues=None, epilogue_count=2)) == 1
    nameless = (Stage * 1)(Stage(None, None, 0))
    assert boundary.gemm(a, b, out, GemmParams(nameless, 1, None)) == 1 and "has no name" in boundary.said
    missing = (Stage * 1)(Stage(b"bias", None, 1))
    assert boundary.gemm(a, b, out, GemmParams(missing, 1, None)) == 1 and "pointer to them" in boundary.said
    assert boundary.gemm(a, b, out, GemmParams(**boundary.stages(("nothing", [])))) in (1, 2)
    assert "nothing" in boundary.said
    assert boundary.gemm(a, b, out, GemmParams(**boundary.stages(("bias", [])))) in (1, 2)
    assert np.isnan(tensors["output"].values).all()


@pytest.mark.toolchain
def test_an_exported_library_says_what_it_has(table: Any) -> None:
    table.tracea_calls.restype = table.tracea_version.restype = ctypes.c_char_p
    lines = table.tracea_calls().decode().splitlines()
    assert lines[0] == "plain: matmul 33 47 29" and len(lines) == len(CALLS)
    assert table.tracea_version().decode() == python.VERSION
    boundary = Boundary(table)
    _, tensors = tensors_of("x=matmul 8 8 8")
    a, b, out = (boundary.view(tensors[name]) for name in ("input0", "input1", "output"))
    assert boundary.gemm(a, b, out, GemmParams()) == 2
    assert "no call of this library takes input0 float32 (8, 8) by (8, 1)" in boundary.said
    assert table.tracea_get_last_error(None, 0) == len(boundary.said)
    short = ctypes.create_string_buffer(8)
    table.tracea_get_last_error(short, 8)
    assert short.value.decode() == boundary.said[:7]
    table.tracea_clear_error()
    assert table.tracea_get_last_error(None, 0) == 0


def test_python_serves_devices_and_types_that_are_not_here_with_a_status() -> None:
    boundary = Boundary(None)
    _, tensors = tensors_of(CALLS[0])
    views = [boundary.view(tensors[name], device_id=93) for name in ("input0", "input1", "output")]
    assert boundary.gemm(*views, GemmParams()) in (1, 2)
    spec = TensorSpec.contiguous((8, 8), DType.INT32)
    integers = [boundary.view(Placed(spec, None)) for _ in range(3)]
    assert boundary.gemm(*integers, GemmParams()) in (1, 2) and "int32" in boundary.said


def test_types_have_the_numbers_of_the_header() -> None:
    numbers = {name: int(value) for name, value in re.findall(r"^\s+(TRACEA_[A-Z0-9_]+) = (\d+)", HEADER, re.MULTILINE)}
    assert [numbers[DTYPES[dtype]] for dtype in python.DTYPES] == list(range(len(python.DTYPES)))
    assert set(DTYPES) == set(python.DTYPES)
    statuses = ("SUCCESS", "INVALID_PARAMS", "UNSUPPORTED_CONFIG", "CUDA_ERROR", "CPU_ERROR")
    assert [numbers[f"TRACEA_{name}"] for name in statuses] == list(range(5))


@pytest.mark.parametrize(
    ("name", "mirror"),
    [
        ("TraceaTensorView", View),
        ("TraceaEpilogue", Stage),
        ("TraceaGemmParams", GemmParams),
        ("TraceaConv2dParams", Conv2dParams),
    ],
)
def test_structures_are_those_of_the_header(name: str, mirror: Any) -> None:
    body = re.search(r"typedef struct \{([^{}]*)\} " + name + ";", HEADER)
    assert body is not None
    text = re.sub(r"/\*.*?\*/", "", body[1], flags=re.DOTALL)
    fields = [re.findall(r"\w+", part)[-1] for line in text.split(";") for part in line.split(",") if part.strip()]
    assert fields == [field for field, _ in mirror._fields_]
