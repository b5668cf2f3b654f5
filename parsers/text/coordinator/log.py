"""A broker's own text log, read for what its group coordinator says: who joined, left and failed, and what for.

Put here how lines become columns. Which lines there are, and what they mean, is in `parsers.text.coordinator.forms`.
"""

from __future__ import annotations

import re
from functools import cache, reduce
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from parsers.text.coordinator.forms import EXACT, FORMS, FREE
from parsers.text.coordinator.json_layouts import to_kafka_layout
from parsers.text.pieces import open_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from parsers.text.coordinator.forms import CoordinatorForm
    from parsers.text.pieces import TextSource

SCHEMA: Final = pa.schema(
    [
        pa.field("line", pa.int64()),
        pa.field("logged_at", pa.timestamp("us", "UTC")),
        pa.field("broker_id", pa.int32()),
        pa.field("log_partition", pa.int32()),
        pa.field("event", pa.string()),
        pa.field("group_id", pa.string()),
        pa.field("from_state", pa.string()),
        pa.field("to_state", pa.string()),
        pa.field("generation", pa.int64()),
        pa.field("member_id", pa.string()),
        pa.field("client_id", pa.string()),
        pa.field("group_instance_id", pa.string()),
        pa.field("member_count", pa.int64()),
        pa.field("reason", pa.string()),
        pa.field("message", pa.string()),
    ]
)
"""Times are the broker's, taken for UTC where its log does not name its zone."""

LONGEST_LINE_BYTES: Final = 1 << 17
"""Room for a group id and a member id of the greatest length; what is longer is no line of a coordinator."""
UNCLEAR: Final = "unclear"
"""The event of a line that is of two forms."""
NO_INSTANCE: Final = ("None", "null")
"""How a coordinator prints that there is no instance id; one that there is stands in Some() until 3.9."""
SOME: Final = r"^Some\((?s:(?P<name>.*))\)$"

_OF_A_COORDINATOR: Final = "[Group"
_HEADER: Final = (
    r"^\[(?P<logged_at>[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{3})\] [A-Z]{4,5} +"
    r"\[Group ?(?:Coordinator|Metadata ?Manager) (?:(?:broker)?[iI]d=|on Broker )?(?P<broker_id>[0-9]{1,10})"
    r"(?: topic=__consumer_offsets partition=(?P<log_partition>[0-9]{1,10}))?\]:? "
    r"(?P<message>.*) \((?:org\.apache\.)?kafka\.coordinator\.[A-Za-z0-9.$]+\)\r?$"
)
_TIME: Final = "%Y-%m-%d %H:%M:%S"
_PLACE: Final = re.compile(r"\{(\w+)\}")
_COLUMNS: Final = frozenset(SCHEMA.names)


def read_coordinator_log(source: TextSource) -> Iterator[pa.RecordBatch]:
    """What coordinators wrote into a log, a row for each line of a known form; a .gz and the like is inflated."""
    first_line = 1
    with open_text(source) as (_name, chunks):
        for lines in _stretches(chunks):
            rows = _rows(lines, first_line)
            first_line += len(lines)
            if rows.num_rows:
                yield rows


def _stretches(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Whole lines, as many as come at once; a line that is too long is let go, but counted."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield lines
        rest = rest[: LONGEST_LINE_BYTES + 1]
    yield [rest]


def _rows(lines: list[bytes], first_line: int) -> pa.RecordBatch:
    texts = pa.array([line if len(line) <= LONGEST_LINE_BYTES else b"" for line in lines], pa.binary())
    numbers = pa.array(range(first_line, first_line + len(lines)), pa.int64())
    mine = pc.match_substring(texts, _OF_A_COORDINATOR)
    texts, numbers = _as_text(to_kafka_layout(texts.filter(mine))), numbers.filter(mine)
    headers = pc.extract_regex(texts, _HEADER)
    has_one = headers.is_valid()
    headers = headers.filter(has_one)
    of_message = _read_messages(headers.field("message"))
    columns = {
        "line": numbers.filter(has_one),
        "logged_at": _times(headers.field("logged_at")),
        "broker_id": _number(headers.field("broker_id"), pa.int32()),
        "message": headers.field("message"),
        **of_message,
        "log_partition": pc.coalesce(
            _number(headers.field("log_partition"), pa.int32()), _number(of_message["log_partition"], pa.int32())
        ),
        "generation": _number(of_message["generation"], pa.int64()),
        "member_count": _number(of_message["member_count"], pa.int64()),
        "group_instance_id": _instance(of_message["group_instance_id"]),
    }
    rows = pa.RecordBatch.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)
    return rows.filter(rows.column("event").is_valid())


