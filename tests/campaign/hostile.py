"""Hostile histories, by a seed: sound groups with strangers beside them are answered for as without the strangers.

Put here the judging of one history. How many are judged, and for how long, is said in `__main__` and `test_hostile`.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tests.campaign.answers import BrokenError, ask_everything, built, differences, partitions_of, rows_about
from tests.campaign.histories import put, silent, woven, write
from tests.campaign.sound_groups import GROUPS, TOPICS, sound_events
from tests.campaign.strangers import TOPICS_OF_PRODUCERS, batches_of_producers, filled, names_of_strangers, slots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.campaign.histories import Event

NOTHING: Final[Mapping[str, Sequence[bytes]]] = MappingProxyType({})


def judge_seed(seed: int, scratch: Path) -> Counter[str]:
    """Judge the history of a seed."""
    dice = random.Random(seed)  # noqa: S311 - made up, not secret
    names = names_of_strangers(dice)
    strange = {slot.number: filled(slot, dice, names) for slot in slots(len(sound_events()))}
    topics = dice.sample(TOPICS_OF_PRODUCERS, 3)
    judge(strange, scratch, {topic: batches_of_producers(dice) for topic in topics})
    return Counter({"histories with strangers": 1})


def judge(strange: Mapping[int, Event], scratch: Path, produced: Mapping[str, Sequence[bytes]] = NOTHING) -> None:
    """Run over sound groups and strangers; refuse any difference for the sound ones, and ask every command."""
    with TemporaryDirectory(dir=scratch) as folder:
        warehouse = warehouse_with_strangers(strange, Path(folder), produced)
        if sentences := differences(without_strangers(scratch), rows_about(warehouse, GROUPS, TOPICS)):
            raise BrokenError("\n".join(sentences))
        ask_everything(warehouse, partitions_of(warehouse))


@cache
def without_strangers(scratch: Path) -> dict[str, list[str]]:
    """What is answered about sound groups where nobody else wrote anything."""
    quiet = {slot.number: silent(slot.log_partition, slot.record_count) for slot in slots(len(sound_events()))}
    return rows_about(warehouse_with_strangers(quiet, scratch / "without"), GROUPS, TOPICS)


def warehouse_with_strangers(
    strange: Mapping[int, Event], folder: Path, produced: Mapping[str, Sequence[bytes]] = NOTHING
) -> Path:
    """A warehouse of sound groups and strangers, who also have topics of their own."""
    logs = write(folder / "data", woven(sound_events(), strange), TOPICS)
    for topic, batches in produced.items():
        put(logs / f"{topic}-0", batches)
    built(logs, folder / "warehouse")
    return folder / "warehouse"
