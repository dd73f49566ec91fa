# SPDX-License-Identifier: MIT
"""First calls are timed in processes of their own, and the second time the kernel lies on the disk."""

from __future__ import annotations

import subprocess

import pytest

pytest.importorskip("torch")

from benchmarks import first_calls


def test_a_kernel_on_the_disk_is_sooner_than_a_new_one() -> None:
    new, stored, imported = first_calls.first_calls("cpu", "float32", "61x67x71", processes=2)
    assert new.unit == "s" and stored.unit == "ms"
    assert 0.0 < stored.value < new.value * 1e3, "a new one is certified and compiled"
    assert (new.bar, stored.bar, imported.bar) == (2.0, 50.0, 250.0)
    assert imported.unit == "ms" and imported.value > 1.0, "it registers PyTorch's operators"


def test_a_process_that_fails_is_no_figure() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        first_calls.first_calls("cpu", "no_such_type", "8x8x8", processes=1)
