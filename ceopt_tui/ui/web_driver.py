"""The app's way to a browser: packets to the process that serves it. When that goes, the window has been closed."""

from __future__ import annotations

import os
from typing import Any

from textual.drivers.web_driver import WebDriver
from textual.events import AppFocus

from ceopt_tui.ui.engine_app import EngineApp
from ceopt_tui.ui.messages import HungUp

AGAIN_S = 2.0


class ServedDriver(WebDriver):
    """Textual's, but a run outlives its tab: writes that nobody reads are dropped, and the end of input hangs up."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._write = self._write_all  # type: ignore[assignment]

    def _write_all(self, data: bytes) -> int:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self.fileno, left) :]
        except OSError:
            return len(data)
        return len(data)

    def start_application_mode(self) -> None:
        """As on a terminal, the app has the keyboard from the start; what the page says of it may come too early."""
        super().start_application_mode()
        if isinstance(self._app, EngineApp):
            self._app.heed_signals()  # Textual's would end a run at work without its last record, and with 0
        self._app.call_later(self._app.post_message, AppFocus())

    def run_input_thread(self) -> None:
        """Reads keys until the app closes its screen or the other side its pipe."""
        super().run_input_thread()
        while not self.exit_event.is_set():  # an app that is still opening its screen misses the first
            self._app.post_message(HungUp())
            self.exit_event.wait(AGAIN_S)
