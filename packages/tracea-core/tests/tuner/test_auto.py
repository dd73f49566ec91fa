# SPDX-License-Identifier: MIT
"""The documented interface, and that every result says where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import DeviceError, ShapeError, TuningError
from tracea_core.policy.budget import budget_reason
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.model import predict_seconds
from tracea_core.tuner.auto import (
    AutoTuner,
    Device,
    DeviceBackend,
    LayerType,
    Measurer,
    Origin,
    ProblemDescriptor,
    Shape,
    TuningResult,
)
from tracea_core.tuner.lock import LockFile, Pin
from tracea_core.tuner.measure import Measurement, summarize
from tracea_core.tuner.record import Status, hardware_fingerprint
from tracea_core.tuner.search import Budget, Progress, RandomSearch
from tracea_core.tuner.space import SearchSpace
from tracea_core.tuner.store import MeasurementStore
from tracea_core.tuner.worker import CandidateCrashError

GPU = preset("h200")
PROBLEM = ProblemDescriptor(
    device=Device.Cuda(0), layer_type=LayerType.Gemm, shape=Shape(m=2048, n=2048, k=2048, batch=1), dtype=DType.BF16
)


class Counting:
    """Measures by the policy's model with one twist, and counts."""

    def __init__(self, fail: Sequence[PipelineConfig] = (), crash: Sequence[PipelineConfig] = ()) -> None:
        self.calls: list[PipelineConfig] = []
        self.fail, self.crash = set(fail), set(crash)

    def __call__(self, configuration: PipelineConfig) -> float:
        self.calls.append(configuration)
        if configuration in self.fail:
            raise RuntimeError("wrong result")
        if configuration in self.crash:
            raise CandidateCrashError("the process was ended by SIGSEGV")
        return predict_seconds(configuration, GPU, PROBLEM.topology()) * (1.0 if configuration.stages >= 4 else 1.3)


def tuner(store: MeasurementStore | None = None, **more: object) -> AutoTuner:
    settings: dict[str, object] = {"search": RandomSearch(), "budget": Budget(20, 600.0), "store": store}
    return AutoTuner(GPU, **settings | more)  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> MeasurementStore:
    return MeasurementStore(tmp_path / "m.sqlite")


def test_devices_and_layers_as_documented() -> None:
    assert Device.Cuda(1).name == "cuda:1" and Device.Cpu.name == "cpu"
    assert [d.backend for d in (Device.Hip(), Device.Sycl(), Device.Metal())] == ["hip", "sycl", "metal"]
    assert DeviceBackend.Cuda(0) == Device.Cuda(0)
    assert LayerType.Conv2d is LayerType.CONV2D
    assert ProblemDescriptor.from_json(PROBLEM.to_json()) == PROBLEM
    for backend, index in (("cuda", -1), ("not a name", 0)):
        with pytest.raises(DeviceError):
            Device(backend, index)
    with pytest.raises(ShapeError):
        Shape(0, 1, 1)


def test_a_preset_without_a_measure_gives_the_best_guess_and_says_so() -> None:
    result = AutoTuner(GPU).optimize(PROBLEM)
    assert result.origin is Origin.MODEL and not result.measured
    assert result.configuration == PolicyEngine(GPU).decide(PROBLEM.topology()).hero
    assert "preset" in result.note and result.predicted_seconds > 0
    assert TuningResult.from_json(result.to_json()) == result


def test_a_problem_for_another_backend_is_refused() -> None:
    with pytest.raises(DeviceError, match="hip:0"):
        AutoTuner(GPU).optimize(PROBLEM.replace(device=Device.Hip(0)))


def test_what_is_no_problem_is_refused() -> None:
    with pytest.raises(TuningError, match="not 3"):
        tuner().optimize(3)  # type: ignore[arg-type]


def test_a_search_beats_the_guess_and_measures_only_what_can_run() -> None:
    measure = Counting()
    result = tuner().optimize(PROBLEM, measure)
    topology = PROBLEM.topology()
    assert result.origin is Origin.SEARCH and result.search is not None and result.measurement is not None
    assert len(measure.calls) == 20 == len(set(measure.calls))
    assert all(budget_reason(configuration, GPU, topology) is None for configuration in measure.calls)
    assert tuple(measure.calls[:3]) == PolicyEngine(GPU).decide(topology).heroes[:3]
    assert result.measurement.seconds <= min(map(Counting(), measure.calls)) * 1.02
    assert "best of 20 measured" in result.note


