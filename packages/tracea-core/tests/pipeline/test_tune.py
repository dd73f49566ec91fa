# SPDX-License-Identifier: MIT
"""Tuning on the interpreter backend: wrong results are never timed, and what was measured is what the next plan uses."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DeviceError, OptionError, TuningError
from tracea_core.ops.conv_transpose import ConvTranspose2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import configure, measure_task, path, runtimes, trace
from tracea_core.pipeline import plan as make_plan
from tracea_core.pipeline import tune as tuning
from tracea_core.pipeline.configure import Origin
from tracea_core.plugin import manager as managers
from tracea_core.plugin.select import Selection
from tracea_core.policy.config import PipelineConfig
from tracea_core.testing.null import null_backend
from tracea_core.tuner.lock import write_lock
from tracea_core.tuner.measure import Measurement, Timer, summarize
from tracea_core.tuner.result import Origin as Found
from tracea_core.tuner.result import SeveralMeasurer
from tracea_core.tuner.search import Budget
from tracea_core.tuner.worker import CandidateError


def gemm(m: int = 5, n: int = 9, k: int = 4, epilogue: str = "", dtype: DType = DType.FP32) -> Problem:
    t = TensorSpec.contiguous
    tail = {} if not epilogue else {"epilogue": parse_epilogue(epilogue), "epilogue_inputs": (t((n,), DType.FP32),)}
    return Problem(GemmOp(m, n, k, dtype=dtype), (t((m, k), dtype), t((k, n), dtype)), t((m, n), dtype), **tail)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[None]:
    """Serve every call by the interpreter, with stores and caches of the test's own."""
    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    manifest = null_backend()
    selection = Selection(manifest.probe().devices[0], manifest)
    for module in (path, tuning):
        monkeypatch.setattr(module, "resolve", lambda *words, **more: selection)
    monkeypatch.setattr(runtimes, "plugins", lambda: SimpleNamespace(manifest=lambda name: manifest))
    runtimes.forget()
    configure.store.cache_clear()
    configure.forget_lock_file()
    measure_task._bench.cache_clear()
    yield
    runtimes.forget()
    configure.store.cache_clear()
    configure.forget_lock_file()
    managers.reset_plugins()


def payload(problem: Problem, *configurations: PipelineConfig) -> dict[str, Any]:
    texts = [configuration.to_json() for configuration in configurations]
    return {"problem": problem.to_json(), "configurations": texts, "device": "null", "backend": "null"}


def spoil(monkeypatch: pytest.MonkeyPatch, launch: Callable[..., None]) -> None:
    """Let every plan launch something else."""
    monkeypatch.setattr(
        measure_task,
        "plan",
        lambda *words: dataclasses.replace(made := make_plan(*words), launch=functools.partial(launch, made.launch)),
    )


@pytest.mark.parametrize(
    "problem",
    [gemm(), gemm(epilogue="bias,gelu"), gemm(dtype=DType.BF16), gemm(m=1, n=1, k=0)],
    ids=["plain", "epilogue", "bf16", "empty sum"],
)
def test_a_right_kernel_is_verified_and_timed(problem: Problem) -> None:
    hero = trace(problem).configuration
    (text,) = measure_task.measure(payload(problem, hero))
    measured = Measurement.from_json(text)
    assert measured.seconds > 0 and measured.samples >= 1


def test_finalists_are_timed_in_turns() -> None:
    problem = gemm()
    hero = trace(problem).configuration
    assert len(measure_task.measure(payload(problem, hero, hero))) == 2


def test_a_kernel_that_writes_nothing_is_never_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, lambda right, *pointers: None)
    with pytest.raises(TuningError, match="the result is wrong"):
        measure_task.measure(payload(gemm(), trace(gemm()).configuration))


def test_a_kernel_that_swaps_its_operands_is_never_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, lambda right, a, b, out: right(b, a, out))
    with pytest.raises(TuningError, match="the result is wrong"):
        measure_task.measure(payload(gemm(6, 6, 6), trace(gemm(6, 6, 6)).configuration))


def test_operands_stand_behind_the_strides_of_the_problem() -> None:
    base = gemm(3, 5, 7)
    problem = base.replace(inputs=(TensorSpec((3, 7), DType.FP32, (1, 4)), base.inputs[1]))
    bench = measure_task.Bench(problem)
    assert bench.inputs[0].strides == (4, 16) and bench.output.shape == (3, 5)
    bench.check(make_plan(problem))
    np.testing.assert_allclose(bench.output, bench.inputs[0] @ bench.inputs[1], rtol=1e-5, atol=1e-5)


