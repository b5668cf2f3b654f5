"""What is claimed of groups that commit any numbers: models end, and what Lagbook promises of claims holds."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from great_expectations.expectations.metadata_types import FailureSeverity

from assets import models
from dagster_project.rules.declared_rules import name_of
from dagster_project.rules.rule import suspects
from dagster_project.rules.rule_sql import in_sql
from expectations.suites import SUITES
from tests.assets import test_replays, test_skips
from tests.assets.rows import computed_replays, copied
from tests.campaign.strangers import LARGEST, numbers_of

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

OFFSETS: Final = (*numbers_of(64), 5, 50, 90, 100, 140, 1000)
STATES: Final = ("Empty", "Stable", "Stable", "PreparingRebalance", "Dead")
ENDINGS: Final = ("left_or_expired", "revoked", "replaced", "removed")
SEEDS: Final = range(2)
HISTORIES: Final = 10


def broken(database: duckdb.DuckDBPyConnection, table: str, claims: str) -> list[str]:
    """The blocking rules of a table that some claims break."""
    database.execute(f"CREATE OR REPLACE TEMP TABLE claims AS {claims}")
    rules = [rule for rule in SUITES[table] if rule.severity == FailureSeverity.CRITICAL]
    return [name_of(rule) for rule in rules if database.execute(suspects("claims", in_sql(table, rule))).fetchall()]


def tell(story: Any, dice: Random) -> None:  # noqa: ANN401 - of replays or of skips, which are told alike
    """A group's life: commits of any numbers, removals, states, owners, a log that begins and ends anywhere."""
    position = 1
    for _ in range(dice.randrange(4, 30)):
        position += dice.choice((1, 1, 2, 30))
        what = dice.random()
        if what < 0.5:
            story.commit(position, dice.choice(OFFSETS))
        elif what < 0.6:
            story.commit(position, None)
        elif what < 0.75:
            story.state(position, dice.choice(STATES), is_gap_free=dice.random() < 0.9)
        elif what < 0.85:
            owned(story, dice, position)
        else:
            written(story, dice, position)


def owned(story: Any, dice: Random, position: int) -> None:  # noqa: ANN401
    """Somebody owns the partition, until the end or for a while."""
    if isinstance(story, test_skips.Story):
        story.owner(position, dice.choice("ab"))
    else:
        end = position + dice.choice((1, 5, 40)) if dice.random() < 0.8 else None
        story.owner(position, end, dice.choice(ENDINGS))


def written(story: Any, dice: Random, position: int) -> None:  # noqa: ANN401
    """The log has a batch somewhere, or begins somewhere."""
    where = [offset for offset in OFFSETS if 0 <= offset < LARGEST]
    if isinstance(story, test_skips.Story):
        story.log(position, start=dice.choice(where), end=dice.choice(where))
    elif dice.random() < 0.3:
        story.log_start(position, dice.choice(where))
    else:
        first = dice.choice(where)
        story.batch(position, first, min(first + dice.choice((0, 9, 1000)), LARGEST - 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_committed_replays_keep_their_promises(read_by_macros: Path, seed: int) -> None:
    """No number ends the model, and no range leaves the one around it."""
    dice = Random(seed)  # noqa: S311 - examples, no secrets
    for number in range(HISTORIES):
        with copied(read_by_macros) as database:
            tell(test_replays.Story(database), dice)
            database.register("computed_rows", computed_replays(database))
            assert broken(database, "mart.replays", "FROM computed_rows") == [], number


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_committed_skips_keep_their_promises(read_by_macros: Path, seed: int) -> None:
    """No number ends the model, and no range leaves the one around it."""
    dice = Random(seed)  # noqa: S311 - examples, no secrets
    for number in range(HISTORIES):
        with copied(read_by_macros) as database:
            tell(test_skips.Story(database), dice)
            assert broken(database, "mart.skips", models.select("skips")) == [], number
