"""Who held what, by what members wrote down, is read back only where it is sure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.broker.recorded import Recorded

if TYPE_CHECKING:
    from pathlib import Path


def recorded(folder: Path, events: list[dict[str, Any]], callbacks: dict[str, list[dict[str, Any]]]) -> Recorded:
    """Write what is read of a scenario."""
    home = folder / "some"
    home.mkdir()
    (home / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    (home / "processed").mkdir()
    for member, lines in callbacks.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (home / "processed" / f"some.{member}.assign.jsonl").write_text(text)
    return Recorded(home)


def callback(ms: int, what: str, *parts: int) -> dict[str, Any]:
    """A line of a member."""
    return {"ts": ms, "what": what, "parts": list(parts)}


def test_owners_are_known_between_rebalances(tmp_path: Path) -> None:
    """One member holds all until another comes; a moment of theirs is too near to be asked about."""
    events = [{"ts": ms, "kind": kind} for ms, kind in ((0, "start"), (10_000, "start"), (20_000, "describe"))]
    callbacks = {
        "first": [callback(1000, "assigned", 0, 1), callback(11_000, "revoked", 0, 1), callback(11_100, "assigned", 0)],
        "second": [callback(11_100, "assigned", 1)],
    }
    assert list(recorded(tmp_path, events, callbacks).quiet()) == [
        (5500, {0: "first", 1: "first"}),
        (15_550, {0: "first", 1: "second"}),
    ]


def test_what_a_killed_member_held_is_not_known(tmp_path: Path) -> None:
    """The group misses it some time; once another holds its partitions, that is known again."""
    events = [{"ts": 10_000, "kind": "kill", "member": "first"}, {"ts": 30_000, "kind": "describe"}]
    callbacks = {"first": [callback(1000, "assigned", 0)], "second": [callback(20_000, "assigned", 0)]}
    assert list(recorded(tmp_path, events, callbacks).quiet()) == [(5500, {0: "first"}), (25_000, {0: "second"})]


def test_what_a_static_member_held_when_it_left_is_not_known(tmp_path: Path) -> None:
    """It gives its partitions back without telling the group."""
    events = [
        {"ts": 0, "kind": "start", "member": "first", "group.instance.id": "first"},
        {"ts": 10_000, "kind": "stop", "member": "first"},
        {"ts": 30_000, "kind": "describe"},
    ]
    callbacks = {"first": [callback(1000, "assigned", 0), callback(10_100, "revoked", 0)]}
    assert list(recorded(tmp_path, events, callbacks).quiet()) == [(5500, {0: "first"})]


def test_a_static_member_that_comes_back_is_who_it_was(tmp_path: Path) -> None:
    """The broker keeps the client that it knew it by first."""
    events = [
        {"ts": 0, "kind": "start", "member": "first", "group.instance.id": "one"},
        {"ts": 10_000, "kind": "kill", "member": "first"},
        {"ts": 11_000, "kind": "start", "member": "again", "group.instance.id": "one"},
        {"ts": 30_000, "kind": "describe"},
    ]
    callbacks = {"first": [callback(1000, "assigned", 0)], "again": [callback(12_000, "assigned", 0)]}
    assert list(recorded(tmp_path, events, callbacks).quiet()) == [(5500, {0: "first"}), (21_000, {0: "first"})]
