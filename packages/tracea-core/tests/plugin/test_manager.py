# SPDX-License-Identifier: MIT
"""Faults planted in real distributions: each is recorded with its story, and the plugin beside it works on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.discover import Status, allowed, unmatched
from tracea_core.plugin.manifest import Finding, Severity

HOOKS = """
@hookimpl
def tracea_register_backend():
    return manifest()

@hookimpl
def tracea_doctor_checks(device):
    {check}
"""

FAULTS = {
    "raises on import": ('raise ImportError("libtoy.so is missing")', "ImportError: libtoy.so is missing"),
    "exits on import": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "syntax error": ("def broken(:", "SyntaxError"),
    "hook raises": (
        "@hookimpl\ndef tracea_register_backend():\n    raise ValueError('no luck')",
        "ValueError: no luck",
    ),
    "no manifest": ("@hookimpl\ndef tracea_register_backend():\n    return {'name': 'bad'}", "returned a dict"),
    "bad manifest": (
        "@hookimpl\ndef tracea_register_backend():\n    return manifest(priority=101)",
        "priority of a backend manifest breaks the contract",
    ),
    "other name": ("@hookimpl\ndef tracea_register_backend():\n    return manifest(name='good')", "names must agree"),
    "unmarked hook": ("def tracea_register_backend():\n    return manifest()", "lacks the decorator @hookimpl"),
    "wrong arguments": ("@hookimpl\ndef tracea_register_backend(color):\n    return manifest()", "color"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_plugin_is_recorded_and_harms_nobody(site: Any, fault: str) -> None:
    body, told = FAULTS[fault]
    site.install("bad", body)
    site.install("good")
    manager = site.manager()
    bad, good = manager.load_all()
    assert (bad.name, bad.status, good.status) == ("bad", Status.FAILED, Status.LOADED)
    assert told in bad.problem and "Traceback" in bad.trace
    assert [manifest.name for manifest in manager.manifests()] == ["good"]
    assert manager.probe("good").devices[0].device == "good:0"
    with pytest.raises(BackendUnavailableError, match="'bad' cannot be used") as caught:
        manager.manifest("bad")
    assert told in str(caught.value) and "tracea doctor" in str(caught.value)


def test_listing_imports_nothing_and_loading_imports_one(site: Any, imported: Callable[[str], bool]) -> None:
    one, other = site.install("one"), site.install("other")
    manager = site.manager()
    assert [record.status for record in manager.records()] == [Status.FOUND, Status.FOUND]
    assert not imported(one) and not imported(other)
    assert manager.manifest("one").name == "one"
    assert imported(one) and not imported(other)


def test_another_major_version_is_listed_and_never_imported(site: Any, imported: Callable[[str], bool]) -> None:
    newer, older = site.install("new", group="tracea.plugins_v2"), site.install("old", group="tracea.plugins_v0")
    new, old = site.manager().load_all()
    assert new.status is old.status is Status.INCOMPATIBLE
    assert not imported(newer) and not imported(older)
    assert "tracea.plugins_v2" in new.problem and "Upgrade tracea-core" in new.problem
    assert "Upgrade toy-old" in old.problem


@pytest.mark.parametrize(("api", "told"), [("(1, 9)", "upgrade tracea-core"), ("(2, 0)", "the majors must be equal")])
def test_a_wrong_interface_version_in_the_manifest_is_refused_by_name(site: Any, api: str, told: str) -> None:
    site.install("ahead", changes=f"plugin_api={api}")
    manager = site.manager()
    with pytest.raises(BackendUnavailableError, match=told):
        manager.manifest("ahead")
    assert manager.load("ahead").status is Status.INCOMPATIBLE and manager.manifests() == []


def test_two_distributions_with_one_name_block_each_other_by_name(
    site: Any, monkeypatch: pytest.MonkeyPatch, imported: Callable[[str], bool]
) -> None:
    modules = [site.install("toy", distribution=title) for title in ("toy-first", "toy-second")]
    site.install("other")
    manager = site.manager()
    blocked = [record for record in manager.load_all() if record.status is Status.BLOCKED]
    assert [record.distribution for record in blocked] == ["toy-first", "toy-second"]
    for record in blocked:
        assert "toy-first" in record.problem and "toy-second" in record.problem
    assert not any(map(imported, modules))
    with pytest.raises(BackendUnavailableError, match=r"toy-first .* and toy-second .*TRACEA_PLUGINS=-toy-first"):
        manager.manifest("toy")
    assert [manifest.name for manifest in manager.manifests()] == ["other"]
    monkeypatch.setenv("TRACEA_PLUGINS", "-toy-first")
    free = site.manager()
    assert free.manifest("toy").name == "toy"
    assert free.load("toy").distribution == "toy-second"


def test_one_distribution_found_twice_is_no_conflict(site: Any) -> None:
    from importlib import metadata

    from tracea_core.plugin.manager import PluginManager

    site.install("toy")
    manager = PluginManager(lambda: list(metadata.distributions(path=[str(site.path)])) * 2)
    assert [record.status for record in manager.records()] == [Status.FOUND]


@pytest.mark.parametrize(
    "probe",
    [
        "raise OSError('driver gone')",
        "raise SystemExit(1)",
        "class Panic(BaseException): pass\n    raise Panic('driver gone')",
    ],
)
def test_a_probe_that_crashes_means_no_device(site: Any, probe: str) -> None:
    site.install("bad", f"def probe():\n    {probe}\n" + REGISTER.format("probe=probe"))
    site.install("good")
    manager = site.manager()
    report = manager.probe("bad")
    assert report.devices == ()
    assert report.findings[0].severity is Severity.ERROR and "the probe raised" in report.findings[0].message
    assert "toy-bad" in report.findings[0].hint
    fault = manager.load("bad").faults[0]
    assert fault.where == "probe" and "Traceback" in fault.trace
    assert manager.probe("good").devices


REGISTER = "@hookimpl\ndef tracea_register_backend():\n    return manifest({})\n"


@pytest.mark.parametrize(
    ("report", "told"),
    [
        ("None", "returned a NoneType"),
        ("ProbeReport(devices=(Target('other', 'other:0', PROFILE),))", "not its own"),
        ("ProbeReport(devices=(Target('bad', 'preset:h200', PROFILE),))", "not its own"),
    ],
)
def test_a_probe_that_breaks_the_contract_means_no_device(site: Any, report: str, told: str) -> None:
    site.install("bad", REGISTER.format(f"probe=lambda: {report}"))
    found = site.manager().probe("bad")
    assert found.devices == () and told in found.findings[0].message


def test_probes_are_asked_once(site: Any) -> None:
    site.install(
        "toy",
        "asked = []\ndef probe():\n    asked.append(1)\n    return ProbeReport(findings=tuple("
        "Finding(Severity.OK, 'toy', str(len(asked))) for _ in asked))\n" + REGISTER.format("probe=probe"),
    )
    manager = site.manager()
    assert manager.probe("toy") is manager.probe("toy")
    assert manager.probe("toy").findings[0].message == "1"


def test_a_hook_that_raises_leaves_the_others_alone(site: Any) -> None:
    site.install("bad", HOOKS.format(check="raise RuntimeError('check broke')"))
    site.install("good", HOOKS.format(check="return [Finding(Severity.OK, 'toy', 'well on ' + str(device))]"))
    site.install("silent")
    manager = site.manager()
    results = manager.call_each("tracea_doctor_checks", device="toy:0")
    assert [record.name for record, _ in results] == ["good"]
    assert results[0][1] == [Finding(Severity.OK, "toy", "well on toy:0")]
    bad = manager.load("bad")
    assert bad.status is Status.LOADED and manager.manifest("bad").name == "bad"
    assert bad.faults[0].where == "tracea_doctor_checks" and "check broke" in bad.faults[0].problem
    manager.call_each("tracea_doctor_checks", device=None)
    assert len(bad.faults) == 1


def test_a_plugin_without_a_backend_is_fine_and_says_so_when_asked_for_one(site: Any) -> None:
    site.install("extras", "@hookimpl\ndef tracea_register_activations():\n    return ['one']\n")
    manager = site.manager()
    assert manager.call_each("tracea_register_activations")[0][1] == ["one"]
    assert manager.manifests() == []
    with pytest.raises(BackendUnavailableError, match="brings no backend"):
        manager.manifest("extras")


ACTIVATION = """
from tracea_core.ops.named import Activation
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn

