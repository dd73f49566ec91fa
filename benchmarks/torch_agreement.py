# SPDX-License-Identifier: MIT
"""How far a network's results are from those in a wider type, beside what roundings of its own type may do to them.

Outputs in evaluation, outputs and gradients of a training step, each side on the same random weights and inputs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

MODES = ("inference", "training")


def made(network: Any, mode: str, batch: int, device: Any, dtype: Any = None) -> tuple[Any, list[Any]]:
    """Return a network with random weights where it runs, by default in bf16 on a GPU and in fp32 on a CPU, and its inputs."""
    import torch

    torch.manual_seed(0)
    dtype = dtype or (torch.bfloat16 if device.type == "cuda" else torch.float32)
    with torch.device(device):
        model = network.make().to(dtype).train(mode == "training")
        inputs = [x.to(dtype) for x in network.inputs(batch)]
    return model, inputs


def step_of(run: Any, own: Any, inputs: list[Any], mode: str, weights: list[Any] | None = None) -> Callable[[], Any]:
    """Return what runs a network once; `weights`, which are drawn in the first of these runs, make a number of what it returns."""
    import torch

    def inference() -> Any:
        with torch.no_grad():
            return [run(*inputs)]

    weights = [] if weights is None else weights

    def training() -> Any:
        own.zero_grad(set_to_none=True)
        output = run(*inputs)
        if not weights:  # what a norm has made cannot be told from noise by its squares, whose gradient is zero
            generator = torch.Generator(output.device).manual_seed(1)
            weights.append(torch.randn(output.shape, generator=generator, device=output.device))
        (output * weights[0]).mean().backward()
        return [output.detach(), *(p.grad for p in own.parameters() if p.grad is not None)]

    return training if mode == "training" else inference


def first(results: list[Any], batch: int, few: int) -> list[Any]:
    """Return the first few of a batch where results are compared for those only: of what was evaluated, each depends on itself alone."""
    return results if few == batch else [result[: len(result) * few // batch] for result in results]


def bounds(model: Any, inputs: list[Any], mode: str) -> tuple[list[Any], list[float]]:
    """Return results in the next wider type, and how far those in the model's own may be from them (`benchmarks.torch_rounding`)."""
    import torch

    from benchmarks.torch_rounding import allowed

    kind = inputs[0].dtype
    wide = torch.float64 if kind is torch.float32 else torch.float32
    weights: list[Any] = []

    def step() -> list[Any]:
        own = copy.deepcopy(model).to(wide)
        found: list[Any] = step_of(own, own, [x.to(wide) for x in inputs], mode, weights)()
        return found

    with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):  # which convolutions take by default
        exact = step()
        return exact, allowed(step, exact, kind)


def deviations(results: dict[str, list[Any]], exact: list[Any], allowed: list[float]) -> dict[str, float]:
    """Return each side's largest deviation from exact results, relative to their size, and how many times what is `allowed` each is."""
    from benchmarks.torch_rounding import off

    line: dict[str, float] = {}
    for side in ("eager", "inductor", "tracea"):
        errors = [off(value, expected) for value, expected in zip(results[side], exact, strict=True)]
        ratios = [error / most for error, most in zip(errors, allowed, strict=True)]
        line[f"{side}_error"] = float(f"{max(errors):.3g}")
        line["beyond" if side == "tracea" else f"{side}_beyond"] = (
            round(max(ratios), 4) if all(ratio == ratio for ratio in ratios) else float("inf")
        )
    return line


def agreement(network: Any, batch: int, device: Any, modes: Sequence[str] = MODES, dtype: Any = None) -> dict[str, Any]:
    """Return how far results are off where kernels take all they can, forwards and backwards, and PyTorch the rest.

    Parameters
    ----------
    modes : sequence of str
        Of `MODES`, all by default: the worst counts.
    dtype : dtype, optional
        As for `made`.
    """
    import torch

    from tracea.torch.compiler import backend

    taken = 0

    def look(module: Any, _: Any) -> Any:
        nonlocal taken
        taken += sum(region.taken for region in backend.take(module, "always")[0])
        return module.forward

    worst: dict[str, float] = {}
    for mode in modes:
        model, inputs = made(network, mode, batch, device, dtype)
        torch._dynamo.reset()
        own, second = copy.deepcopy(model), copy.deepcopy(model)
        results = {"eager": step_of(own, own, inputs, mode)()}
        results["tracea"] = step_of(torch.compile(second, backend=look), second, inputs, mode)()
        found = deviations({**results, "inductor": results["eager"]}, *bounds(model, inputs, mode))
        worst = {key: max(value, worst.get(key, 0.0)) for key, value in found.items() if "inductor" not in key}
    return {"taken": taken, **worst}
