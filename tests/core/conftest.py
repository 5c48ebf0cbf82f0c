"""Property tests here are timed by nobody: two busy cores make any deadline a coin toss."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("core", deadline=None, max_examples=60)
settings.load_profile("core")
