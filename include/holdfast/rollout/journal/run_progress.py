"""How far a run is, for people: `plans/<plan id>/progress.json`. Nothing is decided by it, and no run reads it to act."""

from enum import StrEnum

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.client_figures import CopiesReported, Held
from holdfast.rollout.json.codec import COUNT, INSTANT, NAME, TEXT, Codec, choice, items, nullable, row
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import FORMAT_VERSION

MOST_EVENTS = 12
MOST_CLIENTS = 48
LONGEST_TEXT = 1_000
"""Characters of one text."""


def _is_short(text: str) -> None:
    if len(text) > LONGEST_TEXT:
        raise InvalidInput(f"a text of {len(text):,} characters was found; {LONGEST_TEXT:,} are allowed")


def _rises(forecast: tuple[int, int]) -> None:
    if forecast[0] > forecast[1]:
        raise InvalidInput("the least and the most are needed, in this order")


_SHORT = TEXT.checked(_is_short)
_LEAST_AND_MOST: Codec[tuple[int, int]] = row(
    "the least and the most are needed", lambda low, high: (low, high), list, COUNT, COUNT
).checked(_rises)


class RunState(StrEnum):
    """`RUNNING`: it was, when it was last heard of; `PERSON`: it has ended, and a person has to do the next step."""

    RUNNING = "running"
    HALTED = "halted"
    PERSON = "waits for a person"
    FINISHED = "finished"


@record
class RunWait:
    """What the run waits for in `step`, since when, and how many seconds it waits at most; None: without a limit."""

    step: str = member(_SHORT)
    needed: str = member(_SHORT)
    since: str = member(INSTANT)
    limit_s: int | None = member(nullable(COUNT), default=None, omit=True)


@record
class Happened:
    """An event of a run. `event`: as `holdfast apply --run --json` names it; `step`: empty where it is about none."""

    at: str = member(INSTANT)
    event: str = member(_SHORT)
    step: str = member(_SHORT)
    text: str = member(_SHORT)


@record
class ReportSeen:
    """How far copies were when members last joined. `at`: the first look that showed it, with the ends of changelogs then; None: it
    was there before the run, so its time is unknown."""

    at: str | None = member(nullable(INSTANT))
    report: CopiesReported = member(codec_of(CopiesReported))


@record
class GroupSeen:
    """The group at the last look. `more`: how many clients are not listed; `copies`: as members reported them, if they do."""

    at: str = member(INSTANT)
    group_state: str | None = member(nullable(_SHORT))
    clients: tuple[Held, ...] = member(items(codec_of(Held), at_most=MOST_CLIENTS, what="clients"))
    more: int = member(COUNT, default=0)
    copies: ReportSeen | None = member(nullable(codec_of(ReportSeen)), default=None, omit=True)


@record(version=FORMAT_VERSION, about="How far the run of a plan is, for people; it decides nothing.")
class RunProgress:
    """`by`, on `host`: who the run is of; `run`: its Airflow run ID, None on the command line. `since`: when it began; `at`: its
    last sign of life. `rebalances`: completed since the plan's snapshot, `rebalances_forecast`: the least and the most of the plan.
    `lag`: in records. None: unknown, or not looked at.
    """

    plan_id: str = member(NAME)
    by: str = member(_SHORT)
    host: str = member(_SHORT)
    since: str = member(INSTANT)
    at: str = member(INSTANT)
    state: RunState = member(choice(RunState))
    run: str | None = member(nullable(_SHORT), default=None, omit=True)
    step: str = member(_SHORT, default="")
    text: str = member(_SHORT, default="")
    waiting: RunWait | None = member(nullable(codec_of(RunWait)), default=None, omit=True)
    rebalances: int | None = member(nullable(COUNT), default=None, omit=True)
    rebalances_forecast: tuple[int, int] | None = member(nullable(_LEAST_AND_MOST), default=None, omit=True)
    lag: int | None = member(nullable(COUNT), default=None, omit=True)
    lag_at: str | None = member(nullable(INSTANT), default=None, omit=True)
    seen: GroupSeen | None = member(nullable(codec_of(GroupSeen)), default=None, omit=True)
    events: tuple[Happened, ...] = member(items(codec_of(Happened), at_most=MOST_EVENTS, what="events"), default=())
