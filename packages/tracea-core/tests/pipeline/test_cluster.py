# SPDX-License-Identifier: MIT
"""Candidates on the workers of a Dask cluster: only equals take part, and what goes wrong there costs one candidate."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tracea_core.errors import BackendUnavailableError, DeviceError, OptionError
from tracea_core.pipeline import cluster, remote
from tracea_core.pipeline.cluster import ClusterWorker, alike, measuring_workers
from tracea_core.pipeline.remote import Machine, Outcome
from tracea_core.plugin.select import resolve
from tracea_core.target import Target
from tracea_core.tuner.record import Status
from tracea_core.tuner.worker import CandidateCrashError, CandidateError, CandidateTimeoutError, Request, Worker

distributed = pytest.importorskip("distributed")
TASKS = """
import ctypes, time
def echo(payload): return payload
def fail(payload): raise ValueError("tile too large")
def crash(payload): ctypes.string_at(0)
def hang(payload): time.sleep(1000)
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two workers on this host."""
    folder: Path = tmp_path_factory.mktemp("tasks")
    (folder / "cluster_tasks.py").write_text(TASKS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]))
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.ERROR}
        with (
            cluster.own_environment(),
            distributed.LocalCluster(**options) as here,
            distributed.Client(here, set_as_default=False) as opened,
        ):
            yield opened


@pytest.fixture
def target() -> Target:
    return resolve("cpu").target


@pytest.fixture
def worker(client: Any) -> ClusterWorker:
    address = min(client.scheduler_info()["workers"])
    return ClusterWorker(client, address, Machine(host="here"), "cpu")


def test_a_task_comes_back_with_its_value(worker: ClusterWorker) -> None:
    assert worker.run("cluster_tasks:echo", {"a": [1, 2.5, "three"]}, 60.0) == {"a": [1, 2.5, "three"]}


@pytest.mark.parametrize(
    ("task", "error", "said"),
    [
        ("fail", CandidateError, "ValueError: tile too large"),
        ("crash", CandidateCrashError, "SIGSEGV"),
        ("hang", CandidateTimeoutError, "no answer within 3 s"),
    ],
)
def test_what_goes_wrong_there_is_the_candidates(
    worker: ClusterWorker, task: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as caught:
        worker.run(f"cluster_tasks:{task}", None, 3.0)
    assert caught.type is error and "on here: " in str(caught.value)
    assert worker.run("cluster_tasks:echo", 7, 60.0) == 7


def test_a_worker_that_is_gone_counts_as_crashed(client: Any) -> None:
    gone = ClusterWorker(client, "tcp://127.0.0.1:1", Machine(host="away"), "cpu")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "_GRACE_SECONDS", 1.0)
        with pytest.raises(CandidateTimeoutError, match=r"no answer of tcp://127\.0\.0\.1:1"):
            gone.run("cluster_tasks:echo", 1, 1.0)

    class Leaving:
        def submit(self, *words: Any, **more: Any) -> Any:
            return self

        def result(self, timeout: float) -> str:
            raise OSError("connection lost")

    left = ClusterWorker(Leaving(), "tcp://there", Machine(host="there"), "cpu")
    with pytest.raises(CandidateCrashError, match="tcp://there on there: OSError: connection lost"):
        left.run("cluster_tasks:echo", 1, 1.0)


def test_workers_on_one_processor_take_turns_by_leaving_one_out(
    client: Any, target: Target, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="tracea.tuner"):
        found = alike(client, target)
    assert len(found) == 1 and found[0].device == "cpu"
    assert "another worker measures on the same device" in caplog.text


def test_workers_that_see_different_gpus_all_take_part(
    client: Any, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Seeing:
        def run(self, function: Any, device: str, backend: str, on_error: str) -> dict[str, Any]:
            asked.append((device, backend))
            said = Machine.from_json(function(target.device, target.backend))
            return {
                "tcp://b": said.replace(visible="1").to_json(), "tcp://a": said.replace(visible="0").to_json(),
                "tcp://c": said.replace(visible="2", identity="another GPU").to_json(), "tcp://d": OSError("gone"),
                "tcp://e": said.replace(visible="3", problem="no driver").to_json(),
            }  # fmt: skip

    asked: list[tuple[str, str]] = []
    monkeypatch.setitem(remote.VISIBLE, "cpu", "SOME_VISIBLE_DEVICES")
    assert [one.address for one in alike(Seeing(), target)] == ["tcp://a", "tcp://b"]
    assert asked == [("cpu:0", "cpu")]


def test_a_cluster_of_others_is_refused_with_what_they_are(
    client: Any, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = Machine(host="here", identity="something else").to_json()
    monkeypatch.setattr(cluster.remote, "describe", Once(ours, remote.describe))
    with pytest.raises(
        DeviceError, match="none of 2 workers has what this machine measures on, something else"
    ) as caught:
        alike(client, target)
    assert "code " in str(caught.value.facts["workers"])


class Once:
    """Answers itself when called here; what travels to a worker is the other function."""

    def __init__(self, answer: str, function: Any) -> None:
        self.answer, self.function = answer, function

    def __call__(self, *words: Any) -> str:
        return self.answer

    def __reduce__(self) -> Any:
        return getattr, (remote, "describe")


def test_a_machine_that_cannot_measure_says_why() -> None:
    told = Machine.from_json(remote.describe("cuda:97", "cuda"))
    assert told.problem and not told.identity
    assert Machine.from_json(remote.describe("cpu", "cpu")).identity.count(", code ") == 1


def test_outcomes_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def run(self, *words: Any) -> Any:
            raise CandidateCrashError("the process was ended", entry="x:y")

    monkeypatch.setattr(remote, "_worker", Failing)
    answer = Outcome.from_json(remote.run(Request("x:y", None, 1.0).to_json()))
    assert answer.status is Status.CRASHED and answer.error.startswith("the process was ended")


def test_without_a_scheduler_one_process_measures(target: Target) -> None:
    for scheduler in (None, cluster.LOCAL):
        with measuring_workers(target, scheduler) as workers:
            assert [type(one) for one in workers] == [Worker]


def test_an_address_that_nobody_listens_at_is_refused(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(OptionError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
        measuring_workers(target, "tcp://127.0.0.1:9"),
    ):
        pass


def test_a_missing_dask_is_said(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with (
        pytest.raises(BackendUnavailableError, match="Dask cannot be imported"),
        measuring_workers(target, "tcp://127.0.0.1:9"),
    ):
        pass


def test_what_an_engine_sets_for_its_workers_does_not_stay() -> None:
    before = dict(os.environ)
    with cluster.own_environment():
        os.environ["MALLOC_TRIM_THRESHOLD_"] = "65536"
        os.environ.pop("PATH", None)
    assert dict(os.environ) == before
