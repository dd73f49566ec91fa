# SPDX-License-Identifier: MIT
"""What a trial times: the same result by both sides, whatever types a graph mixes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from tracea.torch.compiler import trial  # noqa: E402

PATIENT = {"tracea.seconds": 600}
MODELS = {
    "linear": (lambda: nn.Sequential(nn.Linear(24, 40), nn.ReLU(), nn.Linear(40, 8)), (5, 24)),
    "convolution": (lambda: nn.Conv2d(4, 8, 3, padding=1), (2, 4, 9, 9)),
    "transposed": (lambda: nn.ConvTranspose2d(4, 8, 3, 2, 1, 1), (2, 4, 9, 9)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_under_autocast_both_sides_run(
    name: str, training: bool, inside: bool, monkeypatch: pytest.MonkeyPatch, without_compiler: None, reports: list[Any]
) -> None:
    """Weights are cast, biases are left to the kernel in the type that they have; PyTorch's products want them cast, too."""
    timed: list[dict[str, Any]] = []

    def run(sides: dict[str, Any], device: Any) -> dict[str, float]:
        assert not torch.is_autocast_enabled("cpu"), "nothing is left to be cast in what is timed"
        timed.append({side: call() for side, call in sides.items()})
        return dict.fromkeys(sides, 1.0)

    monkeypatch.setattr(trial, "_in_turns", run)
    monkeypatch.setattr(trial, "_cache", lambda: SimpleNamespace(get=lambda key: None, put=lambda key, value: None))
    make, shape = MODELS[name]
    model = make().train(training)

    def network(x: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return model(x)

    with torch.set_grad_enabled(training), torch.autocast("cpu", dtype=torch.bfloat16, enabled=not inside):
        torch.compile(network if inside else model, backend="tracea", options=PATIENT)(torch.randn(shape))
    reasons = [region.reason for report in reports for region in report.regions]
    assert timed and not any("failed" in reason for reason in reasons), reasons
    for results in timed:
        assert results["fused"].dtype is results["unfused"].dtype is torch.bfloat16
