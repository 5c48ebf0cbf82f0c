"""The exit statuses of every ceopt command, in one place."""

from enum import IntEnum


class ExitStatus(IntEnum):
    """What a script may rely on."""

    FINISHED = 0  # also when nothing got better
    FAULT = 1  # a fault of ceopt itself
    REFUSED = 2  # before any paid call, or wrong set-up
    STOPPED = 3  # early; state kept, resume works
    NEEDS_PERSON = 4
    REGRESSED = 5
    WAITING = 75  # run again later
    HANGUP = 129
    INTERRUPTED = 130
    TERMINATED = 143
