"""A sign that something is at work which the person waits for, and a way to stop it. Knows nothing of the work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ceopt_tui.core.visible import said
from ceopt_tui.errors import CeoptError

WORKING = "at-work"  # group of its worker
STOPS = "esc stops it"

T = TypeVar("T")


class AtWorkScreen(ModalScreen[T | None]):
    """Carries out `work` and gives what came of it; None when it was stopped, or failed and has said why."""

    CSS_PATH = "at_work.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "stop", "Stop")]

    def __init__(self, title: str, work: Callable[[], Awaitable[T]]) -> None:
        super().__init__()
        self._title = title
        self._work = work
        self._elapsed_s = 0
        self._over = False
        self._result: T | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(id="question", markup=False)
            yield Static(STOPS, id="hint", markup=False)

    def on_mount(self) -> None:
        self._tell()
        self.set_interval(1, self._count)
        work: Callable[[], Awaitable[None]] = self._working
        self.run_worker(work, group=WORKING, description=WORKING, exit_on_error=False)

    def _count(self) -> None:
        self._elapsed_s += 1
        self._tell()

    def _tell(self) -> None:
        since = f" {self._elapsed_s} s" if self._elapsed_s else ""
        self.query_one("#question", Static).update(Content(f"{self._title} …{since}"))

    async def _working(self) -> None:
        try:
            self._result = await self._work()
        except CeoptError as error:
            self.app.notify(said(str(error)), severity="error", timeout=20, markup=False)
        finally:
            self._over = True
            self.call_later(self._leave_when_on_top)

    def on_screen_resume(self) -> None:
        self._leave_when_on_top()

    def _leave_when_on_top(self) -> None:
        """A question may lie over this screen: it is answered first."""
        if self._over and self.app.screen is self:
            self.dismiss(self._result)

    def action_stop(self) -> None:
        self.workers.cancel_node(self)
        self.app.notify("Stopped; nothing was changed.", timeout=4, markup=False)
        self.dismiss(None)
