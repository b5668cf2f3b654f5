"""One run at a time may write: others wait, for a living one so long, for a dead one not at all."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assets.storage import lease
from assets.storage.lease import holder, last_sign, waited_for, writer_lease
from assets.storage.warehouse import Warehouse
from parsers.errors import BusyError, WarehouseError
from tests.broker.waiting import wait_until
from tests.store import store_apart, url

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
HOLD = """
import sys
from assets.storage.warehouse import Warehouse
from assets.storage.lease import writer_lease
with writer_lease(Warehouse(sys.argv[1]), 60):
    print("held", flush=True)
    sys.stdin.readline()
print("given back", flush=True)
"""


@contextmanager
def holding(place: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the lease of a warehouse until it reads a line."""
    call = [sys.executable, "-c", HOLD, place]
    with subprocess.Popen(call, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    """An empty warehouse."""
    return Warehouse(str(tmp_path / "wh"))


def test_the_lease_is_given_back(warehouse: Warehouse) -> None:
    """While it is held its holder is told, with a sign of life; afterwards there is none, also after a failure."""
    assert holder(warehouse) is None
    with writer_lease(warehouse, 0):
        owner = holder(Warehouse(warehouse.url))
        assert owner is not None
        wait_until(lambda: last_sign(warehouse, owner) is not None, "a sign of life")
    assert holder(Warehouse(warehouse.url)) is None
    with pytest.raises(ZeroDivisionError), writer_lease(warehouse, 0):
        raise ZeroDivisionError
    assert holder(Warehouse(warehouse.url)) is None
    assert list(Path(warehouse.url).rglob("_alive/*")) == []


def test_one_who_is_at_work_is_waited_for(warehouse: Warehouse) -> None:
    """Not longer than asked, and then the sentence names the process; when it has ended the next one is in."""
    with holding(warehouse.url) as other:
        with (
            pytest.raises(BusyError, match=rf"another run is at work, process {other.pid} on .*, since 20"),
            writer_lease(warehouse, 0.2),
        ):
            pass
        assert other.stdin is not None
        other.stdin.write("\n")
        other.stdin.flush()
        with writer_lease(warehouse, 30):
            owner = holder(warehouse)
    assert owner is not None
    assert owner.pid != other.pid


def test_who_notifies_waits_for_no_run(warehouse: Warehouse) -> None:
    """Nor a run for who notifies: each has a lease of its own, and only the like exclude each other."""
    with writer_lease(warehouse, 0), lease.lease(warehouse, 0, lease.NOTIFICATIONS):
        with pytest.raises(BusyError), lease.lease(warehouse, 0, lease.NOTIFICATIONS):
            pass
        assert holder(warehouse) is not None
    assert holder(warehouse, lease.NOTIFICATIONS) is None


def test_one_who_was_killed_is_not_waited_for(warehouse: Warehouse) -> None:
    """On the same machine that is seen at once."""
    with holding(warehouse.url) as other:
        other.kill()
        other.wait()
        assert holder(warehouse) is None
        with writer_lease(warehouse, 0):
            assert holder(warehouse) is not None


def test_one_on_another_machine_is_dead_when_it_is_silent(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its processes can't be seen from here, so its signs of life are watched, whatever its clock says."""
    monkeypatch.setattr(lease, "BEAT_S", 0.05)
    monkeypatch.setattr(lease, "LOOK_AGAIN_S", 0.05)
    with writer_lease(warehouse, 0), monkeypatch.context() as elsewhere:
        elsewhere.setattr(lease, "_machine", lambda: "another machine")
        elsewhere.setattr(lease, "SILENT_S", 1.0)
        with pytest.raises(BusyError), writer_lease(Warehouse(warehouse.url), 2.5):
            pass
        elsewhere.setattr(lease, "last_sign", lambda *_: "the same for ever")
        with writer_lease(Warehouse(warehouse.url), 30):
            owner = holder(warehouse)
    assert owner is not None
    assert owner.machine == "another machine"


@pytest.mark.parametrize(("word", "other"), [("holder", "h\\\\older"), ("machine", "oachine"), ("lease_id", "")])
def test_a_holder_that_can_not_be_read_is_a_sentence(warehouse: Warehouse, word: str, other: str) -> None:
    """A bit flipped in its commit: whoever asks a question is told, and gets no traceback."""
    with writer_lease(warehouse, 0):
        commit = max(Path(warehouse.table_url(lease.FULL_NAME), "_delta_log").glob("*.json"))
        commit.write_text(commit.read_text("utf-8").replace(f'{word}\\"', f'{other}\\"'), encoding="utf-8")
        with pytest.raises(WarehouseError, match=r"replay/lease.* can't be read"):
            holder(Warehouse(warehouse.url))


def test_one_who_was_passed_over_gives_nothing_back(warehouse: Warehouse) -> None:
    """It was stopped for long and wakes up: the lease is another's by then."""
    with writer_lease(warehouse, 0):
        mine = holder(warehouse)
        assert mine is not None
        other = replace(mine, lease_id="other")
        warehouse.begin(lease.table()).remember({"holder": {name: getattr(other, name) for name in other.__slots__}})
    assert holder(Warehouse(warehouse.url)) == other


def test_a_place_that_can_not_be_written_is_a_sentence(tmp_path: Path) -> None:
    """It is not taken for somebody else's lease, and nobody is waited for."""
    (tmp_path / "file").touch()
    with (
        pytest.raises(WarehouseError, match="can't be written"),
        writer_lease(Warehouse(str(tmp_path / "file" / "wh")), 60),
    ):
        pass


def test_a_store_has_leases_too() -> None:
    """Also one that is too busy for every seventh request."""
    with store_apart(7):
        with writer_lease(Warehouse(url("leased")), 60):
            with pytest.raises(BusyError), writer_lease(Warehouse(url("leased")), 0):
                pass
            assert holder(Warehouse(url("leased"))) is not None
        assert holder(Warehouse(url("leased"))) is None


@pytest.mark.parametrize("text", ["-1", "soon", "nan", "inf", "86401"])
def test_a_time_that_can_not_be_waited_is_refused(text: str) -> None:
    """The sentence says what may be given."""
    with pytest.raises(ValueError, match="give seconds, 0 to 86400"):
        waited_for(text)
    assert waited_for("0") == 0
