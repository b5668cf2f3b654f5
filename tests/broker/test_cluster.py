"""What a cluster is given before it starts leaves nothing to chance: its id, its ports, and what if one is taken."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from tests.broker import cluster
from tests.broker.cluster import PORTS, free_ports, new_cluster_id, running
from tests.broker.commands import Commands
from tests.broker.conftest import available
from tests.broker.releases import NEWEST
from tests.broker.settings import HOST

if TYPE_CHECKING:
    from pathlib import Path

DASH_FIRST = UUID(bytes=b"\xf8" + bytes(15))
LETTER_FIRST = UUID(bytes=bytes(16))


def test_a_cluster_id_never_begins_with_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in 64 would, and Kafka's own tools would take it for an option; the next one is taken then."""
    cluster_ids = iter([DASH_FIRST, DASH_FIRST, LETTER_FIRST])
    monkeypatch.setattr(cluster, "uuid4", lambda: next(cluster_ids))
    assert new_cluster_id() == "A" * 22
    assert next(cluster_ids, None) is None


def test_free_ports_are_different_and_given_to_no_connection() -> None:
    """None comes twice, and all lie below those that a system takes for outgoing connections."""
    ports = free_ports(20)
    assert len(set(ports)) == 20
    assert set(ports) <= set(PORTS)


def test_a_port_that_somebody_has_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are asked for."""
    with closing(socket.socket()) as held:
        held.bind((HOST, 0))
        taken = held.getsockname()[1]
        monkeypatch.setattr(cluster, "PORTS", range(taken - 100, taken + 1))
        assert taken not in free_ports(101)


@pytest.mark.slow
def test_a_port_that_is_taken_meanwhile_costs_a_second_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ports that are given out are somebody else's; the broker comes up on the next."""
    with closing(socket.create_server((HOST, 0))) as other:
        taken = other.getsockname()[1]
        given = iter([[taken, *free_ports(1)], free_ports(2)])
        monkeypatch.setattr(cluster, "free_ports", lambda _: next(given))
        with running(available(NEWEST), tmp_path / "cluster") as started:
            assert started.broker.node.port != taken
            assert Commands(started, tmp_path / "commands").groups() == set()
