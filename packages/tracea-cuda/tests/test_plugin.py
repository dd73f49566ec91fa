# SPDX-License-Identifier: MIT
"""The manifest, and the whole path of a product on an imitated H200, down to the bytes of its launch."""

from typing import Any

import pytest
from tracea_core.emit.source import KernelSource
from tracea_cuda import compile as compiler
from tracea_cuda.plugin import tracea_register_backend


def test_the_manifest_serves_cuda_devices() -> None:
    manifest = tracea_register_backend()
    assert (manifest.name, manifest.serves, manifest.priority) == ("cuda", ("cuda",), 80)
    assert set(manifest.emitters) == {"contraction", "rowwise", "chained"}


def test_compile_binary_needs_no_device(source: KernelSource, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(compiler, "binary", lambda given: asked.append(given) or b"\x7fELF")
    assert tracea_register_backend().compile_binary(source) == b"\x7fELF"
    assert asked == [source]
