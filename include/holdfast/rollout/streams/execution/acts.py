"""What Holdfast can do by itself of the steps of a plan for a Kafka Streams group: stop, start and restart processes, and give all
clients other settings.

All else is a person's: what needs another release, a copy or an empty disk; a stop after which the client leaves its group; a start
that has to wait until a session is over.
"""

from collections.abc import Sequence

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.execution.acts import Act, Acts
from holdfast.rollout.execution.rolling_settings import ClientSetting, Configuring, Roll, as_text
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.events.rolling_restart import RollingRestart
from holdfast.rollout.streams.events.set_config import SetConfig
from holdfast.rollout.streams.execution.verify import settled
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot import defaults
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import (
    AwaitRebalance,
    AwaitStable,
    RestartInPlace,
    RollOutConfig,
    RollOutRelease,
    StartClient,
    Step,
    StopClient,
)


def acts(plan: Plan, step: Step) -> Acts | None:
    """None: a person does it."""
    match step.action:
        case StopClient(process_id=process_id, host=host) if not _by_hand(plan, process_id):
            return Acts((ActionName.STOP_CLIENT,), (Act(Does.STOP, str(process_id), host),))
        case StartClient(process_id=process_id, host=host) if not _by_hand(plan, process_id):
            client = "" if process_id is None else str(process_id)
            return Acts((ActionName.START_CLIENT,), (Act(Does.START, client, host, moves=_moves(plan, process_id, host)),))
        case RestartInPlace(process_id=process_id, host=host, comes_back_as=back, keeps_state=True):
            as_it_was = back in (None, process_id) and not _by_hand(plan, process_id)
            return Acts((ActionName.RESTART_CLIENT,), (Act(Does.RESTART, str(process_id), host),)) if as_it_was else None
        case _:
            return None


def _moves(plan: Plan, process_id: ProcessId | None, host: str | None) -> bool:
    """Whether the client that the plan stops under this process ID is on another host; or may be."""
    stopped = [one.action.host for one in plan.steps if isinstance(one.action, StopClient) and one.action.process_id == process_id]
    return any(one is None or host is None or one.removeprefix("/") != host.removeprefix("/") for one in stopped)


def _by_hand(plan: Plan, process_id: ProcessId | None) -> bool:
    """Whether it matters for the forecast how the client ends, when clients come back, or with what."""
    option = plan.recommended_option
    events = () if option is None else option.change.events
    leaving = (one for one in events if isinstance(one, RemoveClient) and one.process_id == process_id)
    late = any(one.late for one in events if isinstance(one, RestartClient | ReplaceClient))
    restarts = (one for one in events if isinstance(one, RestartClient) and one.process_id == process_id)
    return late or any(one.threads is not None for one in restarts) or any(one.leaves is not False for one in leaving)


def roll(plan: Plan, step: Step) -> Roll | None:
    """Of a step that gives all clients a setting: all that is rolled out together with it. None: it is none, or a person's."""
    if not isinstance(step.action, RollOutConfig):
        return None
    together = _rolled_together(plan.steps, step)
    at_once, clients = _at_once(plan), _clients_by(plan, together[0])
    settings = tuple(_setting(one.action) for one in together if isinstance(one.action, RollOutConfig))
    if at_once is None or not clients or len(settings) < len(together):
        return None
    each = [Configuring(settings, (one,), one) for one in clients]
    return Roll(together[0].id, tuple(tuple(each[first : first + at_once]) for first in range(0, len(each), at_once)))


def _rolled_together(steps: Sequence[Step], step: Step) -> list[Step]:
    """Settings and a release without another step in between come with one rolling restart."""
    found: list[Step] = []
    for one in steps:
        if isinstance(one.action, RollOutConfig | RollOutRelease):
            found.append(one)
        elif step in found:
            break
        else:
            found = []
    return found


def _setting(action: RollOutConfig) -> ClientSetting:
    default = defaults.SETTINGS.get(action.key)
    text = ",".join(map(str, default)) if isinstance(default, tuple) else None if default is None else str(default)
    return ClientSetting(action.key, as_text(action.was), as_text(action.value), text)


def _at_once(plan: Plan) -> int | None:
    """How many clients restart together. None: a person does it, since they come back otherwise than they were, or it differs."""
    option = plan.recommended_option
    found: set[int] = set()
    for one in () if option is None else option.change.events:
        if isinstance(one, SetConfig):
            found.add(1)
        elif isinstance(one, RollingRestart) and one.rolls_out:
            as_they_were = one.keeps_process_id and one.keeps_state and not one.late and one.process_ids is None
            found.add(one.at_once if as_they_were and one.kafka_release is None else 0)
        elif isinstance(one, RestartClient | ReplaceClient) and one.late:
            found.add(0)
    return found.pop() or None if len(found) == 1 else None


def _clients_by(plan: Plan, step: Step) -> tuple[Act, ...]:
    """The clients that there are when a step begins, in the order of their process IDs, each with its restart. None at all: one
    of them has no name, or another one than the plan knows."""
    found = {one.process_id: Act(Does.RESTART, str(one.process_id), one.host) for one in plan.basis.clients}
    for one in plan.steps[: plan.steps.index(step)]:
        match one.action:
            case StopClient(process_id=process_id):
                found.pop(process_id, None)
            case StartClient(process_id=None) | RestartInPlace(comes_back_as=None):
                return ()
            case StartClient(process_id=ProcessId() as process_id, host=host):
                found[process_id] = Act(Does.RESTART, str(process_id), host, moves=_moves(plan, process_id, host))
            case RestartInPlace(process_id=process_id, comes_back_as=back) if back != process_id:
                return ()
            case _:
                pass
    return tuple(found[one] for one in sorted(found))


def waits(step: Step) -> bool:
    return isinstance(step.action, AwaitRebalance | AwaitStable)


def pending_s(step: Step, fresh: Snapshot) -> int | None:
    """A stable group whose last rebalance asked a member to rejoin has another one coming: a probing rebalance, or at once."""
    match step.action:
        case AwaitStable(limit_s) if settled(fresh) is False:
            return limit_s
        case _:
            return None
