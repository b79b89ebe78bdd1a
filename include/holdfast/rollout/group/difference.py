"""Two snapshots of a group, or two plans, compared: what is different, in words and figures. Figures that move every second are
given as magnitudes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TypeVar

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.plan_words import ASSESSMENTS
from holdfast.rollout.group.values import AnyPlan, AnySnapshot
from holdfast.rollout.json.codec import BOOLEAN, TEXT, choice, items, nullable
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.json.record import codec_of, derived, member, record
from holdfast.rollout.json.strict import FORMAT_VERSION
from holdfast.rollout.text.format import printable

K = TypeVar("K")
V = TypeVar("V")
NOTHING = "none"


class DifferenceKind(StrEnum):
    SNAPSHOT = "snapshot"
    PLAN = "plan"


@record
class Line:
    """One difference: in which part, of what, before and after. `None`: not there."""

    part: str = member(TEXT)
    what: str = member(TEXT)
    before: str | None = member(nullable(TEXT))
    after: str | None = member(nullable(TEXT))


@record(version=FORMAT_VERSION, about="The differences of two snapshots of a group, or of two plans for it.")
class GroupDifference:
    """All differences, in the order in which a reader wants them; none: the two say the same."""

    kind: DifferenceKind = member(choice(DifferenceKind))
    before: str = member(TEXT)
    after: str = member(TEXT)

    @property
    @derived(BOOLEAN)
    def same(self) -> bool:
        return not self.lines

    lines: tuple[Line, ...] = member(items(codec_of(Line)), name="differences")


def between_snapshots(before: AnySnapshot, after: AnySnapshot, of_the_kind: Iterable[Line]) -> GroupDifference:
    """Of one kind of group. Raise InvalidInput for snapshots of two groups, before `of_the_kind` is asked for any line."""
    if (before.cluster, before.group_id) != (after.cluster, after.group_id):
        raise InvalidInput(
            f"one is a snapshot of {before.group_id!r} on cluster {before.cluster!r}, the other of {after.group_id!r} on"
            f" {after.cluster!r}: give two of one group"
        )
    names = tuple(str(one.captured_at or "time unknown") for one in (before, after))
    unknown = ({one.what: one.reason for one in each.unknown} for each in (before, after))
    return GroupDifference(DifferenceKind.SNAPSHOT, names[0], names[1], (*of_the_kind, *maps("unknown", *unknown)))


def between_plans(before: AnyPlan, after: AnyPlan, of_the_kind: Iterable[Line]) -> GroupDifference:
    """As `between_snapshots`."""
    if (before.basis.cluster, before.basis.group_id) != (after.basis.cluster, after.basis.group_id):
        raise InvalidInput(
            f"one is a plan for {before.basis.group_id!r} on cluster {before.basis.cluster!r}, the other for"
            f" {after.basis.group_id!r} on {after.basis.cluster!r}: give two for one group"
        )
    return GroupDifference(DifferenceKind.PLAN, before.plan_id, after.plan_id, (*_plan_lines(before, after), *of_the_kind))


def _plan_lines(before: AnyPlan, after: AnyPlan) -> Iterator[Line]:
    """What plans of every kind of group say."""
    yield from facts(
        "plan",
        {
            "assessment": (ASSESSMENTS[before.assessment], ASSESSMENTS[after.assessment]),
            "recommended": (before.chosen, after.chosen),
            "headline": (before.headline, after.headline),
            "invalid if": (before.wrong_if, after.wrong_if),
            "blocked by": ("; ".join(before.blocked_by) or None, "; ".join(after.blocked_by) or None),
            "valid until": (before.expires_at, after.expires_at),
        },
    )
    made = (plan.created_from for plan in (before, after))
    yield from maps("made from", *({"snapshot": one.snapshot, "change": one.change, "policy": one.policy} for one in made))
    rules = (plan.recommended_option.rules if plan.recommended_option else () for plan in (before, after))
    yield from maps("rule", *({one.name: f"{one.status}: {one.found}, limit {one.limit}" for one in each} for each in rules))
    yield from maps("precondition", *(dict.fromkeys(plan.preconditions, "assumption") for plan in (before, after)))


def magnitude(records: int | None) -> str | None:
    """`under 10 records`, `some 10s of records`, …: what is exact here is old when it is read."""
    if records is None:
        return None
    if records == 0:
        return "0 records"
    size = 10 ** (len(str(records)) - 1)
    return "under 10 records" if size == 1 else f"some {size:,}s of records"


def facts(part: str, facts: Mapping[str, tuple[object, ...]]) -> Iterator[Line]:
    for what, (was, found) in facts.items():
        if was != found:
            yield Line(part, what, None if was is None else str(was), None if found is None else str(found))


def maps(
    part: str, before: Mapping[str, V], after: Mapping[str, V], *, show: Callable[[V], str] = str, both: bool = False
) -> Iterator[Line]:
    """`both`: only what is in both, because another part lists who joined and left."""
    for key in {**before, **after}:
        was, found = before.get(key), after.get(key)
        present = key in before, key in after
        if (was != found or present[0] != present[1]) and (all(present) or not both):
            yield Line(
                part,
                key,
                show(before[key]) if present[0] else None,
                show(after[key]) if present[1] else None,
            )


def setting(value: ConfigValue) -> str:
    return "not set" if value is None else ",".join(value) or "empty" if isinstance(value, tuple) else str(value)


def shown(text: str | None) -> str:
    """For a line of a table."""
    return "-" if text is None else printable(text, 600)


DIFFERENCE = codec_of(GroupDifference)
