"""One line of a Codex session: what kind of thing it is, in both of the forms that were ever written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from texttargets.importers.shape import mapping, objects
from texttargets.strict_json import as_text

ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_RESULTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_INSERTED = re.compile(
    r"\s*(?:<(?:[a-z]+(?:_[a-z]+)+|permissions|skill|INSTRUCTIONS|hook)[\s>]|# AGENTS\.md instructions)"
)
_REQUEST = "## My request for Codex:"  # what an editor puts before it is its own
_CUT_SHORT = re.compile(r"(?:Wall time:[^\n]*\n)?(?:aborted by user|(?:exec command )?rejected by user)")


@dataclass(frozen=True)
class Line:
    """A record with its line in the file."""

    number: int
    record: Mapping[str, Any]

    @cached_property
    def payload(self) -> Mapping[str, Any]:
        """What the envelope holds; the first versions wrote it without one."""
        return mapping(self.record.get("payload")) if self.record.get("type") in ENVELOPES else self.record

    @cached_property
    def what(self) -> str:
        """The envelope and the type in it."""
        kind = as_text(self.record.get("type") or "")
        if kind in ENVELOPES:
            return f"{kind} {as_text(self.payload.get('type') or '')}".strip()
        return f"response_item {kind}" if kind else "session_meta" if self.begins else "state"

    @property
    def begins(self) -> bool:
        """Whether a session begins here."""
        if self.record.get("type") == "session_meta":
            return True
        return "type" not in self.record and "id" in self.record and "timestamp" in self.record

    @property
    def of_sub_agent(self) -> bool:
        """Of a beginning: whether no person speaks in it."""
        return "subagent" in mapping(self.payload.get("source")) or self.payload.get("thread_source") == "subagent"

    @property
    def asks(self) -> bool:
        """A message of the user as the model got it."""
        return self.what == "response_item message" and self.payload.get("role") == "user"

    @property
    def typed(self) -> bool:
        """A message of the user as the person typed it; newer versions write both."""
        return self.what == "event_msg user_message"

    @property
    def answers(self) -> bool:
        """A message of the model."""
        return self.what == "response_item message" and self.payload.get("role") == "assistant"

    @property
    def told(self) -> bool:
        """A message of the model as it was shown; mostly there a second time."""
        return self.what == "event_msg agent_message"

    @property
    def returns(self) -> bool:
        """What a tool gave back."""
        return self.payload.get("type") in _RESULTS

    @property
    def cuts_short(self) -> bool:
        """Whether it says that the person stopped the model; a turn may end for other reasons too."""
        if self.what == "event_msg turn_aborted":
            return self.payload.get("reason", "interrupted") in ("interrupted", "user_interrupt")
        if self.returns:
            output = self.payload.get("output")
            return _CUT_SHORT.match(as_text(mapping(output).get("content") or output or "")) is not None
        return self.what == "response_item message" and any(
            text.lstrip().startswith("<turn_aborted>") for text in self.texts
        )

    @property
    def texts(self) -> list[str]:
        """The pieces of a message."""
        content = self.payload.get("content", self.payload.get("message"))
        if isinstance(content, str):
            return [content]
        return [as_text(block["text"]) for block in objects(content) if "text" in block]

    @property
    def words(self) -> str:
        """What of a message of the user the person wrote."""
        kept = [_request(text) for text in self.texts if self.typed or not _INSERTED.match(text)]
        return "\n".join(kept)


def _request(text: str) -> str:
    return text.rpartition(_REQUEST)[2].strip() if _REQUEST in text else text
