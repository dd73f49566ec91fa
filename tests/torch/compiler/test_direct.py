# SPDX-License-Identifier: MIT
"""What Inductor prints calls kernels themselves; where it cannot be told to, compiled graphs work as before."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from tracea.torch.compiler import direct, inductor  # noqa: E402

ALWAYS = {"tracea.policy": "always"}


def test_compiled_code_calls_kernels_without_the_dispatcher() -> None:
    if inductor.cpp_compiler() is None:
        pytest.skip("no C++ compiler")
    from torch._inductor.utils import run_and_get_code

    layer = nn.Linear(16, 32)
    model, x = nn.Sequential(layer, nn.GELU(), nn.Linear(32, 8)).eval(), torch.randn(4, 16)
    compiled = torch.compile(model, backend="tracea", options={**ALWAYS, "force_disable_caches": True})
    with torch.no_grad():
        got, (code, *_) = run_and_get_code(compiled, x)
        torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
    assert code.count("torch.ops.tracea.into(") == 2 and "torch.ops.tracea._linear.default(" not in code


def test_where_inductor_is_not_as_expected_the_dispatcher_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import ir

    monkeypatch.delattr(ir.ExternKernel, "require_exact_strides")
    direct.call_directly.cache_clear()
    assert not direct.call_directly() and "dispatched" in inductor.UseTwins().uuid()
    direct.call_directly.cache_clear()
    monkeypatch.undo()
    assert "placed" in inductor.UseTwins().uuid()


def test_what_a_backward_pass_keeps_is_stored_once() -> None:
    if inductor.cpp_compiler() is None:
        pytest.skip("no C++ compiler")
    from torch._inductor.utils import run_and_get_code

    model, x = nn.Sequential(nn.Linear(16, 48), nn.GELU(), nn.Linear(48, 16)), torch.randn(2, 3, 16, requires_grad=True)
    compiled = torch.compile(model, backend="tracea", options={**ALWAYS, "force_disable_caches": True})
    got, (forward, *_) = run_and_get_code(compiled, x)
    assert forward.count("torch.ops.tracea.into(") == 2
    assert forward.count("empty_strided_cpu((2, 3, 48)") == 2, "the sums and their GELU, each once"
    torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
