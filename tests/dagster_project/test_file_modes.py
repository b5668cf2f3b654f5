"""A real run: its files are for their owner and group alone, and nothing of it listens beyond this machine."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from dagster_project.cli.operations.demo import unpack
from dagster_project.file_modes import restricted
from parsers.errors import SourceError
from tests.processes import below

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
LISTEN: Final = "0A"
LOOPBACK: Final = ("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F")
"""127.0.0.1, ::1 and ::ffff:127.0.0.1, as the kernel prints them."""


def listening(pids: list[int]) -> Iterator[str]:
    """The addresses that these processes listen on."""
    sockets = {one for pid in pids for one in _sockets(pid)}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTEN and fields[9] in sockets:
                yield fields[1].partition(":")[0]


def _sockets(pid: int) -> Iterator[str]:
    try:
        links = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return
    yield from (link[8:-1] for link in links if link.startswith("socket:["))


@pytest.mark.skipif(sys.platform != "linux", reason="sockets are looked up in /proc")
def test_a_run_writes_for_owner_and_group_alone_and_listens_on_loopback_alone(tmp_path: Path) -> None:
    """With Spark: its interface is off, its driver and its workers' sockets are bound to this machine."""
    recorded, logs, warehouse = unpack(tmp_path), tmp_path / "logs", tmp_path / "wh"
    logs.mkdir()
    shutil.move(recorded / "__consumer_offsets-17", logs)
    words = ("-m", "dagster_project.cli", "run", "--logs", str(logs), "--warehouse", str(warehouse))
    addresses: set[str] = set()
    with subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, umask=0o022
    ) as run:
        while run.poll() is None:
            addresses |= set(listening([run.pid, *below(run.pid)]))
            time.sleep(0.2)
    assert run.returncode == 0
    assert addresses, "Spark's driver listens for its workers"
    assert addresses - set(LOOPBACK) == set()
    paths = [warehouse, *warehouse.rglob("*")]
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}
    assert modes == {(True, 0o750), (False, 0o640)}


@pytest.mark.parametrize(("own", "named", "mask"), [(0o022, "", 0o027), (0o077, "", 0o077), (0o077, "002", 0o002)])
def test_the_stricter_mask_counts_unless_one_is_named(own: int, named: str, mask: int) -> None:
    """And the process has its own again afterwards."""
    before = os.umask(own)
    try:
        with restricted({"LAGBOOK_UMASK": named}):
            inside = os.umask(0)
            os.umask(inside)
        assert inside == mask
        assert os.umask(own) == own
    finally:
        os.umask(before)


@pytest.mark.parametrize("named", ["rw-r-----", "888", "0o27", "-1"])
def test_a_mask_that_is_no_octal_number_is_refused(named: str) -> None:
    """Rather than taken for another."""
    before = os.umask(0o022)
    os.umask(before)
    with (
        pytest.raises(SourceError, match="LAGBOOK_UMASK: expected an octal number"),
        restricted({"LAGBOOK_UMASK": named}),
    ):
        pass
    after = os.umask(before)
    assert after == before
