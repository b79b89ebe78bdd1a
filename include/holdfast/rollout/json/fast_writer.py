"""The text of a document written by msgspec, where it is the text that `strict.dumps` writes."""

from collections.abc import Callable
from functools import lru_cache

from holdfast.rollout.json import strict


def dumps(document: object) -> str:
    """`strict.dumps` of a document that holds no number with a fraction: those alone msgspec writes otherwise where no sign shows.

    It does not escape what is not ASCII, nor the sign DEL: a text with any of them is written by `strict.dumps`.
    """
    encode = _encoder()
    if encode is not None:
        try:
            content = encode(document)
        except (TypeError, OverflowError, UnicodeEncodeError, RecursionError):
            return strict.dumps(document)
        if content.isascii() and b"\x7f" not in content:
            return content.decode("ascii")
    return strict.dumps(document)


@lru_cache(maxsize=1)
def _encoder() -> Callable[[object], bytes] | None:
    """None: msgspec is not installed."""
    try:
        import msgspec
    except ImportError:
        return None
    return msgspec.json.Encoder().encode
