"""An app with the person's own keys and theme. Reads no file."""

from __future__ import annotations

from textual.app import App
from textual.theme import Theme

from ceopt_tui.core.visible import said
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.settings import Settings, remember_theme


class PersonalApp(App[int]):
    """Takes the settings when it starts; remembers a theme that is chosen in it."""

    settings = Settings()

    def on_mount(self) -> None:  # beside those of the classes around it, which Textual calls too
        self.set_keymap(dict(self.settings.keymap))
        if self.settings.theme:
            self.theme = self.settings.theme
        self.theme_changed_signal.subscribe(self, self._remember)

    def _remember(self, theme: Theme) -> None:
        settings = self.settings
        if settings.by_config and theme.name != settings.theme:
            self.notify(f"config.yaml names {settings.theme}; it is back at the next start.", markup=False)
        elif settings.memory is not None and not settings.by_config:
            try:
                remember_theme(settings.memory, theme.name)
            except CeoptError as error:
                self.notify(said(str(error)), severity="warning", markup=False)
