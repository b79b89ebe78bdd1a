"""Bytes in, values out: a reader that cannot run away, and its writer.

A reader never looks past its bytes, never allocates for a count before it knows that so large a number can be there, and says
what it was reading when the bytes are not what they should be. Java: `org.apache.kafka.common.protocol.ByteBufferAccessor` and
`java.io.DataInputStream`, all releases. All numbers are big-endian.
"""

import struct

from holdfast.errors import MalformedBytes
from holdfast.kafka import java
from holdfast.kafka.vocabulary import TopicPartition

_INT = struct.Struct(">i")
_SHORT = struct.Struct(">h")
_UNSIGNED_SHORT = struct.Struct(">H")
_LONG = struct.Struct(">q")
_SMALLEST_UTF = 2
_SMALLEST_TOPIC_PARTITIONS = 2 + 4


class Reader:
    """Reads `data` from its start. Every method raises MalformedBytes where the bytes end too early or say something absurd."""

    def __init__(self, data: bytes, structure: str) -> None:
        self._data = data
        self._position = 0
        self._structure = structure

    @property
    def remaining(self) -> int:
        return len(self._data) - self._position

    def malformed(self, problem: str) -> MalformedBytes:
        return MalformedBytes(f"{self._structure}: {problem} (byte {self._position} of {len(self._data)})")

    def take(self, length: int, what: str) -> bytes:
        if length < 0:
            raise self.malformed(f"{what} has the negative length {length}")
        if length > self.remaining:
            raise self.malformed(f"{what} needs {length} bytes and {self.remaining} are left")
        start = self._position
        self._position = start + length
        return self._data[start : self._position]

    def int8(self, what: str) -> int:
        return int.from_bytes(self.take(1, what), "big", signed=True)

    def int16(self, what: str) -> int:
        return int(_SHORT.unpack(self.take(2, what))[0])

    def int32(self, what: str) -> int:
        return int(_INT.unpack(self.take(4, what))[0])

    def int64(self, what: str) -> int:
        return int(_LONG.unpack(self.take(8, what))[0])

    def unsigned_varint(self, what: str) -> int:
        """Seven bits a byte, the least significant first, at most five bytes. Java: `ByteUtils.readUnsignedVarint`."""
        value = 0
        for shift in range(0, 35, 7):
            byte = self.take(1, what)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise self.malformed(f"{what} is a number of more than five bytes")

    def count(self, smallest: int, what: str) -> int:
        """The int32 number of elements that follow, each of at least `smallest` bytes."""
        number = self.int32(f"the number of {what}")
        if number < 0:
            raise self.malformed(f"there cannot be {number} {what}")
        if number * smallest > self.remaining:
            raise self.malformed(f"{number} {what} do not fit into the {self.remaining} bytes that are left")
        return number

    def int32s(self, number: int, what: str) -> tuple[int, ...]:
        return struct.unpack(f">{number}i", self.take(4 * number, what))

    def sized_bytes(self, what: str) -> bytes:
        """An int32 length and that many bytes."""
        return self.take(self.int32(f"the length of {what}"), what)

    def nullable_bytes(self, what: str) -> bytes | None:
        length = self.int32(f"the length of {what}")
        return None if length == -1 else self.take(length, what)

    def string(self, what: str) -> str:
        """An int16 length and that many bytes of UTF-8."""
        return self.utf8(self.take(self.int16(f"the length of {what}"), what), what)

    def nullable_string(self, what: str) -> str | None:
        length = self.int16(f"the length of {what}")
        return None if length == -1 else self.utf8(self.take(length, what), what)

    def utf8(self, data: bytes, what: str) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as trouble:
            raise self.malformed(f"{what} is not UTF-8") from trouble

    def java_utf(self, what: str) -> str:
        """What `DataInput.readUTF` reads: an unsigned 16-bit byte length and that many bytes of modified UTF-8."""
        length = int(_UNSIGNED_SHORT.unpack(self.take(2, f"the length of {what}"))[0])
        data = self.take(length, what)
        if data.isascii() and b"\0" not in data:
            return data.decode("ascii")
        text = decode_modified_utf8(data)
        if text is None:
            raise self.malformed(f"{what} is not modified UTF-8")
        return text

    def topic_partitions(self, what: str) -> tuple[TopicPartition, ...]:
        """An array of (topic, array of partitions), flattened. Java: the generated `TopicPartition` of the consumer protocol."""
        flat: list[TopicPartition] = []
        for _ in range(self.count(_SMALLEST_TOPIC_PARTITIONS, what)):
            topic = self.string(f"a topic of {what}")
            partitions = self.int32s(self.count(4, f"partitions of {what}"), what)
            flat.extend(self.topic_partition(topic, partition) for partition in partitions)
        return tuple(flat)

    def java_topic_partitions(self, what: str) -> tuple[TopicPartition, ...]:
        """An array of (modified UTF-8 topic, partition)."""
        return tuple(
            self.topic_partition(self.java_utf(f"a topic of {what}"), self.int32(f"a partition of {what}"))
            for _ in range(self.count(_SMALLEST_UTF + 4, what))
        )

    def topic_partition(self, topic: str, partition: int) -> TopicPartition:
        if partition < 0:
            raise self.malformed(f"topic {topic!r} has the negative partition {partition}")
        return TopicPartition(topic, partition)

    def end(self) -> None:
        """Raise MalformedBytes if anything is left: no Kafka release writes more than the structure."""
        if self.remaining:
            raise self.malformed(f"{self.remaining} bytes follow its end")


