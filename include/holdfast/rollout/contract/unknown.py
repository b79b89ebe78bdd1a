"""What could not be read, or had to be assumed: the same in the documents of every kind of group."""

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.rollout.json import strict
from holdfast.rollout.json.strict import Fields


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that could not be read, or had to be assumed. `what` names it in the contract's words."""

    what: str
    reason: str

    @property
    def about_log_sizes(self) -> bool:
        """Whether it is only about what a restore weighs, which decides nothing about who runs what."""
        return self.what.startswith(("begin_offset.", "log_bytes."))


def unknown_from_json(value: object) -> Unknown:
    """`{"what": …, "reason": …}`, or a sentence."""
    if isinstance(value, str):
        return Unknown(strict.text(value), "")
    fields = Fields(value)
    unknown = Unknown(fields.need("what", strict.text), fields.optional("reason", strict.text, ""))
    fields.finish()
    return unknown


def unknown_to_json(unknown: Iterable[Unknown]) -> list[object]:
    return [{"what": one.what, "reason": one.reason} for one in unknown]
