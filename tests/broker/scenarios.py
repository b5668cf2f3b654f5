"""All scenarios, by name, which is also the name of the group and of its topic.

Add one as a row of `scenarios_of_members` or `scenarios_of_upheavals`. Those of `scenarios_of_an_incident` share their
topics and are played together.
"""

from __future__ import annotations

from typing import Final

from tests.broker.scenarios_of_an_incident import SCENARIOS_OF_AN_INCIDENT
from tests.broker.scenarios_of_members import SCENARIOS_OF_MEMBERS
from tests.broker.scenarios_of_upheavals import SCENARIOS_OF_UPHEAVALS

SCENARIOS: Final = {**SCENARIOS_OF_AN_INCIDENT, **SCENARIOS_OF_MEMBERS, **SCENARIOS_OF_UPHEAVALS}
