"""The person's own keys: what they wrote, as keys of commands at their places. Refuses what would take a key away."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping

from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from ceopt_tui.ui.commands import COMMANDS, PLACES, Command, Keymap, Place, binding_id, commands_of, named_keys
from schemas.problems import closest

Fault = Callable[[str, str], None]  # takes the id as it was written, and what is wrong with it

_NAMES = frozenset({*(key.value for key in Keys), *KEY_NAME_REPLACEMENTS.values()})
_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super"})
# Keys that lists, texts and the app itself answer before a screen does.
_TAKEN = frozenset({"up", "down", "left", "right", "pageup", "pagedown", "home", "end", "j", "k", "enter", "space"})
_TAKEN |= {"tab", "shift+tab", "ctrl+c", "ctrl+p", "ctrl+q"}
_DIGITS = frozenset("0123456789")
_TYPED: frozenset[Place] = frozenset({"case", "rubric"})  # a letter is written there


def keymap_of(written: Mapping[str, str], fault: Fault) -> Keymap:
    """Keys by binding id. `written` is by command (`chart`), at all its places, or by place and command (`run.chart`).

    What is wrong is told to `fault`, and left out.
    """
    found: dict[str, str] = {}
    names: dict[str, str] = {}  # by binding id, as it was written
    for name, keys in sorted(written.items(), key=lambda item: "." in item[0]):  # the nearer word counts
        places = _places(name)
        if not places:
            fault(name, _unknown(name))
            continue
        named = named_keys(keys)
        wrong = [said for place, command in places for said in _refusals(place, command, named)]
        if wrong:
            fault(name, wrong[0])
            continue
        for place, command in places:
            found[binding_id(place, command)] = ",".join(named)
            names[binding_id(place, command)] = name
    for name, said in _clashes(found, names):
        fault(name, said)
    return found


def _places(name: str) -> list[tuple[Place, Command]]:
    place, _, command = name.rpartition(".")
    return [(at, one) for one in COMMANDS if one.id == command for at in one.places if place in ("", at)]


def _unknown(name: str) -> str:
    known = {command.id for command in COMMANDS}
    known |= {binding_id(place, command) for place in PLACES for command in commands_of(place)}
    near = closest(name, known)
    meant = f" Did you mean `{near}`?" if near else ""
    return f"is no command of the app.{meant} docs/make-the-app-yours.md lists them"


def _refusals(place: Place, command: Command, keys: tuple[str, ...]) -> Iterator[str]:
    own = named_keys(command.keys)
    if not keys:
        yield "names no key"
    for key in keys:
        if not _is_key(key):
            yield f"`{key}` is no key: write one character, f1 to f24, or a name such as escape or ctrl+g"
        elif key not in own and (key in _TAKEN or (place == "scoring" and key in _DIGITS)):
            yield f"{key} has a meaning of its own everywhere in the app; choose another key"
        elif place in _TYPED and len(key) == 1:
            yield f"{key} is a letter you write there; choose a key such as f6 or ctrl+g"


def _is_key(key: str) -> bool:
    *modifiers, name = key.split("+")
    if not _MODIFIERS.issuperset(modifiers):
        return False
    if len(name) == 1:
        return name.isprintable()
    if name in _NAMES:
        return True
    try:
        unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return False
    return True


def _clashes(found: Keymap, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Two commands of one place on the same key, where the person set at least one of them."""
    for place, title in PLACES.items():
        holders: dict[str, Command] = {}
        for command in commands_of(place):
            for key in named_keys(found.get(binding_id(place, command), command.keys)):
                other = holders.setdefault(key, command)
                ids = [binding_id(place, one) for one in (command, other)]
                name = next((names[one] for one in ids if one in names), None)
                if other is not command and name is not None:
                    both = f"`{ids[1]}` ({other.label}) and `{ids[0]}` ({command.label})"
                    yield name, f"puts {both} on {key} ({title}); give one of them another key"