def twice(name):
    return Activation(name, Binary(BinaryFn.ADD, Accumulator(), Accumulator()))

@hookimpl
def tracea_register_activations():
    return {offered}
"""


def test_activations_of_plugins_are_known_by_name_and_bad_ones_are_faults(
    site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tracea_core.ops import named

    monkeypatch.setattr(named, "_ACTIVATIONS", {})
    site.install("bad", ACTIVATION.format(offered="[3]"))
    site.install("good", ACTIVATION.format(offered="[twice('toy_twice')]"))
    site.install("thief", ACTIVATION.format(offered="[twice('relu')]"))
    manager = site.manager()
    assert [activation.name for activation in manager.activations()] == ["toy_twice"]
    assert named.activation("toy_twice").name == "toy_twice" and manager.activations() is manager.activations()
    assert "is not an Activation" in manager.load("bad").faults[0].problem
    assert "'relu' is taken" in manager.load("thief").faults[0].problem


def test_missing_module(site: Any) -> None:
    site.install("gone", entry_points="[tracea.plugins_v1]\ngone = no_such_module_of_toys\n")
    assert "No module named 'no_such_module_of_toys'" in site.manager().load("gone").problem


def test_unreadable_entry_points_become_a_record(site: Any) -> None:
    site.install("bad", entry_points="[tracea.plugins_v1]\nthis line has no equals sign\n")
    site.install("good")
    bad, good = sorted(site.manager().load_all(), key=lambda record: record.distribution)
    assert (bad.distribution, bad.status, good.status) == ("toy-bad", Status.FAILED, Status.LOADED)
    assert "entry points cannot be read" in bad.problem and "reinstall toy-bad" in bad.problem


def test_damaged_metadata_does_not_hide_a_plugin(site: Any) -> None:
    site.install("toy")
    (site.path / "toy_toy-1.0.dist-info" / "METADATA").write_bytes(b"\xff\xfe garbage")
    record = site.manager().load("toy")
    assert record.status is Status.LOADED and "toy_toy-1.0.dist-info" in record.distribution


def test_foreign_distributions_with_broken_entry_points_are_none_of_our_business(site: Any) -> None:
    site.install("good")
    foreign = site.path / "foreign-1.0.dist-info"
    foreign.mkdir()
    (foreign / "METADATA").write_text("Name: foreign\nVersion: 1\n")
    (foreign / "entry_points.txt").write_bytes(b"[console_scripts]\n\xff\xff broken")
    assert [record.name for record in site.manager().load_all()] == ["good"]


def test_a_distribution_called_after_tracea_is_reported_if_nothing_of_its_entry_points_can_be_read(site: Any) -> None:
    site.install("good")
    broken = site.path / "tracea_broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Name: tracea-broken\nVersion: 1\n")
    (broken / "entry_points.txt").write_bytes(b"[tracea.plugins_v1]\n\xff\xff broken")
    good, bad = site.manager().load_all()
    assert (good.status, bad.distribution, bad.status) == (Status.LOADED, "tracea-broken", Status.FAILED)
    assert "entry points cannot be read" in bad.problem and "reinstall tracea-broken" in bad.problem


def test_variable_allows_and_disables(
    site: Any, monkeypatch: pytest.MonkeyPatch, imported: Callable[[str], bool]
) -> None:
    one, other = site.install("one"), site.install("other")
    monkeypatch.setenv("TRACEA_PLUGINS", "one")
    manager = site.manager()
    assert [manifest.name for manifest in manager.manifests()] == ["one"]
    assert imported(one) and not imported(other)
    with pytest.raises(BackendUnavailableError, match="TRACEA_PLUGINS=one leaves it out"):
        manager.manifest("other")


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (None, True), ("", True), (" , ", True), ("-", True), ("toy", True), ("other", False), ("-toy", False),
        ("toy,-toy", False), ("-other", True), (" toy , other", True), ("toy-dist", True), ("Toy_Dist", True),
        ("-toy.dist", False), ("other,-toy-dist", False),
    ],
)  # fmt: skip
def test_allowed(setting: str | None, expected: bool) -> None:
    assert allowed("toy", setting, "toy-dist") is expected


def test_unmatched_names_are_told(site: Any) -> None:
    site.install("toy")
    assert unmatched("toy,-toy-toy,tyo,-gone", site.manager().records()) == ("tyo", "gone")


def test_unknown_backend_names_what_there_is(site: Any) -> None:
    site.install("toy")
    with pytest.raises(BackendUnavailableError, match=r"pip install tracea\[tpu\]\). Found: toy"):
        site.manager().manifest("tpu")


def test_manifests_come_by_priority(site: Any) -> None:
    site.install("low", changes="priority=1")
    site.install("high", changes="priority=9")
    site.install("mid", changes="priority=5")
    assert [manifest.name for manifest in site.manager().manifests()] == ["high", "mid", "low"]


def test_threads_see_one_import(site: Any) -> None:
    site.install("toy", "import time\nloads = []\ntime.sleep(0.05)\nloads.append(1)\n" + REGISTER.format(""))
    manager = site.manager()
    seen: list[object] = []
    threads = [threading.Thread(target=lambda: seen.append(manager.manifest("toy"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and len({id(manifest) for manifest in seen}) == 1


def test_keyboard_interrupt_is_not_swallowed(site: Any) -> None:
    site.install("toy", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        site.manager().load("toy")


def test_a_kind_of_device_imports_no_plugin_that_says_it_serves_others(
    site: Any, imported: Callable[[str], bool]
) -> None:
    def says(module: str, name: str, kinds: tuple[str, ...]) -> str:
        devices = "".join(f"{kind} = {name}\n" for kind in kinds)
        info = site.path / f"toy_{name}-1.0.dist-info"
        (info / "entry_points.txt").write_text(
            f"[tracea.devices_v1]\n{devices}[tracea.plugins_v1]\n{name} = {module}\n"
        )
        return module

    ours = says(site.install("ours", changes='serves=("toy", "tin")'), "ours", ("tin", "toy"))
    others = says(site.install("others", changes='serves=("tin",)'), "others", ("tin",))
    silent, any_kind = site.install("silent", changes='serves=("tin",)'), site.install("any")
    manager = site.manager()
    assert [manifest.name for manifest in manager.manifests("toy")] == ["any", "ours"]
    assert imported(ours) and imported(silent) and imported(any_kind) and not imported(others)
    assert [manifest.name for manifest in manager.manifests("tin")] == ["any", "others", "ours", "silent"]
    assert {record.name: record.serves for record in manager.records()} == {
        "any": None, "others": ("tin",), "ours": ("tin", "toy"), "silent": None,
    }  # fmt: skip
    assert len(manager.manifests()) == 4


@pytest.mark.parametrize(("changes", "told"), [("", "any device"), ('serves=("toy", "tin")', "toy, tin")])
def test_a_plugin_serves_what_its_entry_points_say(site: Any, changes: str, told: str) -> None:
    module = site.install("toy", changes=changes)
    (site.path / "toy_toy-1.0.dist-info" / "entry_points.txt").write_text(
        f"[tracea.plugins_v1]\ntoy = {module}\n[tracea.devices_v1]\ntoy = toy\n"
    )
    record = site.manager().load("toy")
    assert record.status is Status.FAILED
    assert f"say that it serves toy, its manifest {told}; they must agree" in record.problem
