"""Which environment variables a job needs, by name. Their values are read by nobody here and written nowhere."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.agent_clis.starting import DIALECTS, AgentName
from ceopt_tui.agent_parts import agent_of
from ceopt_tui.core.ports import Role
from ceopt_tui.runner_agent import runner_agent
from judges.providers import PROVIDERS, Provider, with_provider
from judges.tiers import TIER_VARIABLES, chosen_from, reader_name
from schemas.spec import Spec

# Where models, replies and the network are found; a scheduler starts without them.
SURROUNDINGS = (
    "CEOPT_LOCAL_GGUF", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE",
)  # fmt: skip
_SETTING = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=[ \t]*[^ \t\n#]", re.MULTILINE)


@dataclass(frozen=True)
class Needed:
    """Names of variables: `keys` are secret, `settings` are not, `surroundings` belong to this machine.

    `agents` are the coding agents that a start runs, which have to be installed where it runs.
    """

    keys: tuple[str, ...]
    settings: tuple[str, ...]
    surroundings: tuple[str, ...] = ()
    agents: tuple[AgentName, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.keys, *self.settings, *self.surroundings)


def needed_variables(
    spec: Spec, environ: Mapping[str, str], config: Path, overrides: Mapping[str, str], *, elsewhere: bool = False
) -> Needed:
    """What a start needs that a scheduler does not have: keys of providers and agents, models named by variables.

    `elsewhere`: on a machine where the user has signed in nowhere.
    """
    agents = _agents(spec)
    keys: list[str] = []
    settings: list[str] = []
    for role, name in (*_roles(spec), ("reader", reader_name(spec.models, environ, config, overrides))):
        chosen, source = chosen_from(role, name, spec.models, environ, config, overrides)
        if chosen is None:
            settings += [TIER_VARIABLES[name]] if role in _without_stand_in(spec) and name in TIER_VARIABLES else []
            continue
        if source in {"environment", "command line"}:
            settings += [tier for tier in TIER_VARIABLES.values() if environ.get(tier, "").strip() == chosen]
        if role == "task" and runner_agent(spec):
            continue  # its agent signs in by itself
        provider = PROVIDERS.get((with_provider(chosen) or "").partition("/")[0], Provider(keyless=True))
        keys += _first_set(provider.keys, environ) or ([] if provider.keyless else list(provider.keys[:1]))
        settings += _first_set(provider.bases, environ)
    if spec.proposer.kind == "command":
        keys += spec.proposer.environment  # any of them may be a secret
    for agent in agents:
        dialect = DIALECTS[agent]
        signed_in = not elsewhere and dialect.may_sign_in(environ)
        keys += _first_set(dialect.keys, environ) or ([] if signed_in else list(dialect.keys[:1]))
        settings += [one for one in dialect.variables if one not in dialect.keys and environ.get(one, "").strip()]
    around = (*SURROUNDINGS, *(("CODEX_HOME",) if "codex" in agents else ()))
    surroundings = tuple(name for name in around if environ.get(name, "").strip())
    return Needed(tuple(dict.fromkeys(keys)), tuple(dict.fromkeys(settings)), surroundings, agents)


def programs_of(spec: Spec) -> tuple[str, ...]:
    """What has to be on the PATH of a start beside git: its agents, what they are scripts of, their sandbox."""
    agents = tuple(DIALECTS[agent].executable for agent in _agents(spec))
    return (*agents, "node", "bwrap") if agents else ()


def missing_from(file: Path, needed: Needed) -> list[str]:
    """The needed variables that the environment file does not set; all of them while there is no such file."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return list(needed.all)
    given = set(_SETTING.findall(text))
    return [name for name in needed.all if name not in given]


def open_to_others(file: Path) -> bool:
    """May others than its owner read the environment file?"""
    try:
        return bool(file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    except OSError:
        return False


def _without_stand_in(spec: Spec) -> frozenset[Role]:
    """Roles that a run cannot do without: a text has a mechanical proposer to fall back on, code has nobody."""
    if spec.measurement.command is None:
        return frozenset({"task", "judge"})
    return frozenset({"judge"} if agent_of(spec) else {"proposer", "judge"})


def _agents(spec: Spec) -> tuple[AgentName, ...]:
    """The coding agents of a spec: one may run a text, one may edit code."""
    edits = agent_of(spec) if spec.measurement.command is not None else None
    return tuple(dict.fromkeys(agent for agent in (runner_agent(spec), edits) if agent is not None))


def _roles(spec: Spec) -> Iterator[tuple[Role, str]]:
    by_command = spec.measurement.command is not None
    if not by_command:
        yield "task", spec.runner.model
    proposes, judge = spec.proposer.asks_model, spec.metric.judge if spec.is_judged else None
    if proposes:
        yield "proposer", spec.proposer.model
    if judge is not None:
        yield "judge", judge.model
    if proposes and judge is not None and not by_command:
        yield "proposer", "cheap"  # names failure themes


def _first_set(names: tuple[str, ...], environ: Mapping[str, str]) -> list[str]:
    return next(([name] for name in names if environ.get(name, "").strip()), [])
