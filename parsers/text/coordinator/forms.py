"""What a group coordinator writes into the broker's own text log: a row per form of line, from Kafka 0.11 to 4.x.

Put here what a line says and by which words it is known. How lines are read is in `parsers.text.coordinator.log`.

Group ids, member ids, client ids, instance ids and the reasons that clients give are printed as they are, and whoever
chooses them can write most of a line. So they are taken from between words that stand in the line once; where these
words stand in it twice, the line can be read in two ways, and nothing is taken from it. Whoever has a line break in his
name can write a line of his own: what only this log says is a hint, and no proof.
"""

from __future__ import annotations

from typing import Final, NamedTuple

FREE: Final = ("group_id", "member_id", "client_id", "group_instance_id", "reason", "other")
"""What may be any text; `other` is let go."""
EXACT: Final = {
    "generation": r"[0-9]{1,10}",
    "member_count": r"[0-9]{1,10}",
    "log_partition": r"[0-9]{1,10}",
    "from_state": r"[A-Za-z]{1,30}",
    "number": r"-?[0-9]{1,19}",
    "word": r"[A-Za-z]{1,30}",
    "host": r"[0-9A-Za-z.:%/_-]{1,255}",
    "assignor": r"[^']{0,255}",
    "epoch": r"(?:Some\([0-9]{1,10}\)|None|OptionalInt\[[0-9]{1,10}\]|OptionalInt\.empty)",
}
"""What can only be one word or number; from `number` on it is let go."""

PREPARING: Final = "PreparingRebalance"
COMPLETING: Final = "CompletingRebalance"
STABLE: Final = "Stable"
EMPTY: Final = "Empty"
DEAD: Final = "Dead"


class CoordinatorForm(NamedTuple):
    """One form of line: what happened, the state that the group goes to by it, who writes it, and its words."""

    event: str
    to_state: str | None
    releases: str
    """Of the releases 0.11, 1.1, 2.8, 3.9 and 4.3 those whose coordinator writes it."""
    template: str
    """Names in braces stand for what EXACT and FREE say, all else for itself."""


_LEFT: Final = " has left group through explicit `LeaveGroup` request; client reason: {reason}"
_JOINS: Final = "Dynamic member with unknown member id joins group {group_id} in {from_state} state. "
_STATIC: Final = (
    "Static member with groupInstanceId={group_instance_id} and unknown member id joins group {group_id} in "
    "{from_state} state. "
)
_MEMBER: Final = (
    "Member MemberMetadata(memberId={member_id}, groupInstanceId={group_instance_id}, clientId={client_id}, "
    "clientHost={host}, sessionTimeoutMs={number}, rebalanceTimeoutMs={number}, supportedProtocols=List({other})) "
)
_RECEIVED: Final = "for generation {generation}. The group has {member_count} members, {number} of which are static."
_PREPARING: Final = "Preparing to rebalance group {group_id} "
_STABILIZED: Final = "Stabilized group {group_id} generation {generation} "
_UNLOADED: Final = "Finished unloading __consumer_offsets-{log_partition}"
_LOADED: Final = "Finished loading offsets and group metadata from __consumer_offsets-{log_partition} in "
_FINISHED: Final = (
    "Finished loading of metadata from __consumer_offsets-{log_partition} with epoch {number} in {number}ms "
)

