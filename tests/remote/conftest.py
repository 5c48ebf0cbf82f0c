"""The reader's endpoint, for every run over a hub."""

from remote_run import endpoint

__all__ = ["endpoint"]
