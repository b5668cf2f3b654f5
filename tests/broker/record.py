"""`make record`: play the scenarios on real brokers and keep what they wrote, what they said and what truly happened.

What is played on which brokers, and when these are copied, belongs here. How a recording is laid out is in `corpus`.
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Final

import click

from tests.broker.clients import Clients
from tests.broker.cluster import running
from tests.broker.commands import Commands
from tests.broker.corpus import (
    truth_of,
    write_broker_log,
    write_logs,
    write_scenario,
    write_scenarios,
    write_truth,
)
from tests.broker.maven import cache
from tests.broker.releases import ADMINISTRABLE, NEWEST, RELEASES
from tests.broker.scenario import BROKERS
from tests.broker.scenarios import SCENARIOS
from tests.broker.settings import EAGER_CLEANER, SMALL
from tests.broker.stage import PARTITIONS, Stage
from tests.broker.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.broker.cluster import Cluster
    from tests.broker.releases import Release
    from tests.broker.scenario import Brokers
    from tests.broker.truth import Truth

PLAYABLE: Final = [version for version, release in RELEASES.items() if release.since(ADMINISTRABLE)]
ROLLED: Final = "rolled"
CLEANER_RESTS_S: Final = 20


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(SCENARIOS)))
@click.option("--kafka", default=NEWEST, type=click.Choice(PLAYABLE), help="The release to play them on.")
@click.option("--out", type=click.Path(path_type=Path), help="Default: a folder beside the cached jars.")
def main(names: tuple[str, ...], kafka: str, out: Path | None) -> None:
    """Play the named scenarios, or all of them, and write the recording."""
    to = (out or cache() / "recorded") / f"kafka-{kafka}"
    if to.exists():
        raise click.ClickException(f"{to} is there already; move it away or give another --out.")
    to.mkdir(parents=True)
    failures = record(RELEASES[kafka], names or tuple(SCENARIOS), to)
    sys.stdout.write(f"{to}\n")
    if failures:
        raise click.ClickException(
            "\n".join(f"{name} did not come to its end: {why}" for name, why in failures.items())
        )


@dataclass(frozen=True)
class Played:
    """One scenario that was played."""

    name: str
    truth: Truth
    failure: str | None


def record(release: Release, names: Sequence[str], to: Path) -> dict[str, str]:
    """Play scenarios on a release and write what is kept of them into a folder; those that failed, and why."""
    reasons = {name: SCENARIOS[name].why_not(release) for name in names}
    playable = [name for name in names if reasons[name] is None]
    groups = ([name for name in playable if SCENARIOS[name].on == brokers] for brokers in BROKERS)
    played = [one for some in groups if some for one in _record_together(release, some, to)]
    write_truth(to, {one.name: one.truth for one in played})
    failures = {one.name: one.failure for one in played if one.failure}
    write_scenarios(
        to,
        [
            {"scenario": name, "brokers": SCENARIOS[name].on, "why_not": reasons[name], "failure": failures.get(name)}
            for name in names
        ],
    )
    return failures


def _record_together(release: Release, names: Sequence[str], to: Path) -> list[Played]:
    """Play scenarios that share a set of brokers, and copy the brokers' logs before and after the cleaner."""
    on = SCENARIOS[names[0]].on
    folder = to / f"brokers-{on}"
    folder.mkdir()
    with (
        tempfile.TemporaryDirectory() as scratch,
        running(release, Path(scratch) / "cluster", BROKERS[on].count, **BROKERS[on].settings) as cluster,
    ):
        stages = play(cluster, names, Path(scratch), BROKERS[on])
        for stage in stages:
            write_scenario(stage, to / stage.name)
        write_logs(cluster.brokers, folder / "before-cleaner.tar.xz")
        if BROKERS[on].cleaned:
            clean(cluster, stages[0].clients, stages[0].commands)
            write_logs(cluster.brokers, folder / "after-cleaner.tar.xz")
        for broker in cluster.brokers:
            write_broker_log(broker, folder)
        return [Played(stage.name, truth_of(stage), stage.failure) for stage in stages]


def play(cluster: Cluster, names: Sequence[str], scratch: Path, brokers: Brokers) -> list[Stage]:
    """Play scenarios that share a cluster, some at the same time."""
    clients, commands = Clients(cluster, scratch / "clients"), Commands(cluster, scratch / "commands")
    for topic, partitions in brokers.topics.items():
        commands.create_topic(topic, partitions)
    meeting = Barrier(len(names))
    stages = [
        Stage(name, topic, cluster, clients, commands, meeting, brokers.topics.get(topic, PARTITIONS))
        for name, topic in ((name, SCENARIOS[name].topic or name) for name in names)
    ]
    with ThreadPoolExecutor(brokers.at_once) as players:
        tuple(players.map(lambda stage: stage.play(SCENARIOS[stage.name].steps), stages))
    return stages


def clean(cluster: Cluster, clients: Clients, commands: Commands) -> None:
    """Let brokers clean the offsets topic; a second commit to each of its partitions makes it roll what there is.

    Groups whose names end in consecutive digits live in consecutive partitions.
    """
    partitions = range(int(SMALL["offsets.topic.num.partitions"]))
    for broker in cluster.brokers:
        broker.restart(**EAGER_CLEANER)
    commands.create_topic(ROLLED, 1)
    for number in (*partitions, *partitions):
        clients.commit(f"roll-{number}", {(ROLLED, 0): 1})
    for broker in cluster.brokers:
        wait_until(lambda: broker.cleaner_rests(CLEANER_RESTS_S), "the cleaner to finish")  # noqa: B023 - called now


if __name__ == "__main__":
    main()
