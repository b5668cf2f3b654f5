"""Why a record could not be read: the table that the reasons in a decoded column point into.

Put a row here for every kind of trouble inside a record's bytes. Trouble with a file or a batch is not named here.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Reason(IntEnum):
    """What is wrong with a record; OK is zero, so that a column of reasons starts out sound."""

    OK = 0
    CUT_SHORT = 1
    NEGATIVE_LENGTH = 2
    LENGTH_PAST_END = 3
    BAD_VARINT = 4
    COUNT_PAST_END = 5
    UNEXPECTED_NULL = 6
    TAG_SIZE = 7
    NOT_UTF8 = 8
    UNKNOWN_VERSION = 9
    UNKNOWN_RECORD_TYPE = 10
    NULL_KEY = 11


EXPECTED: Final = {
    Reason.OK: "",
    Reason.CUT_SHORT: "the whole field before the end of its record",
    Reason.NEGATIVE_LENGTH: "a length of at least zero, or -1 for null",
    Reason.LENGTH_PAST_END: "a length that ends inside its record",
    Reason.BAD_VARINT: "an unsigned varint of at most five bytes and 32 bits",
    Reason.COUNT_PAST_END: "a count of elements that fit into the rest of the record",
    Reason.UNEXPECTED_NULL: "a value: the field may not be null",
    Reason.TAG_SIZE: "a tagged field that fills exactly the size it states",
    Reason.NOT_UTF8: "text in UTF-8",
    Reason.UNKNOWN_VERSION: "a version with a known layout",
    Reason.UNKNOWN_RECORD_TYPE: "a record type with a known layout",
    Reason.NULL_KEY: "a key with a record type",
}
