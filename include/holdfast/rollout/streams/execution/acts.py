"""What Holdfast can do by itself of the steps of a plan for a Kafka Streams group: stop, start and restart processes.

All else is a person's: what needs a setting, another release, a copy or an empty disk; a stop after which the client leaves its
group; a start that has to wait until a session is over.
"""

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import ActionName
from holdfast.rollout.execution.acts import Act, Acts
from holdfast.rollout.journal.acted import Does
from holdfast.rollout.streams.events.remove_client import RemoveClient
from holdfast.rollout.streams.events.replace_client import ReplaceClient
from holdfast.rollout.streams.events.restart_client import RestartClient
from holdfast.rollout.streams.execution.verify import settled
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import AwaitRebalance, AwaitStable, RestartInPlace, StartClient, Step, StopClient


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


def waits(step: Step) -> bool:
    return isinstance(step.action, AwaitRebalance | AwaitStable)


def pending_s(step: Step, fresh: Snapshot) -> int | None:
    """A stable group whose last rebalance asked a member to rejoin has another one coming: a probing rebalance, or at once."""
    match step.action:
        case AwaitStable(limit_s) if settled(fresh) is False:
            return limit_s
        case _:
            return None