def test_the_hook_supplies_the_measure() -> None:
    asked: list[object] = []

    def factory(problem: object) -> Counting:
        asked.append(problem)
        return Counting()

    assert tuner(measure_factory=factory).optimize(PROBLEM).origin is Origin.SEARCH
    assert asked == [PROBLEM]


def test_what_was_measured_is_not_measured_again(store: MeasurementStore) -> None:
    measure = Counting()
    first = tuner(store).optimize(PROBLEM, measure)
    assert len(store) == 20 and store.records()[0].title == "Gemm 2048×2048×2048 bf16"
    again = tuner(MeasurementStore(store.path)).optimize(PROBLEM)
    assert again.origin is Origin.STORE and again.measured
    assert again.measurement is not None and first.measurement is not None
    assert again.measurement.seconds <= first.measurement.seconds
    forced = tuner(store).optimize(PROBLEM, measure, force=True)
    assert forced.origin is Origin.SEARCH and len(measure.calls) == 40


def test_the_incumbent_is_tried_first_and_survives_a_tie(store: MeasurementStore) -> None:
    counted = Counting()
    tuner(store).optimize(PROBLEM, counted)
    seconds = {configuration: Counting()(configuration) for configuration in counted.calls}
    # The model predicts the same for several, so any of them may be kept as the best.
    tied = {configuration for configuration, time in seconds.items() if time == min(seconds.values())}
    flat = Counting()

    def measure(configuration: PipelineConfig) -> float:
        flat.calls.append(configuration)
        return 1e-3 * (1.015 if configuration in tied else 1.0)

    again = tuner(store).optimize(PROBLEM, measure, force=True)
    assert flat.calls[0] in tied and again.configuration in tied
    assert tuner(store, tie_margin=0.0).optimize(PROBLEM, measure, force=True).configuration not in tied


@pytest.mark.parametrize("change", ["driver", "compiler"])
def test_another_driver_or_compiler_measures_anew(store: MeasurementStore, change: str) -> None:
    tuner(store).optimize(PROBLEM, Counting())
    measure = Counting()
    assert tuner(store, **{change: "2.0"}).optimize(PROBLEM, measure).origin is Origin.SEARCH
    assert len(measure.calls) == 20


def test_a_search_that_was_cut_short_is_continued(store: MeasurementStore) -> None:
    first, second = Counting(), Counting()
    tuner(store, budget=Budget(3, 600.0)).optimize(PROBLEM, first)
    result = tuner(store).optimize(PROBLEM, second)
    assert result.origin is Origin.SEARCH and result.search is not None
    assert len(result.search.history) == 20
    assert len(first.calls) == 3 and len(second.calls) == 17 and not set(first.calls) & set(second.calls)


def test_a_changed_source_is_measured_anew(store: MeasurementStore) -> None:
    tuner(store).optimize(PROBLEM, Counting(), source=lambda c: f"v1 {c.describe()}")
    measure = Counting()
    same = tuner(store).optimize(PROBLEM, measure, source=lambda c: f"v1 {c.describe()}")
    assert same.origin is Origin.STORE and measure.calls == []
    changed = tuner(store).optimize(PROBLEM, measure, source=lambda c: f"v2 {c.describe()}")
    assert changed.origin is Origin.SEARCH and len(measure.calls) == 20


def test_a_pin_is_the_users_word(store: MeasurementStore) -> None:
    tuner(store).optimize(PROBLEM, Counting())
    key = tuner().optimize(PROBLEM).key
    pinned = PipelineConfig(tile_m=64, tile_n=64, tile_k=64)
    pin = Pin(hardware=hardware_fingerprint(GPU), problem=key.problem, variant="", configuration=pinned)
    result = tuner(store, lock=LockFile(pins=(pin,))).optimize(PROBLEM, Counting(), force=True)
    assert result.origin is Origin.LOCK and result.configuration == pinned
    other = PROBLEM.replace(shape=Shape(64, 64, 64))
    assert tuner(lock=LockFile(pins=(pin,))).optimize(other).origin is Origin.MODEL


