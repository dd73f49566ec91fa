# SPDX-License-Identifier: MIT
"""A complete tracea backend: certified schedules as text in a small language, run by a machine written in NumPy.

It is slow and does everything a backend must: copy it, then replace the language by yours and the machine by your device.
"""

__version__ = "0.1.0"