class Writer:
    """Collects bytes. A value that Java could not write either is an AssertionError: values are checked where they are made."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def raw(self, data: bytes) -> None:
        self._parts.append(data)

    def int8(self, value: int) -> None:
        self._parts.append(value.to_bytes(1, "big", signed=True))

    def int16(self, value: int) -> None:
        self._parts.append(_SHORT.pack(value))

    def int32(self, value: int) -> None:
        self._parts.append(_INT.pack(value))

    def int64(self, value: int) -> None:
        self._parts.append(_LONG.pack(value))

    def sized_bytes(self, data: bytes) -> None:
        self.int32(len(data))
        self.raw(data)

    def nullable_bytes(self, data: bytes | None) -> None:
        if data is None:
            self.int32(-1)
        else:
            self.sized_bytes(data)

    def string(self, text: str) -> None:
        data = encode_utf8(text)
        assert len(data) < 2**15, "Kafka's strings have at most 32767 bytes"
        self.int16(len(data))
        self.raw(data)

    def nullable_string(self, text: str | None) -> None:
        if text is None:
            self.int16(-1)
        else:
            self.string(text)

    def java_utf(self, text: str) -> None:
        data = encode_modified_utf8(text)
        assert len(data) < 2**16, "DataOutput.writeUTF takes at most 65535 bytes"
        self._parts.append(_UNSIGNED_SHORT.pack(len(data)))
        self.raw(data)

    def topic_partitions(self, partitions: tuple[TopicPartition, ...]) -> None:
        """Partitions that are next to one another and have one topic share an entry, as Kafka's own encoders write them."""
        runs: list[tuple[str, list[int]]] = []
        for topic, partition in partitions:
            if not runs or runs[-1][0] != topic:
                runs.append((topic, []))
            runs[-1][1].append(partition)
        self.int32(len(runs))
        for topic, numbers in runs:
            self.string(topic)
            self.int32(len(numbers))
            self.raw(struct.pack(f">{len(numbers)}i", *numbers))

    def java_topic_partitions(self, partitions: tuple[TopicPartition, ...]) -> None:
        self.int32(len(partitions))
        for topic, partition in partitions:
            self.java_utf(topic)
            self.int32(partition)

    def result(self) -> bytes:
        return b"".join(self._parts)


def encode_utf8(text: str) -> bytes:
    """`String.getBytes(UTF_8)`: what is half of a surrogate pair becomes a question mark."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return java.string_order(text).decode("utf-16-be", "surrogatepass").encode("utf-8", "replace")


def encode_modified_utf8(text: str) -> bytes:
    """Java's modified UTF-8: NUL takes two bytes, and each UTF-16 code unit is written for itself."""
    if text.isascii() and "\0" not in text:
        return text.encode("ascii")
    parts = bytearray()
    for (unit,) in struct.iter_unpack(">H", java.string_order(text)):
        if 0 < unit < 0x80:
            parts.append(unit)
        elif unit < 0x800:
            parts += bytes((0xC0 | unit >> 6, 0x80 | unit & 0x3F))
        else:
            parts += bytes((0xE0 | unit >> 12, 0x80 | unit >> 6 & 0x3F, 0x80 | unit & 0x3F))
    return bytes(parts)


def decode_modified_utf8(data: bytes) -> str | None:
    """The text, or None where `DataInput.readUTF` would throw. Over-long forms are read, as Java reads them."""
    units = bytearray()
    position = 0
    while position < len(data):
        first = data[position]
        length = 1 if first < 0x80 else 2 if first >> 5 == 0b110 else 3 if first >> 4 == 0b1110 else 0
        tail = data[position + 1 : position + length]
        if length == 0 or len(tail) != length - 1 or any(byte >> 6 != 0b10 for byte in tail):
            return None
        unit = first if length == 1 else first & (0x1F if length == 2 else 0x0F)
        for byte in tail:
            unit = unit << 6 | byte & 0x3F
        units += _UNSIGNED_SHORT.pack(unit)
        position += length
    return units.decode("utf-16-be", "surrogatepass")
