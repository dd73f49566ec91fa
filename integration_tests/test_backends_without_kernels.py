# SPDX-License-Identifier: MIT
"""Backends that have no kernels yet keep their manifests' promise: they report, are never selected, and refuse to run."""

import importlib

import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.plugin.manifest import BackendManifest, Severity

NAMES = ("sycl",)


def manifest(name: str) -> BackendManifest:
    """The manifest that a plugin registers."""
    registered = importlib.import_module(f"tracea_{name}.plugin").tracea_register_backend()
    assert isinstance(registered, BackendManifest)
    return registered


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_is_compatible_and_carries_the_distributions_version(name: str) -> None:
    found = manifest(name)
    assert (found.name, found.version) == (name, importlib.import_module(f"tracea_{name}").__version__)
    assert found.incompatibility() is None


@pytest.mark.parametrize("name", NAMES)
def test_it_has_nothing_that_could_run(name: str) -> None:
    found = manifest(name)
    assert (dict(found.emitters), found.probe().devices) == ({}, ())


@pytest.mark.parametrize("name", NAMES)
def test_the_probe_says_that_there_are_no_kernels_and_what_works_instead(name: str) -> None:
    last = manifest(name).probe().findings[-1]
    assert last.severity is Severity.INFO
    assert "no kernels" in last.message
    assert last.hint.startswith("Calls run on the CPU")


@pytest.mark.parametrize("name", NAMES)
def test_opening_a_device_is_refused_with_the_way_on(name: str) -> None:
    with pytest.raises(BackendUnavailableError, match=r"no kernels.*Calls run on the CPU"):
        manifest(name).open_runtime(f"{name}:0")
