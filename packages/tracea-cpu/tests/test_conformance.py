# SPDX-License-Identifier: MIT
"""The CPU backend keeps every promise of the plugin contract."""

from tracea_core.testing import conformance
from tracea_cpu.plugin import tracea_register_backend

test_conformance = conformance(tracea_register_backend())
