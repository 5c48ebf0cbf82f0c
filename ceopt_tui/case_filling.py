"""How the cases of a project fill its text: what keeps a run from starting, and what a person should know of it.

Calls no model and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ceopt_tui.core.figures import counted
from ceopt_tui.errors import InputError, Problem
from ceopt_tui.project import Project
from texttargets.case_fit import CaseFit, case_fit
from texttargets.placeholders import find_placeholders
from texttargets.syntax_guess import guess_syntax, outside_code, rival_syntaxes, syntax_of_name

_NAMED = 3


def syntax_of(project: Project) -> str:
    """How placeholders are written in the target: as declared, or guessed from text, cases and file name."""
    target = project.spec.target
    assert target is not None
    if target.syntax is not None:
        return target.syntax
    text, inputs = _guessed_from(project)
    return str((syntax_of_name(target.files) if target.role == "template" else None) or guess_syntax(text, inputs))


def fit_of(project: Project) -> CaseFit | None:
    """How the cases fill the text; None where a command measures or an agent finds the text as a file of its own.

    InputError where a template cannot be read.
    """
    target = project.spec.target
    agent = project.spec.runner.kind in {"claude", "codex"}
    if target is None or project.by_command or (agent and target.kind in {"skill", "agents"}):
        return None
    return case_fit(project.texts, project.cases, syntax_of(project), target.role)


def refuse_unfit(project: Project) -> None:
    """Raises InputError where inputs would be sent nowhere or in two ways, or the syntax could be either of two."""
    loaded, fit = project.loaded, fit_of(project)
    if fit is None:
        return
    for text, hint in (*_rivals(project, fit), *_misfits(project, fit)):
        raise InputError([Problem(str(loaded.file), loaded.line("target"), "target", text)], hint)


def filling_lines(project: Project) -> Iterator[str]:
    """What an approval says of it, label first; nothing of a text without placeholders."""
    fit, target = fit_of(project), project.spec.target
    if fit is None or target is None:
        return
    how = "as the spec says" if target.syntax else "a guess; `target.syntax` settles it"
    if fit.asked:
        yield f"Filled in  {', '.join(fit.asked)} ({syntax_of(project)}, {how})"
    if fit.asked and target.role != "template":
        yield f"           sent is {next(iter(fit.layouts))}"
    elif marks := unfilled_marks(project, fit):
        yield f"Sent as is {', '.join(marks)}: `kind: template` fills placeholders with the cases"
    for text in notes_of(fit):
        label, _, rest = text.partition(": ")
        yield f"{label:<10} {rest}"


def filling_notes(project: Project) -> Iterator[str]:
    """The same for a check, in sentences."""
    fit, target = fit_of(project), project.spec.target
    if fit is None or target is None:
        return
    if fit.asked and target.syntax is None:
        how = f"{syntax_of(project)}, a guess; `target.syntax` settles it"
        yield f"{', '.join(fit.asked)}: read as placeholders ({how})"
    if marks := unfilled_marks(project, fit):
        yield f"{', '.join(marks)}: sent as it stands; `kind: template` fills placeholders with the cases"
    yield from notes_of(fit)


def filling_config(project: Project) -> dict[str, object]:
    """The same as plain values."""
    fit, target = fit_of(project), project.spec.target
    assert fit is not None and target is not None
    return {
        "syntax": syntax_of(project),
        "from": "spec" if target.syntax else "a guess",
        "filled": list(fit.asked),
        "left_as_is": {name: list(cases) for name, cases in fit.open.items()},
        "not_sent": {key: list(cases) for key, cases in fit.unused.items()},
    }


def notes_of(fit: CaseFit) -> Iterator[str]:
    """What of text and cases does not meet."""
    for name, cases in fit.open.items():
        yield f"Left as is: {name}, in {counted(len(cases), 'case')}: {_named(cases)}"
    for key, cases in fit.unused.items():
        yield f"Not sent: {key}, of {counted(len(cases), 'case')}: {_named(cases)}; no placeholder takes it"


def unfilled_marks(project: Project, fit: CaseFit) -> tuple[str, ...]:
    """Placeholders of a prompt that no case fills because the text is sent as it stands; code shows, and asks not."""
    target = project.spec.target
    assert target is not None
    if target.role == "template" or target.kind != "prompt" or fit.asked:
        return ()
    text = outside_code("\n\n".join(project.texts.values()))
    return tuple(dict.fromkeys(mark.text for mark in find_placeholders(text, syntax_of(project))))[:_NAMED]


def _guessed_from(project: Project) -> tuple[str, list[object]]:
    """Text and inputs. Marks that stand in code alone are shown to a reader, unless something is filled in."""
    target = project.spec.target
    assert target is not None
    text, inputs = "\n".join(project.texts.values()), [case.input for case in project.cases]
    plain = outside_code(text)
    mapped = any(isinstance(one, Mapping) for one in inputs)
    return (text if target.role == "template" or mapped else plain), list(inputs)


def _rivals(project: Project, fit: CaseFit) -> Iterator[tuple[str, str]]:
    target, syntax = project.spec.target, syntax_of(project)
    assert target is not None
    if target.syntax is not None or not (target.role == "template" or fit.asked):
        return
    rivals = rival_syntaxes(*_guessed_from(project), syntax)
    if rivals:
        own = next(
            mark.text
            for mark in find_placeholders("\n".join(project.texts.values()), syntax)
            if _fills(mark.name, syntax)
        )
        others = ", ".join(f"{mark} ({other})" for other, mark in rivals.items())
        yield (
            f"placeholders are written in more than one way, and one run fills one of them: {own} ({syntax}), {others}",
            f"Say which in `target`: `syntax: {syntax}` or `syntax: {next(iter(rivals))}`; the rest stays as is.",
        )


def _fills(name: str | None, syntax: str) -> bool:
    return name is not None or syntax == "jinja"


def _misfits(project: Project, fit: CaseFit) -> Iterator[tuple[str, str]]:
    takes = f"its placeholders are {', '.join(fit.asked)}" if fit.asked else "it has no placeholder"
    if fit.lost:
        yield (
            f"nothing of the input of {_named(fit.lost)} would be sent: the text is a template, and {takes}",
            "Write a placeholder that the inputs fill, or the inputs as a mapping with its name; a plain text fills "
            "the only placeholder or the one called input. `target.syntax` says how placeholders are written.",
        )
    for case, (key, meant) in fit.slips.items():
        yield (
            f"case {case}: no placeholder takes {key}, and {meant} stays open; {takes}",
            f"Did you mean {meant}? Rename one of the two.",
        )
    if len(fit.layouts) > 1 and fit.asked:
        ways = "; ".join(f"{layout}: {_named(cases)}" for layout, cases in fit.layouts.items())
        yield (
            f"one run would send its cases in {len(fit.layouts)} ways, and their scores could not be compared: {ways}",
            "`kind: template` fills the text with each case; `syntax: none` sends it as it stands, before the input.",
        )


def _named(cases: Sequence[str]) -> str:
    return ", ".join(cases[:_NAMED]) + (f" and {len(cases) - _NAMED} more" if len(cases) > _NAMED else "")
