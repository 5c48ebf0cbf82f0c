"""The version, read without loading anything of ceopt."""

from importlib.metadata import version

VERSION = version("ceopt-tui")
