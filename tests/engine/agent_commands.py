"""Executables that speak as `codex` and `claude` are documented to: they check their arguments and play one part.

What a play says is done: files written in the working folder, a reply, a failure. What they found is in `seen`.
One that `reads` follows the instructions it finds where the real one looks for them, and answers as `READS` says.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCRIPT = """#!{python} -IS
import json, os, re, sys, time
from pathlib import Path

here = Path(__file__).resolve().parent
if "--version" in sys.argv:
    print("{name} 9.8.7")
    sys.exit(0)
play = json.loads((here / "play.json").read_text()) if (here / "play.json").exists() else {{"reads": True}}
asked = sys.stdin.read()
if "ideas" in play and "You look for ways" in asked:
    play = play["ideas"]
home = Path(os.environ["HOME"])
seen = {{
    "argv": sys.argv[1:], "asked": asked, "environ": dict(os.environ), "cwd": os.getcwd(),
    "files": sorted(str(path.relative_to(".")) for path in Path(".").rglob("*") if path.is_file()),
    "home": sorted(str(path.relative_to(home)) for path in home.rglob("*")),
    "pid": os.getpid(),
}}
if os.access(here, os.W_OK) and (here / "play.json").exists():
    with (here / "starts.txt").open("a") as starts:
        starts.write("x")
    (here / "seen.json").write_text(json.dumps(seen))
word = re.search("Write the word ([0-9a-z]+) into a new file ([a-z.]+) ", asked)
if word and not play.get("forgets"):
    Path(word[2]).write_text(word[1])
for path, text in play.get("files", {{}}).items():
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
for path, goal in play.get("links", {{}}).items():
    os.symlink(goal, path)
if play.get("hang"):
    child = os.fork()
    if child == 0:
        (here / "child.json").write_text(str(os.getpid()))
    time.sleep(600)
sys.stderr.write(play.get("stderr", ""))
{reads}
if play.get("reads"):
    play["text"] = answer("\\n".join(followed()), asked)
if "busy_until" in play and play["busy_until"] > len((here / "starts.txt").read_text()):
    play["fault"] = "429 rate limit"
text, fault, garbage = play.get("text", "Done."), play.get("fault"), play.get("garbage")
if garbage is not None:
    print(garbage)
    sys.exit(play.get("status", 0))
{speaks}
sys.exit(play.get("status", 0))
"""

READS = """
def followed():
    argv, claude = sys.argv, {name!r} == "claude"
    if claude:
        excluded = json.loads((home / ".claude/settings.json").read_text())["claudeMdExcludes"]
        above = [] if "project" not in argv[argv.index("--setting-sources") + 1] else list(Path.cwd().parents)
        files = [path / "CLAUDE.md" for path in above]
        files = [path for path in files if play.get("walks_up") or str(path) not in excluded]
        files += [Path("CLAUDE.md"), *Path(".claude/skills").glob("*/SKILL.md")]
        if "--append-system-prompt-file" in argv:
            files.append(Path(argv[argv.index("--append-system-prompt-file") + 1]))
    else:
        import tomllib
        yield tomllib.loads((home / ".codex/config.toml").read_text()).get("developer_instructions", "")
        files = [Path("AGENTS.md"), *Path(".agents/skills").glob("*/SKILL.md")]
        files += [path / "AGENTS.md" for path in Path.cwd().parents if play.get("walks_up")]
    if play.get("looks_home"):
        import tempfile
        files += Path(tempfile.gettempdir()).parent.parent.rglob("ceopt-home-*/CLAUDE.md")
    if not play.get("blind"):
        yield from (path.read_text() for path in files if path.is_file())

def answer(told, asked):
    words = re.findall("The code word of these instructions is (\\\\S+)[.]", told)
    if "code words" in asked:
        return " and ".join(words) or "I know none."
    if "Write the word" in asked:
        return "Done."
    number = int(re.findall("Case (\\\\d+)", asked)[-1])
    label = ("returns", "billing", "delivery")[number % 3]
    plain = "Answer with exactly one of these" in told + asked or number % 9 < 3
    return label if plain else f"This belongs to {{label}}."
"""

CODEX = """
def say(**event):
    print(json.dumps(event))

assert sys.argv[1] == "exec" and sys.argv[-1] == "-" and "--json" in sys.argv
say(type="thread.started", thread_id="0199a213")
say(type="turn.started")
if play.get("stumbles"):
    say(type="error", message="Reconnecting... 1/5")
say(type="item.completed", item={"id": "item_0", "type": "reasoning", "text": "thinking"})
if fault:
    say(type="error", message=fault)
    say(type="turn.failed", error={"message": fault})
    sys.exit(play.get("status", 1))
say(type="item.completed", item={"id": "item_1", "type": "agent_message", "text": text})
Path(sys.argv[sys.argv.index("--output-last-message") + 1]).write_text(text)
say(type="turn.completed", usage={"input_tokens": 900, "cached_input_tokens": 100, "output_tokens": 40})
"""

CLAUDE = """
assert sys.argv[1] == "-p" and sys.argv[sys.argv.index("--output-format") + 1] == "json"
used = {"input_tokens": 3, "cache_creation_input_tokens": 800, "cache_read_input_tokens": 97, "output_tokens": 40}
result = {"type": "result", "subtype": "success", "is_error": bool(fault), "result": fault or text, "num_turns": 3,
          "session_id": "s", "total_cost_usd": 0.25, "usage": used}
print(json.dumps(result))
if fault:
    sys.exit(play.get("status", 0))
"""

SPEAKS = {"codex": CODEX, "claude": CLAUDE}


@dataclass
class AgentCommand:
    """One of the two on a PATH of its own, with the environment of a user who has it."""

    name: str
    folder: Path

    @property
    def environ(self) -> dict[str, str]:
        key = {"codex": "CODEX_API_KEY", "claude": "ANTHROPIC_API_KEY"}[self.name]
        other = {"codex": "ANTHROPIC_API_KEY", "claude": "OPENAI_API_KEY"}[self.name]
        home = self.folder / "users-home"
        return {
            "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(home),
            key: "sk-FAKE-MINE12345678",
            other: "sk-FAKE-OTHER12345678",
            "CEOPT_PRIVATE": "private",
        }

    def plays(self, **play: Any) -> None:
        (self.folder / "play.json").write_text(json.dumps(play))

    @property
    def starts(self) -> int:
        """How often it was started."""
        return len((self.folder / "starts.txt").read_text())

    @property
    def seen(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "seen.json").read_text())
        return found


def installed(name: str, folder: Path) -> AgentCommand:
    """Writes the executable; a `.codex` and a `.claude` with settings stand in the user's home."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / name
    reads = READS.format(name=name)
    script.write_text(SCRIPT.format(python=sys.executable, name=name, speaks=SPEAKS[name], reads=reads))
    script.chmod(0o755)
    for place in (".codex/config.toml", ".codex/AGENTS.md", ".claude/settings.json", ".claude/CLAUDE.md"):
        path = folder / "users-home" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("the user's own")
    command = AgentCommand(name, folder)
    command.plays()
    return command
