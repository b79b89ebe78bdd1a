"""What going back means for the steps of a plan for a Kafka Streams group."""

from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.execution.undo import Nature, Rollback
from holdfast.rollout.journal.back import ClientSeen
from holdfast.rollout.streams.execution.acts import roll
from holdfast.rollout.streams.plan.plan import Plan
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.steps import (
    AwaitRebalance,
    AwaitStable,
    DeployTopology,
    GrowTopic,
    RestartInPlace,
    RollOutConfig,
    StartClient,
    Step,
    StopAllClients,
    StopClient,
)


def rollback(plan: Plan, step: Step) -> Rollback:
    match step.action:
        case AwaitRebalance() | AwaitStable():
            return Rollback(Nature.NOTHING)
        case StopClient(process_id=process_id):
            return Rollback(Nature.PROCESSES, gone=(str(process_id),))
        case StartClient(process_id=process_id):
            if _returns(plan, step):
                return Rollback(Nature.AS_BEFORE)
            return Rollback(Nature.PROCESSES, new=(None if process_id is None else str(process_id),))
        case WriteProcessMetadata() as action:
            return Rollback(Nature.AS_BEFORE) if _returns(plan, step) else Rollback(Nature.FILE, file=action)
        case RestartInPlace(process_id=process_id, comes_back_as=back, keeps_state=keeps_state):
            if back != process_id:
                return Rollback(Nature.PERSON)
            return Rollback(Nature.AS_BEFORE if keeps_state else Nature.LOST)
        case RollOutConfig():
            found = roll(plan, step)
            return Rollback(Nature.PERSON) if found is None else Rollback(Nature.ROLL, roll=found)
        case StopAllClients():
            return Rollback(Nature.AS_BEFORE)
        case GrowTopic() | DeployTopology(keeps_state=False):
            return Rollback(Nature.LOST)
        case _:
            return Rollback(Nature.PERSON)


def _returns(plan: Plan, step: Step) -> bool:
    """Whether it is of a client that is stopped before, where it was and as what it was: a restart in several steps."""
    action = step.action
    assert isinstance(action, StartClient | WriteProcessMetadata), "steps of a client that comes"
    for one in reversed(plan.steps[: plan.steps.index(step)]):
        if isinstance(one.action, AwaitRebalance | AwaitStable):
            return False
        if isinstance(one.action, StopClient) and one.action.process_id == action.process_id:
            return one.action.host is not None and one.action.host == action.host
    return False


def clients(snapshot: Snapshot) -> tuple[ClientSeen, ...]:
    return tuple(
        ClientSeen(str(one.process_id), tuple(sorted(each.member_id for each in one.consumers))) for one in snapshot.clients
    )


def planned_for(plan: Plan) -> tuple[str, ...]:
    return tuple(str(one.process_id) for one in plan.basis.clients)
