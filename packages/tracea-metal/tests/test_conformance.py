# SPDX-License-Identifier: MIT
"""The conformance kit in the emulator: every promise, every case, every finding a failure."""

from tracea_core.testing import conformance
from tracea_core.testing.simt.runtime import emulated
from tracea_metal.plugin import tracea_register_backend

test_conformance = conformance(emulated(tracea_register_backend(), "m1"))
