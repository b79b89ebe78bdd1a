"""What a verdict on a plan for a Kafka Streams group says of tasks and standby copies."""

from collections.abc import Iterator

from holdfast.rollout.execution.agreement import agreeing, owner
from holdfast.rollout.streams.execution.verdict import Verdict
from holdfast.rollout.text.wording import listed


def figures(verdict: Verdict) -> Iterator[tuple[str, str]]:
    yield "Tasks", agreeing([one.agrees for one in verdict.tasks])
    if verdict.standbys:
        yield "Standby copies", agreeing([one.agrees for one in verdict.standbys])


def rows(verdict: Verdict) -> tuple[tuple[str, str, str, str], ...]:
    active = ((str(one.task), "active", str(one.expected), owner(one.found)) for one in verdict.tasks if not one.agrees)
    standby = (
        (str(one.task), "standby", listed(one.expected) or "none", listed(one.found) or "none")
        for one in verdict.standbys
        if not one.agrees
    )
    return (*active, *standby)
