"""Why nothing can be predicted of an option, as a value, and in words."""

from enum import StrEnum

from holdfast.errors import CannotPredict, InvalidInput, MoveRejected, TooMuchWork, TopologyRejected, Unsupported
from holdfast.rollout.json.codec import TEXT, choice
from holdfast.rollout.json.record import codec_of, member, record


class Refuses(StrEnum):
    """`EVIDENCE`: it is not there; `WORK`: it would take more than is allowed; `UNSUPPORTED`: something is not modelled; `ORDER`:
    an event needs what comes later in this option; `OUTCOME`: the forecast has none; `MISFIT`: the change does not fit the group
    then; `TOO_LARGE`: the group, for a forecast next to others.

    The others say why an option does not apply to this group: `NO_INTERVAL`: its coordinator's release has no assignment interval
    (`reason`: the release); `INTERVAL_TOO_SHORT`: a client usually takes longer to start (`reason`: both); `NO_MORE_STANDBYS`: it
    has as many as brokers allow (`reason`: how many); `NO_OTHER_CLIENT`: no other client could take a copy; `NO_STATIC_MEMBERS`:
    its coordinator refuses them (`reason`: the release); `STATIC_NOT_COVERED`: their effect is not forecast; `IDS_ALREADY_KEPT`:
    every client keeps its process ID; `NO_RESTART`: no client of the change comes back; `NO_BETTER_ORDER`: none of those tried
    (`reason`: how many of how many). `TOPOLOGY`: its coordinator rejects the topology that the change makes; `MOVE`: a classic
    group cannot move to group.protocol=streams; `STATE_IN_MEMORY`: no process ID is kept; `NO_BETTER_IDS`: with other process IDs
    no more tasks would find their state; `NO_DYNAMIC_MEMBER`: every consumer that restarts is static already."""

    EVIDENCE = "evidence"
    WORK = "work"
    UNSUPPORTED = "unsupported"
    ORDER = "order"
    OUTCOME = "outcome"
    MISFIT = "misfit"
    TOO_LARGE = "too_large"
    TOPOLOGY = "topology"
    MOVE = "move"
    NO_INTERVAL = "no_interval"
    INTERVAL_TOO_SHORT = "interval_too_short"
    NO_MORE_STANDBYS = "no_more_standbys"
    NO_OTHER_CLIENT = "no_other_client"
    NO_STATIC_MEMBERS = "no_static_members"
    STATIC_NOT_COVERED = "static_not_covered"
    IDS_ALREADY_KEPT = "ids_already_kept"
    NO_BETTER_ORDER = "no_better_order"
    NO_RESTART = "no_restart"
    STATE_IN_MEMORY = "state_in_memory"
    NO_BETTER_IDS = "no_better_ids"
    NO_DYNAMIC_MEMBER = "no_dynamic_member"


_DOES_NOT_APPLY = {
    Refuses.NO_INTERVAL: "The coordinator of Kafka {reason} has no assignment interval (from 4.3 on): each stop and each"
    " start of a client leads to a target.",
    Refuses.INTERVAL_TOO_SHORT: "A client is not back within the assignment interval: {reason}.",
    Refuses.NO_MORE_STANDBYS: "The group has {reason} standby replicas already; brokers allow no more"
    " (group.streams.max.standby.replicas).",
    Refuses.NO_OTHER_CLIENT: "The group has one client: no other client could have a standby copy.",
    Refuses.NO_STATIC_MEMBERS: "The coordinator of Kafka {reason} refuses static members of Streams groups (group.instance.id; from"
    " 4.4 on).",
    Refuses.STATIC_NOT_COVERED: "What the coordinator of Kafka {reason} does with static members (group.instance.id) that stop or"
    " return is not covered by the forecast.",
    Refuses.NO_BETTER_ORDER: "{reason} were tried: none of them needs fewer hand-overs.",
    Refuses.NO_RESTART: "No client of the change comes back: static members (group.instance.id) spare restarts only.",
    Refuses.NO_DYNAMIC_MEMBER: "Every consumer that restarts has a group.instance.id already.",
    Refuses.STATE_IN_MEMORY: "The application keeps no store on disk, and so no process ID: every start makes a new one.",
    Refuses.NO_BETTER_IDS: "With other process IDs no more tasks would go where their state is.",
    Refuses.IDS_ALREADY_KEPT: "Every client of the change keeps its process ID already.",
}


@record
class Refusal:
    """`reason`: as the forecast says what is missing."""

    kind: Refuses = member(choice(Refuses))
    reason: str = member(TEXT, default="", omit=True)


REFUSAL = codec_of(Refusal)


def applies(one: Refusal) -> bool:
    """Whether it is about a forecast, and not about an option that the group cannot have."""
    return one.kind not in _DOES_NOT_APPLY


def refusal_of(problem: CannotPredict | Unsupported | InvalidInput) -> Refusal:
    match problem:
        case TopologyRejected():
            kind = Refuses.TOPOLOGY
        case MoveRejected():
            kind = Refuses.MOVE
        case Unsupported():
            kind = Refuses.UNSUPPORTED
        case InvalidInput():
            kind = Refuses.MISFIT
        case _:
            kind = Refuses.WORK if isinstance(problem, TooMuchWork) else Refuses.EVIDENCE
    return Refusal(kind, str(problem))


def sentence(one: Refusal) -> str:
    match one.kind:
        case Refuses.ORDER:
            return "The change cannot be made in this order."
        case Refuses.OUTCOME:
            return "the forecast has no outcome"
        case Refuses.TOO_LARGE:
            return "Not forecast: the group is so large that this takes minutes. Plan that change separately."
        case Refuses.TOPOLOGY:
            return f"The coordinator rejects the topology: {one.reason}"
        case Refuses.MOVE:
            return one.reason
        case _:
            return _DOES_NOT_APPLY.get(one.kind, "Cannot predict: {reason}").format(reason=one.reason)