def test_crashes_are_kept_and_never_tried_again(store: MeasurementStore) -> None:
    heroes = PolicyEngine(GPU).decide(PROBLEM.topology()).heroes
    measure = Counting(fail=heroes[1:2], crash=heroes[:1])
    result = tuner(store).optimize(PROBLEM, measure)
    status = {record.configuration: record.status for record in store.records()}
    assert (status[heroes[0]], status[heroes[1]]) == (Status.CRASHED, Status.FAILED)
    assert result.configuration not in heroes[:2]
    again = Counting()
    tuner(store).optimize(PROBLEM, again, force=True)
    assert heroes[0] not in again.calls and heroes[1] in again.calls


def test_when_every_candidate_fails_the_error_names_the_first() -> None:
    def measure(configuration: PipelineConfig) -> float:
        raise RuntimeError("no driver")

    with pytest.raises(TuningError, match="RuntimeError: no driver"):
        tuner().optimize(PROBLEM, measure)


def test_time_that_ends_before_the_first_measurement_is_said() -> None:
    measure = Counting()
    with pytest.raises(TuningError, match=r"no candidate was measured: the time was up.*Give more time"):
        tuner(budget=Budget(20, 1e-9)).optimize(PROBLEM, measure)
    assert not measure.calls


def test_finalists_are_compared_in_turns() -> None:
    class Turns(Counting):
        def __init__(self) -> None:
            super().__init__()
            self.finals: list[tuple[PipelineConfig, ...]] = []

        def __call__(self, configuration: PipelineConfig) -> Measurement:  # type: ignore[override]
            return summarize([super().__call__(configuration)])

        def compare(self, configurations: Sequence[PipelineConfig]) -> list[Measurement]:
            self.finals.append(tuple(configurations))
            return [summarize([1.0 / (1 + i)]) for i in range(len(configurations))]

    measure = Turns()
    assert isinstance(measure, Measurer)
    result = tuner(tie_margin=0.0).optimize(PROBLEM, measure)
    assert len(measure.finals) == 1 and len(measure.finals[0]) == 3
    assert result.configuration == measure.finals[0][-1]
    assert result.measurement is not None and result.measurement.seconds == pytest.approx(1 / 3)


def test_finalists_that_cannot_be_compared_leave_the_search_to_decide(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Counting):
        def compare(self, configurations: Sequence[PipelineConfig]) -> list[Measurement]:
            raise OSError("device lost")

    result = tuner().optimize(PROBLEM, Broken())
    assert result.search is not None and result.configuration == result.search.best
    assert "device lost" in caplog.text


def test_a_space_of_ones_own_and_progress() -> None:
    seen: list[Progress] = []
    hero = PolicyEngine(GPU).decide(PROBLEM.topology()).hero
    space = SearchSpace(base=hero).stages([2, 3])
    result = tuner(progress=seen.append, budget=Budget(100, 600.0)).optimize(PROBLEM, Counting(), space=space)
    assert result.search is not None
    stages = {e.configuration.stages for e in result.search.history if e.origin != "seed"}
    assert stages == {2, 3} and len(seen) == len(result.search.history)


def test_a_store_that_forgets_nothing_on_disk_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    memory_only = MeasurementStore(tmp_path / "file" / "m.sqlite")
    assert tuner(memory_only).optimize(PROBLEM, Counting()).origin is Origin.SEARCH
    assert tuner(memory_only).optimize(PROBLEM).origin is Origin.STORE


def test_a_cpu_is_tuned_like_any_device() -> None:
    cpu = preset("avx512")
    problem = PROBLEM.replace(device=Device.Cpu, dtype=DType.FP32)
    result = AutoTuner(cpu, search=RandomSearch(), budget=Budget(10, 600.0)).optimize(
        problem, lambda c: predict_seconds(c, cpu, problem.topology())
    )
    assert result.origin is Origin.SEARCH and result.configuration.stages == 1
