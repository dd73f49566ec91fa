# SPDX-License-Identifier: MIT
"""Installed distributions that may bring plugins, read the short way: one directory listing for each place on the path, and one file each.

`importlib.metadata.distributions` makes objects of every distribution, an environment with hundreds of which takes longer to ask than a
kernel to launch for the first time. Here the text of ``entry_points.txt`` is looked at as bytes, and objects are made of the few
distributions in it that name plugins. Nothing is stored, so nothing grows stale.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib import metadata

ANY_GROUP = "tracea.plugins_v"
"""What the entry-point groups of all versions begin with."""
NAME = "tracea"
"""What a plugin's distribution is called after, if nothing else of it can be read."""
_KINDS = (".dist-info", ".egg-info")
_ABSENT = (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError)
"""What `importlib.metadata` takes for a missing file."""
_OF_THE_PATH = (
    "_frozen_importlib_external",
    "importlib._bootstrap_external",
    "importlib.metadata",
    "importlib_metadata",
)
"""Modules of finders that look at ``sys.path``, as is done here."""


def candidates() -> Iterator[metadata.Distribution]:
    """Yield the installed distributions whose entry points name a plugin, or that are called after tracea, in the order of the path."""
    from importlib import metadata  # reads mail and archives: slow to import, and needed once a backend is asked for

    for place in sys.path:
        try:
            names = os.listdir(place or ".")
        except NotADirectoryError:  # an archive; its members are nobody's files
            yield from metadata.distributions(path=[place])
            continue
        except (OSError, ValueError):
            continue
        egg = os.path.basename(place).lower().endswith(".egg")
        for name in names:
            low = name.lower()
            if low.endswith(_KINDS) or (egg and low == "egg-info"):
                folder = os.path.join(place, name)
                if NAME in low or _announces(os.path.join(folder, "entry_points.txt")):
                    yield metadata.Distribution.at(Path(folder))
    context = metadata.DistributionFinder.Context()
    for finder in sys.meta_path:
        find = getattr(finder, "find_distributions", None)
        kind = finder if isinstance(finder, type) else type(finder)
        if find is not None and kind.__module__ not in _OF_THE_PATH:
            yield from find(context)


def _announces(path: str) -> bool:
    """Whether a file of entry points names a group of plugins."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except _ABSENT:
        return False
    except OSError:
        return True  # whose business it is, its reader finds out
    try:
        content = bytearray()
        while part := os.read(file, 1 << 16):
            content += part
    except OSError:
        return not os.path.isdir(path)
    finally:
        os.close(file)
    return ANY_GROUP.encode() in content
