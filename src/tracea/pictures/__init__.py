# SPDX-License-Identifier: MIT
"""Pictures of a kernel: one self-contained page of inline SVG, drawn from the values that the kernel is made of.

Every picture reads the semantic kernel, the profile or the measurements; none restates what they say by hand. The page
needs no script, no font and no network.
"""

from tracea.pictures.page import html_page

__all__ = ["html_page"]
