# SPDX-License-Identifier: MIT
"""``torch.compile(model, backend="tracea")``: find regions in Dynamo's graph, decide, rewrite, hand the rest to Inductor."""

from __future__ import annotations
