"""The whole pipeline: the steps of all layers. `assets.asset_specs` makes Dagster's assets of them.

Put nothing else here.
"""

from typing import Final

from assets import core, marts, raw
from assets.steps.step import Step

STEPS: Final[tuple[Step, ...]] = (*raw.STEPS, *core.STEPS, *marts.STEPS)
