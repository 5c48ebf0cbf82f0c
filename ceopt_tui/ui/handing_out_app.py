"""An app that hands things out: a file to the person's editor, a text to their clipboard. Changes nothing itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from textual.app import App

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.editor import open_file
from ceopt_tui.ui.files_at_hand import FileAt
from ceopt_tui.ui.messages import CopyWanted, FilesWanted
from ceopt_tui.ui.screens.pick import PickScreen

OPENING = "opening"  # the group of its worker
NO_FILE = "No file of it is there to open."
HOW_COPIED = "a terminal that lets no program copy ignores this"


class HandingOutApp(App[int]):
    """Leaves the terminal to the editor and takes it back."""

    def on_files_wanted(self, message: FilesWanted) -> None:
        files = message.files

        def picked(place: int | None) -> None:
            if place is not None:
                work: Callable[[], Awaitable[None]] = partial(self._open, files[place])
                self.run_worker(work, group=OPENING, description=OPENING, exclusive=True, exit_on_error=False)

        if not files:
            self.notify(NO_FILE, markup=False)
        elif len(files) == 1:
            picked(0)
        else:
            names = [f"{one_line(file.path.name)}  {one_line(str(file.path.parent))}" for file in files]
            self.push_screen(PickScreen("Open which file in your editor?", names), picked)

    async def _open(self, file: FileAt) -> None:
        try:
            await open_file(self, file.path, file.line)
        except CeoptError as error:
            self.notify(said(str(error)), severity="error", timeout=20, markup=False)

    def on_copy_wanted(self, message: CopyWanted) -> None:
        self.copy_to_clipboard(message.text)
        lines = counted(message.text.count("\n") + 1, "line")
        self.notify(f"Copied {message.what}, {lines}; {HOW_COPIED}.", markup=False)