FORMS: Final = tuple(
    CoordinatorForm(*row)
    for row in (
        # What happened to a classic group.
        ("rebalance_begins", PREPARING, "0.11 1.1",
            _PREPARING + "with old generation {generation} (__consumer_offsets-{log_partition})"),
        ("rebalance_begins", PREPARING, "2.8 3.9",
            _PREPARING + "in state {word} with old generation {generation} (__consumer_offsets-{log_partition}) "
            "(reason: {reason})"),
        ("rebalance_begins", PREPARING, "4.3",
            _PREPARING + "in state {word} with old generation {generation} (reason: {reason})."),
        ("members_joined", COMPLETING, "0.11 1.1", _STABILIZED + "(__consumer_offsets-{log_partition})"),
        ("members_joined", COMPLETING, "2.8 3.9",
            _STABILIZED + "(__consumer_offsets-{log_partition}) with {member_count} members"),
        ("members_joined", COMPLETING, "4.3", _STABILIZED + "with {member_count} members."),
        ("assignment_received", STABLE, "0.11 1.1",
            "Assignment received from leader for group {group_id} for generation {generation}"),
        ("assignment_received", STABLE, "2.8", "Assignment received from leader for group {group_id} " + _RECEIVED),
        ("assignment_received", STABLE, "3.9 4.3",
            "Assignment received from leader {member_id} for group {group_id} " + _RECEIVED),
        ("group_is_empty", EMPTY, "0.11 1.1 2.8 3.9",
            "Group {group_id} with generation {generation} is now empty (__consumer_offsets-{log_partition})"),
        ("group_is_empty", EMPTY, "4.3", "Group {group_id} with generation {generation} is now empty."),
        ("group_is_dead", DEAD, "0.11 1.1 2.8 3.9",
            "Group {group_id} transitioned to Dead in generation {generation}"),
        ("no_member_rejoined", None, "2.8 3.9",
            "Group {group_id} could not complete rebalance because no members rejoined"),
        ("no_member_rejoined", None, "4.3",
            "Group {group_id} could not complete rebalance because no members rejoined."),
        ("members_removed", None, "2.8 3.9 4.3",
            "Group {group_id} removed dynamic members who haven't joined: {reason}"),
        ("members_removed", None, "2.8 3.9",
            "Group {group_id} removed members who haven't sent their sync request: {reason}"),
        ("members_removed", None, "4.3",
            "Group {group_id} removed members who haven't sent their sync requests: {reason}"),
        # What happened to a member of one.
        ("member_failed", None, "0.11 1.1 2.8 3.9",
            "Member {member_id} in group {group_id} has failed, removing it from the group"),
        ("member_failed", None, "4.3",
            "Member {member_id} in group {group_id} has failed, removing it from the group."),
        ("pending_member_failed", None, "2.8 3.9 4.3",
            "Pending member {member_id} in group {group_id} has been removed after session timeout expiration."),
        ("member_left", None, "2.8",
            ("Member[group.instance.id {group_instance_id}, member.id {member_id}] in group {group_id} has left, "
            "removing it from the group")),
        ("member_left", None, "3.9",
            _MEMBER + "has left group {group_id} through explicit `LeaveGroup`; client reason: {reason}"),
        ("member_left", None, "4.3", "[Group {group_id}] Member {member_id}" + _LEFT),
        ("pending_member_left", None, "4.3", "[Group {group_id}] Pending member {member_id}" + _LEFT),
        ("member_gets_id", None, "2.8 3.9",
            _JOINS + "Created a new member id {member_id} and request the member to rejoin with this id."),
        ("member_gets_id", None, "4.3",
            _JOINS + "Created a new member id {member_id} and requesting the member to rejoin with this id."),
        ("member_joins", None, "3.9 4.3",
            ("Pending dynamic member with id {member_id} joins group {group_id} in {from_state} state. "
            "Adding to the group now.")),
        ("static_member_joins", None, "2.8",
            ("Static Member with unknown member id joins group {group_id} in {from_state} state. "
            "Created a new member id {member_id} for this member and add to the group.")),
        ("static_member_joins", None, "3.9",
            _STATIC + "Created a new member id {member_id} for this member and add to the group."),
        ("static_member_joins", None, "4.3",
            _STATIC + "Created a new member id {member_id} for this member and added to the group."),
        ("static_member_returns", None, "2.8",
            ("Static member {group_instance_id} of group {group_id} with unknown member id rejoins, "
            "assigning new member id {member_id}, while old member id {other} will be removed.")),
        ("static_member_returns", None, "3.9 4.3",
            _STATIC + "Replacing previously mapped member {other} with this groupInstanceId."),
        # What happened to a group of KIP-848 and its kin, and to its members.
        ("epoch_is_bumped", None, "4.3",
            "[GroupId {group_id}] Bumped group epoch to {generation} with metadata hash {number}."),
        ("target_is_computed", None, "4.3",
            ("[GroupId {group_id}] Computed a new target assignment for epoch {generation} with '{assignor}' assignor "
            "in {number}ms.")),
        ("member_joins", None, "4.3",
            "[GroupId {group_id}] Member {member_id} joins the {word} group using the {word} protocol."),
        ("static_member_joins", None, "4.3",
            ("[GroupId {group_id}] Static member {member_id} with instance id {group_instance_id} joins the consumer "
            "group using the {word} protocol.")),
        ("static_member_returns", None, "4.3",
            ("[GroupId {group_id}] Static member with instance id {group_instance_id} re-joins the consumer group "
            "using the {word} protocol. Created a new member {member_id} to replace the existing member {other}.")),
        ("member_left", None, "4.3", "[GroupId {group_id}] Member {member_id} left the consumer group."),
        ("member_left", None, "4.3", "[GroupId {group_id}] Member {member_id} left the share group."),
        ("member_left", None, "4.3", "[GroupId {group_id}] Dynamic member {member_id}" + _LEFT),
        ("member_left", None, "4.3",
            "[GroupId {group_id}] Static member {member_id} with instance id {group_instance_id}" + _LEFT),
        ("member_failed", None, "4.3",
            "[GroupId {group_id}] Member {member_id} fenced from the group because {reason}."),
        ("member_failed", None, "4.3",
            "[GroupId {group_id}] Streams member {member_id} fenced from the group because {reason}."),
        ("group_is_converted", None, "4.3",
            "[GroupId {group_id}] Converted the {from_state} group to a {word} group."),
        ("group_is_converted", None, "4.3",
            "[GroupId {group_id}] Converted the empty {from_state} group to a {word} group."),
        ("simple_group_is_created", None, "4.3",
            "[GroupId {group_id}] Creating a simple consumer group via manual offset commit."),
        # What happened to offsets, and to the coordinator itself.
        ("member_joins", None, "4.3", "[GroupId {group_id}][MemberId {member_id}] Member joins the streams group."),
        ("member_left", None, "4.3",
            "[GroupId {group_id}][MemberId {other}] Member {member_id} left the streams group."),
        ("epoch_is_bumped", None, "4.3",
            ("[GroupId {group_id}][MemberId {other}] Bumped streams group epoch to {generation} with metadata hash "
            "{number} and validated topic epoch {number}.")),
        ("offsets_are_deleted", None, "2.8 3.9",
            ("The following offsets of the group {group_id} were deleted: {reason}. "
            "A total of {number} offsets were removed.")),
        ("group_is_loaded", None, "0.11 1.1 2.8 3.9",
            "Loading group metadata for {group_id} with generation {generation}"),
        ("group_is_loaded", None, "4.3", "Loaded {word} group {group_id} with {member_count} members."),
        ("group_is_unloaded", None, "0.11 1.1 2.8 3.9",
            "Unloading group metadata for {group_id} with generation {generation}"),
        ("group_is_unloaded", None, "4.3",
            "[GroupId={group_id}] Unloading group metadata for generation {generation}."),
        ("group_is_unloaded", None, "4.3",
            "[GroupId={group_id}] Unloaded group metadata for group epoch {generation}."),
        ("partition_is_unloaded", None, "0.11 1.1",
            _UNLOADED + ". Removed {number} cached offsets and {number} cached groups."),
        ("partition_is_unloaded", None, "2.8 3.9",
            _UNLOADED + " for coordinator epoch {epoch}. Removed {number} cached offsets and {number} cached groups."),
        ("partition_is_unloaded", None, "4.3",
            "Finished unloading metadata for __consumer_offsets-{log_partition} with epoch {epoch}."),
        ("partition_is_loaded", None, "0.11 1.1", _LOADED + "{number} milliseconds."),
        ("partition_is_loaded", None, "2.8 3.9",
            _LOADED + "{number} milliseconds for epoch {number}, of which {number} milliseconds was spent in the "
            "scheduler."),
        ("partition_is_loaded", None, "4.3",
            _FINISHED + "where {number}ms was spent in the scheduler. "
            "Loaded {number} records which total to {number} bytes."),
        ("coordinator_starts", None, "0.11 1.1 2.8 3.9 4.3", "Startup complete."),
        ("coordinator_stops", None, "0.11 1.1 2.8 3.9 4.3", "Shutting down."),
    )
)  # fmt: skip
"""In the words of the coordinators' own classes; what is missing in a line is NULL."""
