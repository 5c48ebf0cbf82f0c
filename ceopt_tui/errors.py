"""Every error ceopt raises on purpose, by meaning.

CeoptError
├── InputError        a file the user wrote is wrong; carries every problem found
├── SetupError        something is missing or in the way before anything was paid
│   ├── BusyError     another process holds this run
│   ├── TamperedError a download is not the file it must be
│   └── AuthError     the provider refused the key
├── ProviderError     the provider stopped answering; the run parks and can be resumed
│   ├── QuotaError    the account has no money or quota left
│   └── RateLimitError  the retries were used up on rate limits
├── ProposalError    a proposer's reply cannot be used
├── CallFailed        one model call has no usable reply; the run goes on
├── BudgetError       the next call would pass a cap
├── StorageError      the disk refused, or what is on it is damaged
├── GitError          git refused
└── NeedsPersonError  a question came up that only a person may answer
"""

from dataclasses import dataclass

from ceopt_tui.exits import ExitStatus


class CeoptError(Exception):
    """Base of all errors with a message the user can act on."""

    exit_status = ExitStatus.FAULT

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


@dataclass(frozen=True)
class Problem:
    """One thing wrong in one file, or outside any when `file` is empty; line counts from 1, 0 when it has no line."""

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (where, self.key, self.message) if part)


class InputError(CeoptError):
    """One or more files are wrong; all problems are listed at once."""

    exit_status = ExitStatus.REFUSED

    def __init__(self, problems: list[Problem], hint: str = "") -> None:
        super().__init__("\n".join(str(problem) for problem in problems), hint)
        self.problems = problems


class SetupError(CeoptError):
    """The run cannot start as things are; nothing was paid."""

    exit_status = ExitStatus.REFUSED


class BusyError(SetupError):
    """Another process is writing this run: the same command is right a little later."""

    exit_status = ExitStatus.WAITING


class TamperedError(SetupError):
    """A downloaded file is not the pinned one; it was deleted and nothing of it was used."""


class AuthError(SetupError):
    """The provider refused the key."""


class ProviderError(CeoptError):
    """The provider cannot be used now; state is kept and a later run resumes."""

    exit_status = ExitStatus.STOPPED


class QuotaError(ProviderError):
    """The account behind the key has nothing left."""


class RateLimitError(ProviderError):
    """Rate limits used up the retries."""


class ProposalError(CeoptError):
    """A proposer's reply cannot be turned into a candidate."""


class CallFailed(CeoptError):
    """One call gave nothing usable; `attempts` requests were sent for it."""

    exit_status = ExitStatus.STOPPED

    def __init__(self, message: str, *, reason: str, attempts: int = 1) -> None:
        super().__init__(message)
        self.reason = reason
        self.attempts = attempts


class BudgetError(CeoptError):
    """The next call would pass a cap on money or calls."""

    exit_status = ExitStatus.STOPPED


class StorageError(CeoptError):
    """The disk is full or read-only, or a file on it is damaged."""

    exit_status = ExitStatus.STOPPED


class GitError(CeoptError):
    """git refused or took too long."""

    exit_status = ExitStatus.STOPPED


class NeedsPersonError(CeoptError):
    """A question only a person may answer; the run is parked as blocked."""

    exit_status = ExitStatus.NEEDS_PERSON