def _as_text(texts: pa.Array) -> pa.Array:
    """As UTF-8; bytes that are none are replaced, since Java wrote them with another charset."""
    try:
        return texts.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([text.decode("utf-8", "replace") for text in texts.to_pylist()], pa.string())


def _read_messages(messages: pa.Array) -> dict[str, pa.Array]:
    """What the messages say, by column; NULL in all of them for one that has no form."""
    nothing = {name: pa.nulls(len(messages), pa.string()) for name in (*FREE, *EXACT, "event", "to_state")}
    columns = reduce(lambda known, form: _with(known, form, messages), FORMS, nothing)
    return {name: column for name, column in columns.items() if name in _COLUMNS}


def _with(known: dict[str, pa.Array], form: CoordinatorForm, messages: pa.Array) -> dict[str, pa.Array]:
    """Add what the messages of one form say; only those that begin as it does are looked at."""
    mine = pc.starts_with(messages, _PLACE.split(form.template)[0])
    if not mine.true_count:
        return known
    columns = _read_form({name: column.filter(mine) for name, column in known.items()}, form, messages.filter(mine))
    return {name: pc.replace_with_mask(column, mine, columns[name]) for name, column in known.items()}


def _read_form(known: dict[str, pa.Array], form: CoordinatorForm, messages: pa.Array) -> dict[str, pa.Array]:
    greedy = pc.extract_regex(messages, _pattern(form, ".*"))
    matches = greedy.is_valid()
    if not matches.true_count:
        return known
    is_second = pc.and_(matches, known["event"].is_valid())
    can_be_read_once = pc.and_not(_is_clear(greedy, pc.extract_regex(messages, _pattern(form, ".*?"))), is_second)
    says = {name: greedy.field(name) for name in _names(form)} | {"to_state": pa.scalar(form.to_state, pa.string())}
    columns = {name: pc.if_else(can_be_read_once, column, known[name]) for name, column in says.items()}
    event = pc.if_else(is_second, UNCLEAR, pc.if_else(matches, form.event, known["event"]))
    silent = {name: pc.if_else(is_second, None, column) for name, column in (known | columns).items()}
    return silent | {"event": event}


def _is_clear(one: pa.StructArray, other: pa.StructArray) -> pa.BooleanArray:
    """Whether a line that is cut as late as it can be is cut the same as early as it can be: then there is one way."""
    pairs = ((one.field(number), other.field(number)) for number in range(one.type.num_fields))
    return reduce(pc.and_, (pc.equal(first, second) for first, second in pairs), one.is_valid())


def _names(form: CoordinatorForm) -> list[str]:
    """The columns that a form fills."""
    return [name for name in _PLACE.findall(form.template) if name in _COLUMNS]


@cache
def _pattern(form: CoordinatorForm, anything: str) -> str:
    """A form as a regular expression, with `anything` where any text may stand."""
    pieces = _PLACE.split(form.template)
    words = [f"(?:{re.escape(piece)})" for piece in pieces[::2]]
    places = [_place(name, anything) for name in pieces[1::2]]
    return f"^(?P<form>{''.join(chain.from_iterable(zip_longest(words, places, fillvalue='')))})$"


def _place(name: str, anything: str) -> str:
    expression = anything if name in FREE else EXACT[name]
    return f"(?P<{name}>{expression})" if name in FREE or name in _COLUMNS else f"(?:{expression})"


def _number(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    return pc.if_else(pc.equal(texts, ""), None, texts).cast(kind)


def _times(texts: pa.Array) -> pa.Array:
    seconds = pc.strptime(pc.utf8_slice_codeunits(texts, 0, 19), _TIME, "us", error_is_null=True)
    millis = pc.utf8_slice_codeunits(texts, 20, 23).cast(pa.int64())
    micros = pc.add(seconds.cast(pa.int64()), pc.multiply(millis, 1000))
    return micros.cast(pa.timestamp("us", "UTC"))


def _instance(texts: pa.Array) -> pa.Array:
    """Instance ids, without what Scala prints around them."""
    inside = pc.struct_field(pc.extract_regex(texts, SOME), "name")
    return pc.if_else(pc.is_in(texts, pa.array(NO_INSTANCE)), None, pc.coalesce(inside, texts))
