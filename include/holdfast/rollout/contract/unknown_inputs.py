"""Inputs that could not be read or were assumed, in the documents of every kind of group."""

from holdfast.rollout.json import shapes
from holdfast.rollout.json.codec import TEXT, Codec, items
from holdfast.rollout.json.record import codec_of, member, record

_ABOUT = "Something that could not be read, or was assumed."


@record(closed=False)
class Unknown:
    """Something that could not be read, or had to be assumed. `what` names it in the contract's words."""

    what: str = member(TEXT)
    reason: str = member(TEXT, default="")

    @property
    def about_log_sizes(self) -> bool:
        """Whether it is only about the size of a restore, which decides nothing about the assignment."""
        return self.what.startswith(("begin_offset.", "log_bytes."))


_OBJECT = codec_of(Unknown)


def _read(value: object) -> Unknown:
    return Unknown(TEXT.read(value), "") if isinstance(value, str) else _OBJECT.read(value)


UNKNOWN: Codec[Unknown] = Codec(_read, _OBJECT.write, lambda: shapes.either(TEXT.shape(), _OBJECT.shape(), about=_ABOUT))
"""`{"what": …, "reason": …}`, or a sentence."""
UNKNOWNS = items(UNKNOWN)
