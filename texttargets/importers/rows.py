"""Turns one record into a case without an id of its own making: values by meaning, verdict, secrets taken out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from schemas.evalset import Case
from texttargets.importers import fields
from texttargets.importers.names_offered import scores_in
from texttargets.importers.openai_chat import conversation, is_messages, message_text
from texttargets.importers.records import BadRow, LeftOut, Row
from texttargets.importers.verdicts import Bar, Judged, judge
from texttargets.secrets import Known, redact_value
from texttargets.strict_json import as_text, loads, plain

_ANY_SCORE = Bar()


@dataclass(frozen=True)
class Imported:
    """A case with where it came from. `named` is false when the record had no id."""

    case: Case
    file: str
    line: int
    named: bool
    secrets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def import_row(
    row: Row, file: str, *, all_items: bool, keep_secrets: bool, bar: Bar = _ANY_SCORE, known: Known | None = None
) -> Imported | BadRow | LeftOut:
    """The case of a record, or why there is none; the secrets taken out of it are added to `known`."""
    values, unused = fields.sort_fields(row.values)
    scores, deciding = scores_in(row.values, values.get("scores"), bar)
    notes = [*row.notes, *(f"field {name!r} is not used" for name in unused if name != deciding)]
    if _says_nothing(row.values, values):
        return LeftOut(row.line, "no input or output in the export")
    if _answer_alone(row.values, values):
        notes.append("answer is taken as what came out; --format dspy takes it as what is wanted")
    try:
        content = _content(values, notes)
    except ValueError as error:
        return BadRow(row.line, str(error))
    judged = judge(values.get("verdict"), scores, bar)
    if judged.passed and not all_items:
        reason = f"{row.why_passed}, so it is no failure (--all takes it as a guard)"
        return LeftOut(row.line, reason, f"{row.why_passed} (--all takes what passed as guards)")
    if judged.why and "went_wrong" not in content:
        content["went_wrong"] = judged.why
    content["kind"] = _kind(values, content, judged, notes)
    if (
        row.of_run
        and content["kind"] == "failure"
        and judged == Judged()
        and not {"went_wrong", "expected"} & content.keys()
    ):
        notes.append("nothing says whether it was right; taken as a failure")
    content["source"] = as_text(values["source"]) if "source" in values else file
    given_id = as_text(values.get("id", "")).strip()
    secrets: tuple[str, ...] = ()
    if not keep_secrets:
        found_id, in_id = redact_value(given_id, known=known)
        given_id = "" if in_id else found_id
        content, in_content = redact_value(content, known=known)
        secrets = (*in_id, *in_content)
    try:
        case = Case.model_validate({"id": given_id or "unnamed", **content})
    except ValidationError as error:
        first = error.errors()[0]
        return BadRow(row.line, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    return Imported(case, file, row.line, bool(given_id), secrets, tuple(notes))


def _content(values: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    if isinstance(values.get("id"), bool | list | dict):
        raise ValueError("the id must be a text or a number")
    question, answer = _question(values, notes)
    content: dict[str, Any] = {"input": question}
    if "expected" in values:
        wanted = values["expected"]
        content["expected"] = plain(wanted) if isinstance(wanted, dict | list) else as_text(wanted)
        if wanted == "":
            notes.append("the expected answer is an empty text: the output must be empty")
    if "observed" in values:
        answer = _output(values["observed"], notes)
    if answer is not None:
        content["observed"] = answer
    if "went_wrong" in values:
        content["went_wrong"] = as_text(values["went_wrong"])
    if "tags" in values:
        content["tags"] = fields.tags(values["tags"])
    if "check" in values:
        content["check"] = loads(values["check"]) if isinstance(values["check"], str) else plain(values["check"])
    if "split" in values and fields.side(values["split"]) is None:
        notes.append(f"split {as_text(values['split'])!r} is neither selection nor holdout; left open")
    elif "split" in values:
        content["split"] = fields.side(values["split"])
    return content


def _question(values: Mapping[str, Any], notes: list[str]) -> tuple[str | dict[str, Any], str | None]:
    given = values.get("input")
    if is_messages(given):
        said = conversation(given)  # type: ignore[arg-type]  # is_messages has looked
        notes += said.notes
        given, answer = said.input, said.observed
    else:
        answer = None
    if isinstance(given, str) and given and not given.strip():
        raise ValueError("the input is blank")
    if given is None or given in ("", {}, []):
        raise ValueError(f"no input; it is read from one of {', '.join(fields.NAMES['input'])}")
    return (plain(given) if isinstance(given, dict) else as_text(given)), answer


def _output(value: Any, notes: list[str]) -> str:
    if isinstance(value, dict) and "role" in value:
        return message_text(value, notes)
    if is_messages(value):
        return "\n\n".join(message_text(message, notes) for message in value)
    return as_text(value)


def _says_nothing(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether an export has room for input and output and both are empty."""
    named = {fields.fold(name) for name in row}
    asked = any(name in named for name in fields.NAMES["input"])
    return (
        asked
        and any(name in named for name in fields.NAMES["observed"])
        and not (values.get("input") or "observed" in values or "expected" in values)
    )


def _answer_alone(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Whether a record has an answer, and nothing that tells whether it is the wanted one."""
    named = {fields.fold(name) for name in row if row[name] is not None}
    alone = named.intersection(fields.NAMES["observed"]) == {"answer"}
    return alone and not {"expected", "verdict", "scores", "went_wrong"} & values.keys()


def _kind(values: Mapping[str, Any], content: Mapping[str, Any], judged: Judged, notes: list[str]) -> str:
    given = as_text(values.get("kind", "")).strip().lower()
    if given in ("failure", "guard"):
        return given
    passed = judged.passed
    if passed is None and {"expected", "observed"} <= content.keys():
        passed = as_text(content["expected"]).strip() == content["observed"].strip()
        if passed:
            notes.append("the recorded output is the expected one; taken as a guard")
    if judged.note and not passed:
        notes.append(judged.note)
    return "guard" if passed else "failure"


def content_key(case: Case, *, whole: bool) -> str:
    """What a case says, as one text: question, wanted answer and check, or everything but its id and source."""
    asked = {"input", "expected"} if case.check is None else {"input", "expected", "check"}
    without = {"id", "source", "as_imported"} if whole else set(Case.model_fields) - asked
    return json.dumps(case.model_dump(mode="json", exclude=without, by_alias=True), sort_keys=True, ensure_ascii=False)