class Far:
    """Memory apart from the arrays, as a device's is."""

    def __init__(self, content: Any) -> None:
        self._held = content.copy()
        self.address = self._held.ctypes.data

    def write(self, content: Any) -> None:
        self._held[...] = content

    def read(self) -> Any:
        return self._held.copy()


class FarRuntime:
    """A device that brings its own memory and clock."""

    device, toolchain, memory = "null", "none", "device"

    def compile(self, source: Any) -> Any:
        raise AssertionError("plans come from elsewhere")

    def place(self, content: Any) -> Far:
        return Far(content)

    def timer(self) -> Timer:
        return Timer(seconds=0.01, method="the device's clock")


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> FarRuntime:
    opened = FarRuntime()
    monkeypatch.setattr(measure_task, "runtime", lambda backend, device: opened)
    return opened


def test_candidates_of_a_device_are_verified_in_its_memory_and_timed_by_its_clock(far: FarRuntime) -> None:
    base = gemm(3, 5, 7)
    problem = base.replace(inputs=(TensorSpec((3, 7), DType.FP32, (1, 4)), base.inputs[1]))
    (text,) = measure_task.measure(payload(problem, trace(problem).configuration))
    assert Measurement.from_json(text).method == "the device's clock"
    bench = measure_task.Bench(problem, far)
    made = make_plan(problem)
    own = [array.__array_interface__["data"][0] for array in (*bench.inputs, bench.output)]
    assert not set(bench.pointers(made)) & set(own)
    bench.check(made)
    np.testing.assert_allclose(bench.output, bench.inputs[0] @ bench.inputs[1], rtol=1e-5, atol=1e-5)


def test_what_a_device_did_not_write_is_seen(far: FarRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, lambda right, *pointers: None)
    with pytest.raises(TuningError, match="the result is wrong"):
        measure_task.measure(payload(gemm(), trace(gemm()).configuration))


def test_a_device_that_takes_no_arrays_cannot_be_measured_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_task, "runtime", lambda backend, device: SimpleNamespace(memory="device"))
    with pytest.raises(DeviceError, match=r"no place\(\) and timer\(\)"):
        measure_task.measure(payload(gemm()))


@pytest.mark.parametrize("place", ["host", "device"])
def test_operands_may_run_backwards(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if place == "device":
        monkeypatch.setattr(measure_task, "runtime", lambda backend, device: FarRuntime())
    base = gemm(6, 8, 10)
    problem = base.replace(inputs=(TensorSpec((6, 10), DType.FP32, (-12, 1)), base.inputs[1]))
    bench = measure_task.Bench(problem, FarRuntime() if place == "device" else None)
    first = bench.inputs[0].__array_interface__["data"][0] - measure_task._address(measure_task._bytes(bench.inputs[0]))
    assert first % 256 == 0 and first >= 5 * 12 * 4
    made = make_plan(problem)
    bench.check(made)
    np.testing.assert_allclose(bench.output, bench.inputs[0] @ bench.inputs[1], rtol=1e-5, atol=1e-5)


def test_a_transposed_convolution_is_tuned_as_its_phases() -> None:
    x, w = TensorSpec.contiguous((1, 4, 5, 5), DType.FP32), TensorSpec.contiguous((4, 8, 3, 3), DType.FP32)
    op = ConvTranspose2dOp(1, 4, 5, 5, 8, 3, 3, (2, 2))
    problem = Problem(op, (x, w), TensorSpec.contiguous(op.output_shape(), DType.FP32))
    assert len(tuning.tuned_problems(problem)) == 4
    assert sum(np.prod(one.output.shape) for one in tuning.tuned_problems(problem)) == np.prod(problem.output.shape)
    with pytest.raises(OptionError, match="4 convolutions"):
        tuning.tune(problem)
    few = op.replace(r=1, s=1)  # one phase multiplies, the others are zeros
    w = TensorSpec.contiguous((4, 8, 1, 1), DType.FP32)
    (only,) = tuning.tuned_problems(Problem(few, (x, w), TensorSpec.contiguous(few.output_shape(), DType.FP32)))
    assert (
        tuning.tune(only, measured=False).configuration
        == tuning.tune(
            Problem(few, (x, w), TensorSpec.contiguous(few.output_shape(), DType.FP32)), measured=False
        ).configuration
    )


class FakeMeasurer:
    """Times that depend on the configuration alone: the last candidate in text order is the fastest."""

    seen: tuple[PipelineConfig, ...] = ()

    def __init__(self, problem: Problem, device: str, backend: str, worker: Any) -> None:
        self.problem = problem

    def __call__(self, configuration: PipelineConfig) -> Measurement:
        type(self).seen += (configuration,)
        return summarize([1.0 / (1 + configuration.tile_n)] * 9)

    def compare(self, configurations: Any) -> list[Measurement]:
        return [self(configuration) for configuration in configurations]


def test_the_next_plan_uses_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "KernelMeasurer", FakeMeasurer)
    problem = gemm()
    assert trace(problem).configured.origin is Origin.HERO
    result = tuning.tune(problem, budget=Budget(6, 600.0))
    assert result.origin is Found.SEARCH and result.configuration in FakeMeasurer.seen
    found = trace(problem)
    assert found.configured.origin is Origin.MEASURED and found.configuration == result.configuration
    assert trace(gemm(70, 90, 40)).configured.origin is Origin.HERO  # another class of sizes
    again = tuning.tune(problem, budget=Budget(6, 600.0))
    assert again.origin is Found.STORE and again.configuration == result.configuration


