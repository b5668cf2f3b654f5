"""Which incidents are new to a notifier."""

from __future__ import annotations

from typing import Any

from dagster_project.notifications.delivery_note import DeliveryNote
from dagster_project.notifications.novelty import Snapshot, after_delivery, after_look, new_incidents

ONE = frozenset({"c1"})


def shown(*, clusters: frozenset[str] = ONE, dealt_with: frozenset[str] = frozenset(), **severities: str) -> Snapshot:
    """A warehouse with these incidents of the cluster c1; those of c2 are named with a 2."""
    cluster_of = {one: "c2" if one.endswith("2") else "c1" for one in severities}
    return Snapshot(severities, cluster_of, clusters, dealt_with)


def looked(snapshot: Snapshot, note: DeliveryNote | None = None) -> DeliveryNote:
    """The note of a notifier that was sent nothing."""
    return after_look(snapshot, note or DeliveryNote(), ())


def test_what_is_there_at_the_first_look_is_known() -> None:
    """Whatever comes later is new."""
    first = shown(a="critical", b="low")
    assert new_incidents(first, DeliveryNote(), "high") == []
    assert new_incidents(shown(c="high", a="critical", b="low"), looked(first), "high") == ["c"]


def test_the_first_incident_of_a_warehouse_without_any_is_new() -> None:
    """A cluster is known by its logs, not by its incidents."""
    assert new_incidents(shown(a="high"), looked(shown()), "high") == ["a"]


def test_the_history_of_a_cluster_that_joins_is_known() -> None:
    """Each cluster has a first look of its own."""
    both = frozenset({"c1", "c2"})
    note = looked(shown(a="high"))
    joined = shown(clusters=both, a="high", b="high", old2="critical")
    assert new_incidents(joined, note, "high") == ["b"]
    note = after_look(joined, note, ["b"])
    assert new_incidents(shown(clusters=both, b="high", old2="critical", new2="high"), note, "high") == ["b", "new2"]


def test_what_was_sent_is_never_sent_again() -> None:
    """Even if it becomes graver, or goes and comes back."""
    note = after_delivery(looked(shown()), ["a"])
    for snapshot in (shown(a="high"), shown(), shown(a="critical")):
        assert new_incidents(snapshot, note, "high") == []
        note = after_look(snapshot, note, ())


def test_an_incident_that_becomes_grave_enough_is_new() -> None:
    """One that was too slight before, and one that was there at the first look."""
    note = looked(shown(a="medium", b="high"))
    assert new_incidents(shown(a="medium", b="high"), note, "high") == []
    assert new_incidents(shown(b="critical", a="high"), note, "high") == ["b", "a"]


def test_a_lower_bound_sends_no_history() -> None:
    """Incidents that were too slight count as known when the bound is lowered."""
    note = looked(shown(a="low"), looked(shown()))
    assert new_incidents(shown(a="low", b="low"), note, "low") == ["b"]


def test_what_somebody_dealt_with_is_not_sent() -> None:
    """Somebody knows of it."""
    assert new_incidents(shown(dealt_with=frozenset({"a"}), a="high"), looked(shown()), "high") == []


def test_what_could_not_be_sent_stays_new() -> None:
    """However often the notifier looks."""
    note: Any = looked(shown())
    for _ in range(3):
        assert new_incidents(shown(a="high"), note, "high") == ["a"]
        note = after_look(shown(a="high"), note, ["a"])
