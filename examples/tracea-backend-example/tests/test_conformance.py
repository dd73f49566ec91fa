# SPDX-License-Identifier: MIT
"""This backend keeps every promise of the plugin contract."""

from tracea_backend_example.plugin import tracea_register_backend
from tracea_core.testing import conformance

test_conformance = conformance(tracea_register_backend())
