"""What the files of a Streams state directory say, and what Kafka would make of broken ones. Pure: text in, values out.

Layout of `<state.dir>/<application.id>` up to 4.2: the process metadata, and a directory `<subtopology>_<partition>` a task with
`.checkpoint` in it. From 4.3 on the offsets are in the stores themselves (RocksDB), and `.checkpoint` is gone.
Java: `processor.internals.StateDirectory` (2.6 to 4.3), `state.internals.OffsetCheckpoint` (all releases).
"""

import base64
import binascii
import codecs
import json
import re
import unicodedata
from uuid import UUID

from holdfast.errors import InvalidInput, MalformedBytes
from holdfast.kafka import java
from holdfast.kafka.vocabulary import OFFSET_UNKNOWN, ProcessId, TopicPartition

PROCESS_METADATA = "kafka-streams-process-metadata"
CHECKPOINT = ".checkpoint"
ROCKSDB = "rocksdb"
"""The folder of key-value stores in a task directory; window and session stores have folders next to it."""
LOCK = ".lock"
"""Held for as long as a client runs on the directory (2.6.2 and later); a task's own, up to 2.8, for as long as a thread has it."""
GLOBAL = "global"
"""The directory of the global stores."""
TASK_DIRECTORY = re.compile(r"\d+_\d+", re.ASCII)
NAMED_TOPOLOGY = re.compile(r"__.+__", re.DOTALL)
"""The directory of a named topology, with task directories in it (KAFKA-12648, 3.0 to 3.9)."""

_NEW_ID = "Kafka Streams would log a warning, generate a new process ID at its next start, and overwrite the file"
_LINE_END = re.compile(r"\r\n|\r|\n")
_JAVA_WHITESPACE = re.compile(r"[ \t\n\x0b\f\r]+")
_JAVA_TRIMMED = "".join(map(chr, range(ord(" ") + 1)))
"""What `String.trim` takes away."""
_JAVA_NUMBER = re.compile(r"([+-]?)0*([0-9]{0,19})", re.ASCII)


def _no_constant(name: str) -> object:
    raise ValueError(name)


_JSON_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=tuple)


def is_known(name: str) -> bool:
    """Whether Kafka Streams puts an entry of this name into `<state.dir>/<application.id>`."""
    known = name in (PROCESS_METADATA, LOCK, GLOBAL)
    return known or TASK_DIRECTORY.fullmatch(name) is not None or NAMED_TOPOLOGY.fullmatch(name) is not None


def parse_process_metadata(data: bytes) -> ProcessId | None:
    """The process ID in the file; None where it holds none (or null): Kafka Streams then generates a new one.

    Unknown keys, a key twice (the last wins) and text after the object are taken as Jackson takes them. Raise MalformedBytes for
    what Jackson could not read either.
    """
    _, document, _ = _json_object(data)
    found: ProcessId | None = None
    for key, value in document:
        if key == "processId":  # of several the last counts, but Jackson stumbles over each that is none
            found = None if value is None else _process_id(value)
    return found


def render_process_metadata(process_id: ProcessId) -> bytes:
    """The file as Kafka Streams writes it (2.6.2 to 4.3): compact JSON without an end of line."""
    return f'{{"processId":"{process_id}"}}'.encode("ascii")


def with_process_id(data: bytes, process_id: ProcessId) -> bytes:
    """The same metadata with another process ID; what else is in it stays, letter by letter. Raise MalformedBytes as reading does.

    A later release may add keys of its own ("only ever add fields", says the Java class).
    """
    text, document, end = _json_object(data)
    value = json.dumps(str(process_id))
    places = _values_of("processId", text[:end])
    if places:
        for start, stop in reversed(places):  # a duplicate key is read twice
            text = text[:start] + value + text[stop:end]
            end = len(text)
    else:
        text = f'{{"processId":{value}' + ("," if document else "") + text[1:end].lstrip(_JSON_SPACE)
    return text.encode("utf-8")


def _json_object(data: bytes) -> tuple[str, tuple[tuple[str, object], ...], int]:
    """The text from the object on, its keys and values, and where it ends."""
    try:
        text = data.decode(json.detect_encoding(data)).lstrip(_JSON_SPACE)
        document, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        raise MalformedBytes(f"the process metadata is not JSON; {_NEW_ID}") from None
    if not text.startswith("{"):
        raise MalformedBytes(f"the process metadata is not a JSON object; {_NEW_ID}")
    return text, document, end


