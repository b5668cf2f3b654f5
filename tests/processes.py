"""Processes of this machine, as Linux shows them: which of them a process started, and what they are.

Only the looking belongs here. Who is killed is decided by the tests that kill.
"""

from __future__ import annotations

from pathlib import Path


def below(pid: int) -> list[int]:
    """The processes that a process started, and those that they started."""
    pids = [pid]
    parents = {int(path.name): _parent(path) for path in Path("/proc").iterdir() if path.name.isdecimal()}
    for one in pids:
        pids += [child for child, parent in parents.items() if parent == one]
    return pids[1:]


def command(pid: int) -> bytes:
    """The words that a process was started with; nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def of_session(session: int) -> list[int]:
    """The processes of a session, whoever their parents are by now; those that ended and wait are none."""
    numbers = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())
    return [pid for pid in numbers if _session(pid) == session]


def _session(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return 0 if fields[0] == "Z" else int(fields[3])
    except (OSError, ValueError, IndexError):
        return 0
