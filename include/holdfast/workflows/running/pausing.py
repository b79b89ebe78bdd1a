"""A person's pause of a plan: a file in the lake, `plans/<plan id>/pause.json`. A run that finds one stops before its next act.

To stop is always safe, so whatever is there pauses, signed or not, readable or not. To go on is a person's: the file is removed.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from holdfast.errors import HoldfastError, InvalidInput
from holdfast.ports import Lake, LakePath
from holdfast.rollout.json import instants, strict
from holdfast.rollout.json.codec import INSTANT, NAME, TEXT
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.json.strict import FORMAT_VERSION, dumps, loads
from holdfast.rollout.text.format import printable
from holdfast.workflows import plan as plans

LARGEST = 64 * 1024


@record(version=FORMAT_VERSION, about="A person has paused the run of a plan.")
class Pause:
    """`at` is ISO 8601, UTC."""

    plan_id: str = member(NAME)
    by: str = member(NAME)
    at: str = member(INSTANT)
    reason: str = member(TEXT)


def pause(lake: Lake, plan_id: str, by: str, reason: str, now: datetime) -> Pause:
    """Raise InvalidInput for a plan that the lake does not have."""
    strict.refuse_secrets({"reason": reason})
    _refuse_unknown(lake, plan_id)
    made = Pause(plan_id, by, instants.to_second(now), reason)
    lake.write(_place(plan_id), dumps(codec_of(Pause).write(made), indent=2).encode())
    return made


def resume(lake: Lake, plan_id: str) -> None:
    """Raise as `pause`."""
    _refuse_unknown(lake, plan_id)
    lake.remove(_place(plan_id))


@dataclass(frozen=True, slots=True)
class FoundPause:
    """A pause. `text`: who paused the plan and why; `mark`: a digest of its file, which another pause does not have; None: the file
    cannot be read. `at`: when, ISO 8601; empty where that is unknown."""

    text: str
    mark: str | None
    at: str = ""


def found(lake: Lake, plan_id: str) -> FoundPause | None:
    """None: no one has paused the plan."""
    if not lake.exists(_place(plan_id)):
        return None
    mark = None
    try:
        content = lake.read(_place(plan_id), LARGEST)
        mark = f"sha256:{hashlib.sha256(content).hexdigest()}"
        one = codec_of(Pause).read(loads(content))
    except HoldfastError:
        return FoundPause("It is paused, by a file that cannot be read.", mark)
    reason = f": {printable(one.reason, 500)}" if one.reason else ""
    return FoundPause(f"Paused by {printable(one.by, 200)}{reason}.", mark, one.at)


def paused(lake: Lake, plan_id: str) -> str | None:
    """Who paused the plan and why, in words. None: no one."""
    pause = found(lake, plan_id)
    return None if pause is None else pause.text


def _refuse_unknown(lake: Lake, plan_id: str) -> None:
    if plan_id not in plans.ids(lake):
        raise InvalidInput(f"the lake has no plan {printable(plan_id, 100)}")


def _place(plan_id: str) -> LakePath:
    return (plans.FOLDER, plan_id, "pause.json")