def _values_of(wanted: str, text: str) -> list[tuple[int, int]]:
    """The start and end of that key's values in the text of an object that could be decoded."""
    found: list[tuple[int, int]] = []
    place = _next_token(text, 1)
    while text[place] != "}":
        key, place = _DECODER.raw_decode(text, place)
        start = _next_token(text, _next_token(text, place) + 1)  # after the colon
        _, end = _DECODER.raw_decode(text, start)
        if key == wanted:
            found.append((start, end))
        place = _next_token(text, end)
        if text[place] == ",":
            place = _next_token(text, place + 1)
    return found


def _next_token(text: str, place: int) -> int:
    while text[place] in _JSON_SPACE:
        place += 1
    return place


def parse_checkpoint(data: bytes) -> tuple[tuple[TopicPartition, int], ...]:
    """(partition, offset of the last record applied, or -4 for "unknown") for each line, in the order of the file.

    Lines with another negative offset are left out, as Kafka leaves them out. Raise MalformedBytes where Kafka would fail, too.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        lines = _LINE_END.split(decoder.decode(data))
    except UnicodeDecodeError:
        raise _not_utf_8() from None
    cut_off, _ = decoder.getstate()  # half a character: Java finds that only when it reads the last line
    if lines[-1] == "" or cut_off:
        lines.pop()
    version = _number(lines[0], "the format version", java.INT_MAX) if lines else 0
    if version != 0:
        raise MalformedBytes(f"the checkpoint has the format version {version}; Kafka Streams knows 0 only and would fail")
    if len(lines) < 2:
        raise MalformedBytes("the checkpoint ends before its second line; Kafka Streams does not report such a task")
    expected = _number(lines[1], "the number of entries", java.INT_MAX)
    offsets: dict[TopicPartition, int] = {}
    for line in lines[2:]:
        words = _JAVA_WHITESPACE.split(line.rstrip(" \t\n\x0b\f\r"))
        if len(words) != 3:
            raise MalformedBytes(f"the checkpoint has the line {line[:80]!r}; Kafka Streams does not report such a task")
        partition = TopicPartition(words[0], _number(words[1], "a partition", java.INT_MAX))
        offset = _number(words[2], "an offset", java.LONG_MAX)
        if offset >= 0 or offset == OFFSET_UNKNOWN:
            offsets[partition] = offset
        else:
            expected -= 1
    if cut_off:
        raise _not_utf_8()
    if len(offsets) != expected:
        raise MalformedBytes(
            f"the checkpoint announces {expected} entries and has {len(offsets)}; Kafka Streams does not report such a task"
        )
    return tuple(offsets.items())


def _not_utf_8() -> MalformedBytes:
    return MalformedBytes("the checkpoint is not UTF-8; Kafka Streams does not report such a task")


def raw_offset_sum(checkpoint: tuple[tuple[TopicPartition, int], ...]) -> int:
    """What a member reports for a task that it does not run: the sum of the file's offsets, -4 as 0, pinned to Long.MAX_VALUE.

    Java: `TaskManager.sumOfChangelogOffsets`, 2.6 to 4.2.
    """
    return min(sum(max(offset, 0) for _, offset in checkpoint), java.LONG_MAX)


def _process_id(value: object) -> ProcessId:
    if not isinstance(value, str):
        raise MalformedBytes(f"the process metadata's processId is not a string; {_NEW_ID}")
    text = value.strip(_JAVA_TRIMMED)
    try:
        return ProcessId.parse(text)
    except InvalidInput:
        return _process_id_in_base64(text)


def _process_id_in_base64(text: str) -> ProcessId:
    """Jackson reads a UUID of 24 characters as base64, too."""
    try:
        data = base64.b64decode(text, validate=True) if len(text) == 24 else b""
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != 16:
        raise MalformedBytes(f"the process metadata's processId {text[:80]!r} is not a UUID; {_NEW_ID}")
    return ProcessId.of(UUID(bytes=data))


def _number(text: str, what: str, largest: int) -> int:
    """As Java's `parseInt` and `parseLong`: the digits of any script, and as many zeros before them as there are."""
    digits = "".join(str(unicodedata.digit(each)) if each.isdecimal() else each for each in text)
    parts = _JAVA_NUMBER.fullmatch(digits)
    value = int(f"{parts[1]}0{parts[2]}") if parts and digits[-1:].isdecimal() else None
    if value is None or not -largest - 1 <= value <= largest:
        raise MalformedBytes(f"{what} in the checkpoint is {text[:40]!r}, which is not a number; Kafka Streams would fail on it")
    return value
