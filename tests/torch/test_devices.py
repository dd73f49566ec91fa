# SPDX-License-Identifier: MIT
"""Two GPUs in one process: work goes where its tensors are, whichever device is current. Needs two devices."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
if torch.cuda.device_count() < 2:
    pytest.skip("needs two GPUs", allow_module_level=True)
pytestmark = pytest.mark.device
F = torch.nn.functional

from tracea_core.errors import TraceaError  # noqa: E402

from tracea import ops  # noqa: E402


def draw(*shape: int, device: int, dtype: Any = torch.bfloat16) -> Any:
    generator = torch.Generator("cpu").manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator).to(f"cuda:{device}", dtype)


def close(got: Any, exact: Any) -> bool:
    return float((got.double() - exact).norm() / exact.norm()) < 8 * torch.finfo(got.dtype).eps


def right(got: Any, a: Any, b: Any) -> bool:
    return got.device == a.device and close(got, a.double() @ b.double())


def test_work_goes_to_the_device_of_its_tensors_whichever_is_current() -> None:
    operands = [(draw(256, 192, device=d), draw(192, 320, device=d)) for d in (0, 1)]
    for current in (0, 1, 0):
        with torch.cuda.device(current):
            for a, b in operands * 2:  # the second call of each is a replay
                assert right(ops.matmul(a, b), a, b)
                out = torch.full((256, 320), torch.nan, dtype=a.dtype, device=a.device)
                assert ops.matmul(a, b, out=out) is out and right(out, a, b)
            assert torch.cuda.current_device() == current


def test_repeated_launches_on_one_device_while_the_other_is_current() -> None:
    """What queues a launch again is refused by the driver for another context's default stream, and the ordinary way is taken."""
    sets = [
        (draw(128, 64, device=d), draw(64, 192, device=d), torch.empty(128, 192, dtype=torch.bfloat16, device=d))
        for d in (0, 1)
    ]
    for current in (0, 1, 0, 1):
        for stream in (None, torch.cuda.Stream(device=1)):
            with torch.cuda.device(current), torch.cuda.stream(stream):
                for a, b, out in sets * 4:
                    out.fill_(torch.nan)
                    ops.matmul(a, b, out=out)
                    assert right(out, a, b)


@pytest.mark.parametrize("split", [False, True])
def test_workspaces_and_copies_belong_to_their_device(split: bool) -> None:
    m, n, k = (128, 128, 16384) if split else (111, 223, 333)
    for device in (1, 0, 1):
        a, b = draw(m, k, device=device), draw(k, n, device=device)
        assert right(ops.matmul(a, b), a, b)


def test_streams_of_the_other_device_are_followed() -> None:
    a, b = draw(2048, 2048, device=1), draw(2048, 2048, device=1)
    expected = ops.matmul(a, b)
    stream = torch.cuda.Stream(device=1)
    stream.wait_stream(torch.cuda.current_stream(1))
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        late = a * 1.0
        got = ops.matmul(late, b)
    stream.synchronize()
    assert torch.equal(got, expected)


def test_a_graph_is_captured_on_the_other_device() -> None:
    a, b = draw(512, 512, device=1), draw(512, 512, device=1)
    out = torch.zeros(512, 512, dtype=a.dtype, device=a.device)
    with torch.cuda.device(1):
        ops.matmul(a, b, out=out)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(
            graph, stream=torch.cuda.Stream()
        ):  # its own would be of the device that was captured on first
            ops.matmul(a, b, out=out)
        a.copy_(draw(512, 513, device=1)[:, 1:])
        out.fill_(torch.nan)
        graph.replay()
        torch.cuda.synchronize()
    assert right(out, a, b)


def test_gradients_stay_on_their_device() -> None:
    x, w, b = (t.requires_grad_() for t in (draw(128, 64, device=1), draw(96, 64, device=1), draw(96, device=1)))
    ops.linear(x, w, b, epilogue="relu").sum().backward()
    exact = [t.detach().double().requires_grad_() for t in (x, w, b)]
    F.relu(F.linear(*exact)).sum().backward()
    for mine, theirs in zip((x, w, b), exact, strict=True):
        assert mine.grad.device == mine.device
        assert float((mine.grad.double() - theirs.grad).norm() / theirs.grad.norm()) < 0.05


def test_a_compiled_model_runs_on_the_other_device() -> None:
    torch._dynamo.reset()
    model = torch.nn.Sequential(torch.nn.Linear(512, 2048), torch.nn.GELU(), torch.nn.Linear(2048, 512))
    model = model.to("cuda:1", torch.bfloat16).eval()
    x = draw(256, 512, device=1)
    with torch.no_grad():
        got = torch.compile(model, backend="tracea")(x)
        exact = model.double()(x.double())
    assert got.device == x.device
    assert float((got.double() - exact).norm() / exact.norm()) < 0.05


def test_tensors_of_two_devices_are_refused_before_anything_runs() -> None:
    a, b = draw(64, 64, device=0), draw(64, 64, device=1)
    with pytest.raises((TraceaError, RuntimeError), match=r"cuda:[01]|device"):
        ops.matmul(a, b)
    with pytest.raises((TraceaError, RuntimeError), match=r"cuda:[01]|device"):
        ops.matmul(a, a, out=torch.empty(64, 64, dtype=a.dtype, device="cuda:1"))


def test_kernels_of_both_devices_are_ours() -> None:
    for device in (0, 1):
        a, b = draw(256, 256, device=device), draw(256, 256, device=device)
        assert right(ops.matmul(a, b, fallback="error"), a, b)
