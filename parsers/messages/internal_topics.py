"""The records of __transaction_state and __share_group_state as columns.

Put here which record types those topics have. Their fields are in `parsers.layouts`, how keys and values are read is
in `parsers.messages.topic_records`; `__consumer_offsets` has a module of its own, `parsers.messages.record_types`.
"""

from __future__ import annotations

from typing import Final

from parsers.layouts.share_group_state import SHARE_SNAPSHOT, SHARE_STATE_KEY, SHARE_UPDATE
from parsers.layouts.transaction_state import TRANSACTION, TRANSACTION_KEY
from parsers.messages.topic_records import Kind, Topic

TRANSACTION_STATE: Final = Topic(TRANSACTION_KEY, {"transaction": Kind((0,), TRANSACTION)})

SHARE_GROUP_STATE: Final = Topic(
    SHARE_STATE_KEY, {"share_snapshot": Kind((0,), SHARE_SNAPSHOT), "share_update": Kind((1,), SHARE_UPDATE)}
)
