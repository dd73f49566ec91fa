# SPDX-License-Identifier: MIT
"""Sphinx configuration: Markdown pages through MyST, furo's theme, and every warning an error (``hatch run docs``)."""

from importlib.metadata import version as _version

project = "tracea"
author = "The tracea contributors"
copyright = "2026, The tracea contributors"  # Sphinx's name for it
release = _version("tracea")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nitpicky = True
nitpick_ignore_regex = [("py:.*", r".*")]  # types of other projects, without an inventory at build time

html_theme = "furo"
html_title = f"tracea {release}"
