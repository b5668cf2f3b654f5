"""A Java that calls Kafka's commands and the clients of these tests, one after the other, without starting each anew.

Asking and the answer belong here. What is asked is in `commands` and `clients`.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING, Final

from tests.broker.compiler import classpath
from tests.broker.jvm import Program, command
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.broker.releases import Release

HEAP_MB: Final = 256
ANSWER_TIMEOUT_S: Final = 400
LOOK_EVERY_S: Final = 0.01
END_OF_ANSWER: Final = re.compile(rb"\n\x04(\d+)\n\Z")
BETWEEN_WORDS: Final = "\x1f"


class Desk:
    """One such Java, with the jars of one release; it starts with the first question."""

    def __init__(self, release: Release, folder: Path) -> None:
        """Keep what is asked and answered in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self._release, self._folder, self._lock = release, folder, Lock()
        self._program: Program | None = None

    def ask(self, name: str, *words: str) -> str:
        """Call a class's main method; what it printed."""
        with self._lock:
            program = self._running()
            sent_bytes, logged = program.out.stat().st_size, program.err.stat().st_size
            program.say(BETWEEN_WORDS.join((name, *words)) + "\n")
            code, answer = self._answer(program, sent_bytes, name)
        if code or answer.lstrip().startswith("Error"):
            log = program.err.read_bytes()[logged:].decode(errors="replace")
            raise RuntimeError(f"{name} {' '.join(words)} failed: {answer}{log}")
        return answer

    def _running(self) -> Program:
        if self._program is None or not self._program.running:
            java = command(classpath(self._release, self._folder), HEAP_MB, self._folder, "ERROR")
            out, err = self._folder / "answers.txt", self._folder / "desk.log"
            self._program = Program([*java, "Desk"], out, err)
        return self._program

    def _answer(self, program: Program, start: int, name: str) -> tuple[int, str]:
        def ended() -> bool:
            return END_OF_ANSWER.search(_tail(program.out, start)) is not None or not program.running

        wait_until(ended, f"{name} to answer", ANSWER_TIMEOUT_S, LOOK_EVERY_S)
        whole = program.out.read_bytes()[start:]
        end = END_OF_ANSWER.search(whole)
        if end is None:
            raise RuntimeError(f"{name} ended Java: {program.err.read_text(errors='replace')[-3000:]}")
        return int(end[1]), whole[: end.start()].decode(errors="replace")


def _tail(path: Path, start: int) -> bytes:
    """The last bytes of a file that is written to, from `start` on."""
    with path.open("rb") as file:
        file.seek(max(start, path.stat().st_size - 16))
        return file.read()
