# SPDX-License-Identifier: MIT
"""The backend is found by its entry point and used on arrays; texts and kernels that are none are refused."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_backend_example.machine import parse
from tracea_backend_example.plugin import emit_contraction
from tracea_core.dtypes import DType
from tracea_core.errors import CompileError, EmitError, LaunchError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import plan
from tracea_core.plugin.manager import Status, plugins


def problem(m: int, n: int, k: int) -> Problem:
    a, b, out = (TensorSpec.contiguous(shape, DType.FP32) for shape in ((m, k), (k, n), (m, n)))
    return Problem(GemmOp(m, n, k), (a, b), out)


def test_it_is_found_by_its_entry_point() -> None:
    record = plugins().load("example")
    assert (record.status, record.distribution) == (Status.LOADED, "tracea-backend-example"), record.problem


def test_it_multiplies() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((13, 17), (17, 29)))
    out = np.empty((13, 29), np.float32)
    made = plan(problem(13, 29, 17), backend="example")
    made.launch(a.ctypes.data, b.ctypes.data, out.ctypes.data)
    assert np.array_equal(out, a @ b)  # small integers: exact


def test_what_it_cannot_run_is_refused() -> None:
    path = plan(problem(2, 3, 4), backend="example").path
    (role,) = path.kernel.roles
    two = path.kernel.replace(roles=(role, role.replace(name="second")))
    with pytest.raises(EmitError, match="workers and nothing else"):
        emit_contraction(two, path.certificate.replace(kernel=two.digest()))
    for text in ("(kernel", "(kernel))", "(kernel) (kernel)", "; nothing"):
        with pytest.raises(CompileError):
            parse(text)
    from tracea_backend_example.runtime import ExampleRuntime

    assert path.source is not None
    with pytest.raises(LaunchError, match="missing or outside its domain"):
        ExampleRuntime().compile(path.source).prepare({})
