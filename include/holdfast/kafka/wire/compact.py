"""Flexible versions of Kafka's messages (KIP-482): lengths plus one as unsigned varints, tagged fields at the end of structures.

Like `buffer.Reader`, nothing here looks past its bytes or allocates for a count before that many elements can be there.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from holdfast.kafka.wire.buffer import Reader

T = TypeVar("T")


class CompactReader(Reader):
    """Reads what flexible versions write. Every method raises MalformedBytes where the bytes say something absurd."""

    def compact_nullable_string(self, what: str) -> str | None:
        length = self.unsigned_varint(f"the length of {what}")
        return None if length == 0 else self.utf8(self.take(length - 1, what), what)

    def compact_string(self, what: str) -> str:
        found = self.compact_nullable_string(what)
        if found is None:
            raise self.malformed(f"{what} is null")
        return found

    def nullable_array(self, smallest: int, what: str, read: Callable[["CompactReader"], T]) -> tuple[T, ...] | None:
        """Elements of at least `smallest` bytes each; None for null."""
        number = self.unsigned_varint(f"the number of {what}") - 1
        if number < 0:
            return None
        if number * smallest > self.remaining:
            raise self.malformed(f"{number} {what} do not fit into the {self.remaining} bytes that are left")
        return tuple([read(self) for _ in range(number)])

    def array(self, smallest: int, what: str, read: Callable[["CompactReader"], T]) -> tuple[T, ...]:
        found = self.nullable_array(smallest, what, read)
        if found is None:
            raise self.malformed(f"the {what} are null")
        return found

    def strings(self, what: str) -> tuple[str, ...]:
        return self.array(1, what, lambda reader: reader.compact_string(f"one of the {what}"))

    def numbers(self, what: str) -> tuple[int, ...]:
        """An array of int32."""
        number = self.unsigned_varint(f"the number of {what}") - 1
        if number < 0:
            raise self.malformed(f"the {what} are null")
        return self.int32s(number, what)

    def present(self, what: str) -> bool:
        """Whether a nullable structure follows: 1, or -1 for null."""
        mark = self.int8(f"whether there is {what}")
        if mark not in (1, -1):
            raise self.malformed(f"whether there is {what} is said by {mark}; 1 and -1 are known")
        return mark == 1

    def tagged(self) -> Mapping[int, bytes]:
        """The tagged fields at the end of a structure, by tag. Those that are unknown may be left where they are."""
        found: dict[int, bytes] = {}
        last = -1
        for _ in range(self.unsigned_varint("the number of tagged fields")):
            tag = self.unsigned_varint("a tag")
            if tag <= last:
                raise self.malformed(f"the tag {tag} follows the tag {last}; they ascend")
            last = tag
            found[tag] = self.take(self.unsigned_varint("the size of a tagged field"), "a tagged field")
        return found

    def end_of_structure(self) -> None:
        """The tagged fields of a structure, of which Holdfast needs none."""
        self.tagged()
