"""Names near to one that the warehouse does not have: what a mistyped group, topic or partition was meant to be.

Put here how nearness is measured, and in which words it is said. Which names there are belongs to whoever refuses one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dagster_project.cli.exits import CallRefusedError
from dagster_project.cli.terminal import pasteable, runs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dagster_project.cli.questions.answers import Answers

_MOST_NAMED: Final = 3
_NEAREST: Final = """
    SELECT name FROM (SELECT DISTINCT name FROM ({names})) ORDER BY _nearness(name, $wanted) DESC, name LIMIT {most}
"""


def nearest(answers: Answers, names: str, wanted: str, parameters: Mapping[str, object] | None = None) -> list[str]:
    """The names most like the wanted one, the most like first, of those that a query has in its column `name`."""
    question = _NEAREST.format(names=names, most=_MOST_NAMED)
    return [row["name"] for row in answers.rows(question, {**(parameters or {}), "wanted": wanted})]


def suggestion(names: Collection[str], otherwise: str) -> str:
    """The names as the end of a sentence, each as a shell takes it; or, without any, what to say instead."""
    shown = [pasteable(name) for name in names]
    if not shown:
        return otherwise
    return f"the nearest {'is' if len(shown) == 1 else 'are'} {', '.join(shown)}"


def partitions_there(topic: str, numbers: Collection[int]) -> str:
    """The partitions of a topic that there are, as the end of a sentence."""
    parts = runs(sorted(numbers))
    return f"of {pasteable(topic)} there {'is' if len(numbers) == 1 else 'are'} {', '.join(parts)}"


def refuse_unknown_place(
    answers: Answers, place: Mapping[str, Any], places: str, nothing: str, without_topics: str
) -> None:
    """Refuse a partition that is none of a group's, which a query has; name those of the topic, or the nearest topics.

    The refusal begins with what the group has nothing of, and ends otherwise where it has no topic.
    """
    group = {"group": place["group"]}
    there = {(row["name"], row["partition"]) for row in answers.rows(places, group)}
    if (place["topic"], place["partition"]) in there:
        return
    partitions = [partition for topic, partition in there if topic == place["topic"]]
    if partitions:
        end = partitions_there(place["topic"], partitions)
    else:
        end = suggestion(nearest(answers, places, place["topic"], group), without_topics)
    raise CallRefusedError(f"{nothing} at any time; {end}.")
