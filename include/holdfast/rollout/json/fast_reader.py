"""A text to a value: parsed, checked and built at once where it is beyond doubt, and else read with care.

msgspec parses and checks at the speed of C, but its messages say less, and it takes a key that is given twice. So it says what
is beyond doubt; all else goes to `strict.loads` and the codec's own reader, which accept more and say what is wrong
(docs/decisions/0041-msgspec-reads-what-is-beyond-doubt.md). Where msgspec is not installed, as on executors that have the standard
library only, every text goes there.
"""

import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from holdfast.errors import HoldfastError
from holdfast.kafka.garbage_collection import uncollected
from holdfast.rollout.json import strict, unique_keys
from holdfast.rollout.json.codec import Codec

T = TypeVar("T")
IN_DOUBT = unique_keys.IN_DOUBT
_A_QUOTE_OR_COLON = re.compile(rb"\\u00(22|3[aA])")
_MANY_VALUES = 128 * 1024
"""Bytes from which on the search for cycles among the values takes a part of the time that shows."""
_BLANKS = (b" ", b"\t", b"\n", b"\r")


class TextReader(Generic[T]):
    """Reads the documents of a codec. What msgspec needs is made when the first one is read."""

    def __init__(self, codec: Codec[T]) -> None:
        self._codec = codec
        self._decode: Callable[[bytes], T | object] | None = None

    def read(self, text: str | bytes, most_memory: int = strict.MOST_MEMORY) -> T:
        """The document in `text`, as `codec.read(strict.loads(text, most_memory))` reads it."""
        found = self.at_once(text, most_memory)
        return self._codec.read(strict.loads(text, most_memory)) if found is IN_DOUBT else found  # type: ignore[return-value]

    def at_once(self, text: str | bytes, most_memory: int = strict.MOST_MEMORY) -> T | object:
        """The same, or IN_DOUBT."""
        if self._decode is None:
            self._decode = _decoder(self._codec)
        try:
            content = text if isinstance(text, bytes) else text.encode()
        except UnicodeEncodeError:
            return IN_DOUBT
        if strict.is_large(content, most_memory):
            return IN_DOUBT
        with uncollected() if len(content) > _MANY_VALUES else nullcontext():
            return self._decode(content)


def _decoder(codec: Codec[T]) -> Callable[[bytes], T | object]:
    try:
        import msgspec
    except ImportError:
        return lambda _: IN_DOUBT
    typed = codec.decoded()
    build = typed.build
    decode, encode = msgspec.json.Decoder(typed.type).decode, msgspec.json.Encoder().encode
    refused = (msgspec.MsgspecError, RecursionError, UnicodeError, HoldfastError)

    def decoded(content: bytes) -> T | object:
        try:
            found: Any = decode(content)
            if _may_have_a_key_twice(content, encode(found)):
                return IN_DOUBT
            value: T | object = found if build is None else build(found)
        except refused:
            return IN_DOUBT
        return value

    return decoded


def _may_have_a_key_twice(content: bytes, encoded: bytes) -> bool:
    """`encoded`: what was decoded from the content, which has each key once.

    Where nothing is between a key's quote and its colon, there is a `":` for each key, and for each such text inside a string: it
    is in both alike if no quote and no colon is escaped by its number. So both have as many if nothing was lost.
    """
    if content.startswith(encoded):
        return False
    blank_before_colon = any(blank in content and blank + b":" in content for blank in _BLANKS)
    escaped = b"\\u00" in content and _A_QUOTE_OR_COLON.search(content) is not None
    return blank_before_colon or escaped or content.count(b'":') != encoded.count(b'":')
