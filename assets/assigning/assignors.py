"""Every assignor by the name that groups call it, and whether it is a client's or the broker's.

Put the list here. The rules are in the modules of their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assets.assigning.ranges import assign_ranges
from assets.assigning.round_robin import assign_round_robin
from assets.assigning.sticky import assign_cooperative_sticky, assign_sticky
from assets.assigning.uniform import assign_uniform

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assets.assigning.members import Assignment, Member, Topics

    Assignor = Callable[[Topics, Sequence[Member]], Assignment]

OF_CLIENTS: Final[Mapping[str, Assignor]] = {
    "range": assign_ranges,
    "roundrobin": assign_round_robin,
    "sticky": assign_sticky,
    "cooperative-sticky": assign_cooperative_sticky,
}
"""The assignors of a classic group's leader."""

OF_BROKERS: Final[Mapping[str, Assignor]] = {"uniform": assign_uniform, "range": assign_ranges}
"""The assignors of a consumer group's coordinator (KIP-848)."""
