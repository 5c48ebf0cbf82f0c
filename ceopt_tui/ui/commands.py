"""The one list of what a person can do: keys, footer, palette and help are all made from it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding, BindingType
from textual.keys import KEY_NAME_REPLACEMENTS, format_key

Keymap = Mapping[str, str]  # a person's own keys by binding id, joined by commas
NO_KEYMAP: Keymap = {}

Place = Literal[
    "home",
    "run",
    "review",
    "coverage",
    "reading",
    "question",
    "keep",
    "scoring",
    "themes",
    "evalset",
    "case",
    "new",
    "rubric",
    "chart",
    "study",
]
PLACES: dict[Place, str] = {
    "home": "Runs of this repository",
    "run": "A run",
    "review": "An experiment",
    "coverage": "Which rules the cases guard",
    "reading": "Report, diff and this help",
    "question": "A question",
    "keep": "Keep this change? (beside the keys of a question)",
    "scoring": "Scoring outputs yourself",
    "themes": "Failure themes",
    "evalset": "An eval set",
    "case": "A case of it",
    "new": "Setting up a new run",
    "rubric": "Writing a rubric",
    "chart": "Score over experiments",
    "study": "A study",
}


@dataclass(frozen=True)
class Command:
    """One thing to do. `action` is the Textual action, `keys` are joined by commas, `key_shown` is for people."""

    id: str
    keys: str
    key_shown: str
    label: str
    explanation: str
    action: str
    places: tuple[Place, ...]
    in_footer: bool = True
    in_palette: bool = True


REVIEWS: tuple[Place, ...] = ("review", "keep")
WITH_HELP: tuple[Place, ...] = ("home", "run", "review", "coverage", "new", "chart")
WITH_QUIT: tuple[Place, ...] = ("home", "run", "review", "coverage", "reading", "new", "chart", "study")
COMMANDS = (
    Command("open", "enter", "enter", "Open", "Open the run; a new spec is started", "open", ("home",), False, False),
    Command("new_run", "n", "n", "New run", "Set a run up: text, failures, limits", "new_run", ("home",)),
    Command(
        "studies", "u", "u", "Studies", "Studies: verdicts, intervals, what is missing", "studies", ("home",), False
    ),
    Command("reload", "f5", "f5", "Reload", "Read the runs again", "reload", ("home",), False),
    Command(
        "back",
        "escape",
        "esc",
        "Back",
        "Go back; a run at work goes on",
        "back",
        ("run", "review", "reading", "themes", "chart", "study"),
    ),
    Command("answer", "a", "a", "Answer", "Show the question that waits for you", "answer", ("run",)),
    Command("go_on", "c", "c", "Go on", "Start the run, or go on where it was", "go_on", ("run",)),
    Command("stop", "s", "s", "Stop", "Stop after the calls under way; state is kept", "stop", ("run",)),
    Command("end", "e", "e", "End", "End the run for good: final gain, report", "end", ("run",)),
    Command(
        "review", "enter", "enter", "Open", "Diff, cases, outputs, evidence of it", "review", ("run",), False, False
    ),
    Command(
        "start_over",
        "n",
        "n",
        "Start over",
        "Archive the run, begin another",
        "start_over",
        ("run",),
        False,
    ),
    Command("diff", "d", "d", "Diff", "The selected candidate against its base", "diff", ("run",)),
    Command("best", "b", "b", "Best", "The best text against the original", "best", ("run",)),
    Command("report", "r", "r", "Report", "The report of the run", "report", ("run",)),
    Command(
        "save_page",
        "s",
        "s",
        "Save",
        "The report as a page, saved by your browser",
        "save_page",
        ("reading",),
        True,
        False,
    ),
    Command("wrap_up", "w", "w", "What now", "Apply it, a pull request, or go on", "wrap_up", ("run",)),
    Command("pull_request", "p", "p", "PR text", "What was kept, as a pull request", "pull_request", ("run",), False),
    Command("themes", "t", "t", "Themes", "What the judge finds wrong, grouped; yours to edit", "themes", ("run",)),
    Command("own_idea", "i", "i", "Idea", "Say in your words what to try next", "own_idea", ("run",), False),
    Command("open_file", "o", "o", "Open", "Text, spec, report in your editor", "open_file", ("home", "run"), False),
    Command("copy_resume", "y", "y", "Copy", "The command that goes on with the run", "copy", ("run",), False),
    Command("copy_diff", "y", "y", "Copy", "Its diff to the clipboard", "copy", ("review",), False),
    Command("copy_text", "y", "y", "Copy", "The text to the clipboard", "copy", ("reading", "study")),
    Command(
        "read_outputs", "o", "o", "Outputs", "Read raw replies; what you open is on record", "read_outputs", ("study",)
    ),
    Command("open_report", "o", "o", "Editor", "The report in your editor", "open_file", ("reading",)),
    Command("compare", "c", "c", "Compare", "Mark a run, then another: both side by side", "compare", ("home",), False),
    Command("find", "slash", "/", "Search", "Go to what has these words", "find", ("home", "run"), False),
    Command("chart", "g", "g", "Chart", "Score over experiments, with the looks", "chart", ("run",), False),
    Command("later_dot", "right,l", "→", "Next", "The next measured experiment", "walk(1)", ("chart",)),
    Command("earlier_dot", "left,h", "←", "Before", "The measured experiment before", "walk(-1)", ("chart",)),
    Command("open_dot", "enter", "enter", "Open", "Diff, cases, outputs, evidence of it", "review", ("chart",)),
    Command("evalset", "v", "v", "Eval set", "The cases it is measured on", "evalset", ("home", "run"), False),
    Command("summary", "1", "1", "Summary", "What was tried and how it went", "view(1)", REVIEWS, False, False),
    Command("changes", "2", "2", "Diff", "The change, rule by rule and word by word", "view(2)", REVIEWS, False, False),
    Command("outputs", "3", "3", "Cases", "Cases that moved, with both outputs", "view(3)", REVIEWS, False, False),
    Command("evidence", "4", "4", "Evidence", "Differences as bars, interval, looks", "view(4)", REVIEWS, False, False),
    Command("edit", "e", "e", "Edit", "Rewrite it in your editor; measured anew before it is kept", "edit", ("keep",)),
    Command("which", "f", "f", "Filter", "Fixed, broken, changed or all cases", "filter", REVIEWS),
    Command("next_moved", "n", "n", "Next", "The next case that moves with the rule", "next_moved", ("coverage",)),
    Command("map_filter", "f", "f", "Filter", "Rules of one state", "filter", ("coverage",)),
    Command("map_search", "slash", "/", "Search", "Words in a rule or a case it moves", "search", ("coverage",)),
    Command("measure", "m", "m", "Measure", "Make the map; shows the price first", "measure", ("coverage",)),
    Command("back_map", "escape", "esc", "Back", "Clear the filter, then go back", "back", ("coverage",)),
    Command("coverage", "m", "m", "Map", "Which rules the cases guard", "coverage", ("home", "run", "evalset"), False),
    Command("help", "question_mark,f1", "?", "Help", "What the keys do", "app.help", WITH_HELP),
    Command("quit", "q", "q", "Quit", "Leave the app; state is kept", "app.leave", WITH_QUIT),
    Command("later", "escape", "esc", "Later", "Leave the question for later", "later", ("question", "keep")),
    Command(
        "ideas", "p", "p", "To write", "Cases for rules that none guards; how it was measured", "ideas", ("coverage",)
    ),
    Command("cases", "enter", "enter", "Cases", "Its cases: output and feedback", "cases", ("themes",), False, False),
    Command("rename", "e", "e", "Rename", "Give the theme another name", "rename", ("themes",)),
    Command("merge", "m", "m", "Merge", "Put its cases into another theme", "merge", ("themes",)),
    Command("split", "v", "v", "Split", "Make a theme of its own of some cases", "split", ("themes",)),
    Command("dismiss", "d", "d", "Dismiss", "No ideas for this theme, or again some", "dismiss_theme", ("themes",)),
    Command("onward", "enter,right", "enter", "Next", "Keep your score and go on", "onward", ("scoring",)),
    Command("one_back", "b,left", "b", "Back", "The output before this one", "one_back", ("scoring",)),
    Command("skip", "s", "s", "Skip", "Go on without a score", "skip", ("scoring",)),
    Command("reason", "r", "r", "Reason", "Say why, in a line; optional", "reason", ("scoring",)),
    Command("fold", "i", "i", "Input", "Fold or show input and expected answer", "fold", ("scoring",)),
    Command("rubric", "u", "u", "Rubric", "The whole rubric", "rubric", ("scoring",), False),
    Command("stop_scoring", "x", "x", "Stop", "Stop here; scores so far are kept", "end", ("scoring",)),
    Command("testing", "t", "t", "Testing", "Just testing: throw these scores away", "just_testing", ("scoring",)),
    Command("leave_sheet", "escape", "esc", "Later", "Leave the sheet for later", "later", ("scoring",)),
    Command("open_case", "enter", "enter", "Open", "Edit its four fields", "open_case", ("evalset",), False, False),
    Command("new_case", "n", "n", "New", "Add a case by hand", "new", ("evalset",)),
    Command("kind", "g", "g", "Guard", "Make a failure a guard, or a guard a failure", "kind", ("evalset",), False),
    Command("side", "s", "s", "Side", "For selection, held out, or left to the draw", "side", ("evalset",), False),
    Command("save", "ctrl+s", "^s", "Save", "Write the file; cases not touched keep every byte", "save", ("evalset",)),
    Command("undo", "u,ctrl+z", "u", "Undo", "Take the last change back", "undo", ("evalset",)),
    Command("redo", "ctrl+y,U", "U", "Redo", "Make the change again that was taken back", "redo", ("evalset",), False),
    Command("tags", "t", "t", "Tags", "Change the case's tags", "tags", ("evalset",), False),
    Command("delete", "d,delete", "d", "Delete", "Take the case out of the set", "delete", ("evalset",), False),
    Command("search", "slash", "/", "Find", "Cases with these words", "search", ("evalset",)),
    Command("filter", "f", "f", "Filter", "By kind, side, tag, words, duplicates, leaks", "filter", ("evalset",)),
    Command("try", "r", "r", "Run", "Run the text on the case; shows the price first", "try", ("evalset",)),
    Command("check_set", "c", "c", "Check", "All that is to be said of the set", "check", ("evalset",), False),
    Command("reload_set", "f5", "f5", "Reload", "Take up the file; your edits stay", "reload", ("evalset",), False),
    Command("back_home", "escape", "esc", "Back", "Clear the filter, then go back", "back", ("evalset",)),
    Command("help_set", "question_mark,f1", "?", "Help", "What the keys do", "help", ("evalset",)),
    Command("quit_set", "q", "q", "Quit", "Leave the app; asks what to save", "leave_app", ("evalset",), False),
    Command("change", "enter", "enter", "Change", "Change the choice of this line", "change", ("new",), False, False),
    Command(
        "write", "w", "w", "Write, start", "Write the files, open the run; it asks before it calls", "write", ("new",)
    ),
    Command("preview", "p", "p", "Preview", "What is taken from the failures", "preview", ("new",)),
    Command("spec", "s", "s", "Spec", "The file as it would be written", "spec", ("new",)),
    Command("back_new", "escape", "esc", "Back", "Leave; nothing is written", "back", ("new",)),
    Command("done_rubric", "ctrl+s", "^s", "Take", "Take the rubric over", "done", ("rubric",)),
    Command("back_rubric", "escape", "esc", "Back", "Leave; asks where it was changed", "back", ("rubric",)),
    Command("back_case", "escape", "esc", "Back", "Go back; asks whether to keep what you wrote", "back", ("case",)),
    Command("done", "f2", "f2", "Keep", "Take over what you wrote into the list", "done", ("case",)),
    Command("done_save", "ctrl+s", "^s", "Save", "Take it over and write the file", "done_and_save", ("case",)),
    Command("done_run", "ctrl+r", "^r", "Run", "Keep it, then run the text on the case", "done_and_run", ("case",)),
    Command("help_case", "f1", "f1", "Help", "What the keys do", "help", ("case",)),
)
# Keys that widgets answer themselves, for the help.
MOVING: tuple[tuple[str, str], ...] = (
    ("↑ ↓, j k", "Move in lists and texts"),
    ("← →", "See the end of long lines in a list"),
    ("PgUp PgDn", "A page at a time; in a question: its text"),
    ("tab", "The next part of the screen"),
    ("enter", "Take the selected line"),
    ("ctrl+c", "Copy selected text; without any, twice: stop and leave (status 130)"),
    ("ctrl+q", "Leave the app from anywhere; state is kept"),
    ("ctrl+p", "Find a command by its name"),
)


def bindings_for(place: Place) -> list[BindingType]:
    """The key bindings of a screen."""
    return [
        Binding(
            command.keys,
            command.action,
            command.label,
            show=command.in_footer,
            key_display=command.key_shown,
            tooltip=command.explanation,
            id=binding_id(place, command),
        )
        for command in commands_of(place)
    ]


def commands_of(place: Place) -> Iterator[Command]:
    """The commands of a screen in the order of the list."""
    return (command for command in COMMANDS if place in command.places)


def binding_id(place: Place, command: Command) -> str:
    """What a person calls a command at one place when they give it another key."""
    return f"{place}.{command.id}"


def named_keys(keys: str) -> tuple[str, ...]:
    """Keys joined by commas, each by its full name: `?` is question_mark."""
    return tuple(_full_name(key) for part in keys.split(",") if (key := part.strip()))


def _full_name(key: str) -> str:
    if len(key) > 1 or key.isalnum():
        return key
    name = unicodedata.name(key, key).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def key_shown(place: Place, command: Command, keymap: Keymap) -> str:
    """The key for people: their own where they set one."""
    own = keymap.get(binding_id(place, command))
    return " ".join(format_key(key) for key in own.split(",")) if own else command.key_shown


def help_text(first: Place | None = None, keymap: Keymap = NO_KEYMAP) -> str:
    """All keys, screen by screen; those of the screen a person comes from stand at the top."""
    parts = []
    for place, title in sorted(PLACES.items(), key=lambda one: one[0] != first):
        rows = [f"  {key_shown(place, command, keymap):<12}{command.explanation}" for command in commands_of(place)]
        parts.append("\n".join([title, *rows]))
    parts.append("\n".join(["Everywhere", *(f"  {keys:<12}{what}" for keys, what in MOVING)]))
    return "\n\n".join(parts) + f"\n\n{SIGNS}\n"


SIGNS = (
    "Signs\n"
    "  ✓ kept, improved   ✗ not kept   ~ not sure   ! error   … under way   ? needs you\n"
    "  tuning cases: ideas are chosen on them    held-out cases: they only confirm\n"
    "  look: one use of the held-out cases; each makes the next proof harder"
)