def test_times_of_changed_kernels_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "KernelMeasurer", FakeMeasurer)
    monkeypatch.setattr(tuning, "source_digest", lambda selection, choice, configuration: "0" * 64)
    tuning.tune(gemm(), budget=Budget(4, 600.0))
    assert trace(gemm()).configured.origin is Origin.HERO


def test_without_measuring_the_policy_answers_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "KernelMeasurer", FakeMeasurer)
    result = tuning.tune(gemm(), measured=False)
    assert result.origin is Found.MODEL and not result.measured
    assert result.configuration == trace(gemm()).configuration


def test_a_pin_decides_the_next_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "KernelMeasurer", FakeMeasurer)
    result = tuning.tune(gemm(), budget=Budget(6, 600.0))
    write_lock([tuning.pin(gemm(), result)])
    configure.forget_lock_file()
    assert trace(gemm()).configured.origin is Origin.LOCKED
    assert trace(gemm()).configuration == result.configuration


def test_a_preset_cannot_be_tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    selection = tuning.resolve()
    target = selection.target.replace(profile=selection.target.profile.replace(probed=False), device="preset:toy")
    monkeypatch.setattr(tuning, "resolve", lambda *words, **more: Selection(target, selection.manifest))
    with pytest.raises(DeviceError, match="published profile"):
        tuning.tune(gemm())


def test_the_measurer_sends_one_task_and_reads_its_answer() -> None:
    sent: list[tuple[str, dict[str, Any], float]] = []

    class Worker:
        device = None

        def run(self, entry: str, task: dict[str, Any], timeout: float) -> list[str]:
            sent.append((entry, task, timeout))
            return [summarize([1.0]).to_json() for _ in task["configurations"]]

    hero = trace(gemm()).configuration
    measurer = tuning.KernelMeasurer(gemm(), "null", "null", (Worker(),))
    assert measurer(hero).seconds == 1.0 and len(measurer.compare([hero, hero])) == 2
    module, function = sent[0][0].split(":")
    assert module == measure_task.__name__ and callable(getattr(measure_task, function))
    assert Problem.from_json(sent[0][1]["problem"]) == gemm()
    assert sent[1][2] > sent[0][2]


def test_several_workers_measure_at_once_and_one_of_them_compares() -> None:
    meeting = threading.Barrier(3)

    class Elsewhere:
        def __init__(self, number: int) -> None:
            self.device, self.number = f"null:{number}", number

        def run(self, entry: str, task: dict[str, Any], timeout: float) -> list[str]:
            if len(task["configurations"]) == 1:
                meeting.wait(60)  # nobody gets past it who comes alone
            assert task["device"] == self.device
            if self.number == 1:
                raise CandidateError("no luck")
            return [summarize([1.0 + self.number]).to_json() for _ in task["configurations"]]

    hero = trace(gemm()).configuration
    measurer = tuning.KernelMeasurer(gemm(), "null", "null", tuple(map(Elsewhere, range(3))))
    assert isinstance(measurer, SeveralMeasurer) and measurer.width == 3
    first, second, third = measurer.several([hero] * 3)
    assert isinstance(first, Measurement) and first.seconds == 1.0
    assert isinstance(second, CandidateError)
    assert isinstance(third, Measurement) and third.seconds == 3.0
    assert [one.seconds for one in measurer.compare([hero, hero])] == [1.0, 1.0]
