# SPDX-License-Identifier: MIT
"""What Inductor is asked for beside what the caller asks for."""

from __future__ import annotations

import re
from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from torch._inductor import compile_fx  # noqa: E402
from torch._inductor.utils import run_fw_bw_and_get_code  # noqa: E402

from tracea.torch.compiler import inductor  # noqa: E402

NEVER = {"tracea.policy": "never"}
LAID_OUT = "force_layout_optimization"


class Filters(nn.Module):
    """Filters of single channels between steps that Inductor makes, so that nothing outside says how their images lie."""

    def __init__(self) -> None:
        super().__init__()
        self.own = nn.Conv2d(16, 16, 3, padding=1, groups=16)

    def forward(self, x: Any) -> Any:
        """Return the result of an image."""
        return torch.sin(self.own(torch.cos(x))).sum()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What Inductor is asked for, graph by graph."""
    found: list[dict[str, Any]] = []

    def keep(module: Any, inputs: Any, config_patches: dict[str, Any]) -> Any:
        found.append(config_patches)
        return module.forward

    monkeypatch.setattr(compile_fx, "compile_fx", keep)
    monkeypatch.setattr(inductor, "cpp_compiler", lambda: "c++")
    return found


@pytest.mark.parametrize("policy", ["never", "always"])
def test_images_of_gradients_are_laid_out_where_something_convolves(policy: str, asked: list[dict[str, Any]]) -> None:
    torch.compile(Filters(), backend="tracea", options={"tracea.policy": policy})(torch.randn(2, 16, 9, 9))
    assert [patches.get(LAID_OUT) for patches in asked] == [True]


def test_nothing_is_asked_for_where_nothing_convolves_or_the_caller_says_otherwise(asked: list[dict[str, Any]]) -> None:
    torch.compile(nn.Linear(8, 8), backend="tracea", options=NEVER)(torch.randn(3, 8))
    torch.compile(Filters(), backend="tracea", options={**NEVER, LAID_OUT: False})(torch.randn(2, 16, 9, 9))
    assert [patches.get(LAID_OUT) for patches in asked] == [None, False]


def test_nothing_is_asked_for_without_the_library_that_wants_it(
    asked: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    torch.compile(Filters(), backend="tracea", options=NEVER)(torch.randn(2, 16, 9, 9))
    assert [patches.get(LAID_OUT) for patches in asked] == [None]


def test_gradients_of_filters_of_single_channels_are_computed_channels_last() -> None:
    if inductor.cpp_compiler() is None or not torch.backends.mkldnn.is_available():
        pytest.skip("Inductor has no C++ compiler, or PyTorch no oneDNN")
    torch._dynamo.reset()
    model, x = Filters(), torch.randn(2, 16, 9, 9, requires_grad=True)
    compiled = torch.compile(model, backend="tracea", options=NEVER)
    _, codes = run_fw_bw_and_get_code(lambda: compiled(x))
    steps = re.findall(
        r"\(2, 16, 9, 9\), \(([\d, ]+)\), 'torch.ops.aten.convolution_backward.default'", "\n".join(codes)
    )
    assert steps == ["1296, 1, 144, 16"]
    found = [x.grad, model.own.weight.grad]
    x.grad = None
    expected = torch.autograd.grad(model(x), [x, model.own.weight])
    for own, other in zip(found, expected, strict=True):
        torch.testing.assert_close(own, other, rtol=1e-5, atol=1e-5)
