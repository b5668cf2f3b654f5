"""The payload of most commits, read in one step, against what reading it as JSON gives."""

from __future__ import annotations

import pytest

from parsers.text.commits import commit_of_today
from parsers.text.json_lines import parse_json, read_key, with_value

KEY = read_key(b'{"type":"1","data":{"group":"g","topic":"t","partition":3}}')
FORM = b'{"version":"%b","data":{"offset":%b,"leaderEpoch":%b,"metadata":"%b","commitTimestamp":%b%b}}'
TOPIC_ID = b',"topicId":"950cELHVS1yG9r7X3rmIXg"'
COMMON = [
    FORM % (b"3", b"7", b"-1", b"", b"1", b""),
    FORM % (b"3", b"0", b"2", b"a b/~!", b"1700000000000", b""),
    FORM % (b"4", b"7", b"5", b"m", b"1", TOPIC_ID),
    FORM % (b"4", b"7", b"5", b"m", b"1", b""),
]
OTHERS = [
    FORM % (b"3", b"7", b"-1", b"m", b"1", TOPIC_ID),
    FORM % (b"3", b"7", b"-1", b"\\n", b"1", b""),
    FORM % (b"3", b"7", b"-1", "\u00e9".encode(), b"1", b""),
    FORM % (b"3", b"9" * 19, b"-1", b"m", b"1", b""),
    FORM % (b"3", b"-7", b"-1", b"m", b"1", b""),
    FORM % (b"2", b"7", b"-1", b"m", b"1", b""),
    b"<DELETE>",
    b"",
]


@pytest.mark.parametrize("payload", COMMON)
def test_common_payloads_are_read_as_json_is(payload: bytes) -> None:
    """The short way gives what the long way gives."""
    assert commit_of_today(KEY, payload) == with_value(KEY, parse_json(payload))


@pytest.mark.parametrize("payload", OTHERS)
def test_other_payloads_are_left_alone(payload: bytes) -> None:
    """Escapes, large numbers, other versions and fields of another version go the long way."""
    assert commit_of_today(KEY, payload) is None


def test_other_keys_are_left_alone() -> None:
    """A payload that looks like a commit's is none behind another key, or behind one that is in doubt."""
    group = read_key(b'{"type":"2","data":{"group":"g"}}')
    doubtful = read_key(b'{"type":"1","data":{"group":"g","topic":"t","partition":3,"more":1}}')
    assert commit_of_today(group, COMMON[0]) is None
    assert doubtful.doubt is not None
    assert commit_of_today(doubtful, COMMON[0]) is None
