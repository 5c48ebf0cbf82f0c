"""The user's own config file: models for every repository, in the form of a spec's `models`; keys and theme of the app.

What commands and themes there are is the app's to know.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import platformdirs
from pydantic import Field, ValidationError

from ceopt_tui.errors import InputError, Problem
from schemas.problems import problems_of
from schemas.scalars import Section
from schemas.spec_target import ModelMap, ModelSpec
from schemas.yaml_strict import SPEC_BYTES, Document, read


class UserConfig(Section):
    """What config.yaml may say."""

    models: ModelMap = Field(default_factory=dict)
    keys: Mapping[str, str] = Field(default_factory=dict)
    theme: str = ""


def user_config_file() -> Path:
    """Where the config file is looked for; it need not exist."""
    return platformdirs.user_config_path("ceopt") / "config.yaml"


def user_models(path: Path | None) -> Mapping[str, ModelSpec]:
    """The models of the config file; none when there is no file. Raises InputError with every problem."""
    return {} if path is None else user_config(path)[0].models


def user_config(path: Path) -> tuple[UserConfig, Document]:
    """All that the file says, and where; nothing when there is no file. Raises InputError with every problem."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raw = b""
    except OSError as error:
        raise InputError([Problem(str(path), 0, "", f"cannot be read: {error.strerror}")]) from None
    document = read(raw, str(path), limit=SPEC_BYTES)
    try:
        return UserConfig.model_validate(document.data or {}), document
    except ValidationError as error:
        raise InputError(problems_of(error, UserConfig, document)) from None
