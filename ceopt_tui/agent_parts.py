"""The coding agent of a spec: which one, whether it can be started here, what it may do, what a person approves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ceopt_tui.agent_clis.dialect import Access, Dialect
from ceopt_tui.agent_clis.starting import DIALECTS, AgentName, check_agent, started_inside
from ceopt_tui.core.command_ports import Editor
from ceopt_tui.core.ports import OutsideCalls, Question, ResolvedModel
from ceopt_tui.engine.backends.agents.agent_editor import AgentEditor, AgentSetting
from ceopt_tui.engine.backends.agents.failing import FallbackEditor
from ceopt_tui.engine.backends.agents.pairing import IdeasFrom
from ceopt_tui.engine.session import Session
from ceopt_tui.engine.skin import Skin
from ceopt_tui.errors import NeedsPersonError, SetupError
from ceopt_tui.project import Project
from ceopt_tui.run_options import RunOptions
from schemas.records import Answered, Asked
from schemas.spec import Spec

SECURITY = "codex-security"
_MODES: dict[str, Access] = {"full-auto": "edit", "yolo": "all"}


def agent_of(spec: Spec) -> AgentName | None:
    """The coding agent that edits; None where a model or a command does."""
    if spec.proposer.kind == "codex" or spec.proposer.kind == "claude":
        return spec.proposer.kind
    backend = spec.execution.backend
    if spec.proposer.kind in {"auto", "llm"} and (backend == "codex" or backend == "claude"):
        return backend
    return None


def agent_model(dialect: Dialect, model: str | None) -> str | None:
    """The proposer's model as this agent names it, where its provider is the agent's; else the agent's own default."""
    provider, _, name = (model or "").partition("/")
    return name if provider == dialect.provider and name else None


def agent_lines(spec: Spec, name: AgentName, model: ResolvedModel | None) -> list[str]:
    """What a person approves of the agent, in words."""
    dialect = DIALECTS[name]
    chosen = agent_model(dialect, model.model if model else None) or "its own default model"
    lines = [f"Edits      the {name} command line with {chosen}, at most {spec.proposer.timeout_s:g} s each time"]
    if name == "claude":
        lines.append("           it reads and edits files, and runs no commands")
    else:
        lines.append(f"           {_mode_words(spec.execution.codex_security)}")
    lines.append(
        "           the checkout holds no held-out file; files elsewhere on this machine are not hidden from it"
    )
    lines.append("           the money it spends is not capped by ceopt; what it reports is booked as its own word")
    if model is not None:
        lines.append(f"           after three failures in a row {model.model} edits instead")
    return lines


def _mode_words(mode: Literal["full-auto", "yolo"] | None) -> str:
    return {
        "full-auto": "full-auto: commands run in its sandbox and write in its checkout and temporary folders alone",
        "yolo": "yolo: it runs any command as you with your rights, without a sandbox",
        None: "what it may do (full-auto or yolo) is asked before it is first started",
    }[mode]


async def agent_access(project: Project, session: Session, options: RunOptions, skin: Skin) -> Access:
    """What the agent may do while it edits: as the spec says, or as a person said once for this run."""
    if agent_of(project.spec) != "codex":
        return "edit"
    written = project.spec.execution.codex_security or session.state.answers.get(SECURITY)
    if written is None and not options.attended:
        raise NeedsPersonError(
            "the spec does not say what codex may do",
            "Write `execution: {codex_security: full-auto}` (its sandbox) or `yolo` (your rights, no sandbox).",
        )
    if written is None:
        written = await _asked(session, skin)
    return _MODES[written]


async def _asked(session: Session, skin: Skin) -> str:
    message = "\n".join(f"{mode:<10} {_mode_words(mode).partition(': ')[2]}" for mode in ("full-auto", "yolo"))
    question = Question(SECURITY, "What may codex do?", message, "How shall codex run?", ("full-auto", "yolo", "stop"))
    asked = Asked(
        question_id=SECURITY,
        title=question.title,
        message=message,
        question=question.question,
        options=question.options,
    )
    await session.recorder.commit(asked)
    answer = await skin.ask(question)
    if answer not in _MODES:
        raise NeedsPersonError("codex was not allowed to start", "Start again, or write `execution.codex_security`.")
    await session.recorder.commit(Answered(question_id=SECURITY, answer=answer, by="person"))
    return answer


def make_agent_editor(
    project: Project,
    access: Access,
    model: ResolvedModel | None,
    stand_in: Editor | None,
    account: OutsideCalls,
    session: Session,
    options: RunOptions,
    skin: Skin,
    note: Callable[[str], None],
) -> Editor:
    """The agent, with the model `stand_in` behind it. SetupError where it is missing or has no login.

    An agent is not started from inside its own sandbox: there the stand-in edits, which is said once.
    """
    name = agent_of(project.spec)
    assert name is not None
    dialect, environ = DIALECTS[name], options.environ
    if variable := started_inside(dialect, environ):
        what = f"ceopt was started by {name} itself ({variable} is set), and an agent does not start itself"
        if stand_in is None:
            raise SetupError(what, "Run ceopt in a shell of your own, or set CEOPT_MODEL_STRONG=provider/model.")
        note(f"{what}: {model.model if model else stand_in.name} edits")
        return stand_in
    check_agent(dialect, environ)
    named = model.model if model else None
    setting = AgentSetting(environ, access, agent_model(dialect, named), project.spec.proposer.timeout_s)
    agent = AgentEditor(dialect, setting, account, skin.progress)

    def failures() -> int:
        return session.state.spend.failed_in_a_row.get(agent.booked_as, 0)

    safe = FallbackEditor(agent, stand_in, failures, note)
    return IdeasFrom(stand_in, safe) if stand_in and project.spec.proposer.kind == "llm" else safe
