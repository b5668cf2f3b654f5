"""Control records: markers of transactions, what KRaft writes, and what no release has written yet."""

from __future__ import annotations

from parsers.layouts.control_records import KRAFT_VERSION, LEADER_CHANGE
from parsers.messages.control_records import UNKNOWN_TYPE, decode_control
from tests.parsers.encode import encode
from tests.parsers.made_messages import laid_out, rows


def test_types_and_versions() -> None:
    """The key tells the type; the version stands before the marker's struct, and in the others' first field."""
    voters = [{"voter_id": 1, "voter_directory_id": "A" * 22}]
    leader = encode(LEADER_CHANGE, 1, {"version": 1, "leader_id": 5, "voters": voters, "granting_voters": []})
    kraft = encode(KRAFT_VERSION, 0, {"version": 0, "k_raft_version": 1})
    pairs = [
        (b"\x00\x00\x00\x01", b"\x00\x00\x00\x00\x00\x07"),
        (b"\x00\x00\x00\x00", b"\x00\x05\x00\x00\x00\x08later"),
        (b"\x00\x00\x00\x02", leader),
        (b"\x00\x00\x00\x05", kraft),
        (b"\x00\x00\x00\x63", b"x"),
        (b"\x00", b""),
        (None, None),
        (b"\x00\x00\x00\x02", leader[:3]),
    ]
    buffer, starts, ends = laid_out([part for pair in pairs for part in pair])
    read = decode_control(buffer, (starts[::2].copy(), ends[::2].copy()), (starts[1::2].copy(), ends[1::2].copy()))
    assert read.types.tolist() == [1, 0, 2, 5, 0x63, UNKNOWN_TYPE, UNKNOWN_TYPE, 2]
    assert rows(read.decoded[1])[0] == {"coordinator_epoch": 7}
    assert rows(read.decoded[0])[1] == {"coordinator_epoch": 8}
    assert rows(read.decoded[2])[2] == {"version": 1, "leader_id": 5, "voters": voters, "granting_voters": []}
    assert rows(read.decoded[5])[3] == {"version": 0, "k_raft_version": 1}
    assert rows(read.decoded[2])[7] is None
