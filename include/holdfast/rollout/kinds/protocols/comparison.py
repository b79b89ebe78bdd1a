"""The comparison of protocols for one group: its deploys, what each of them costs under each protocol, what keeps the group from a
protocol, and how it gets there. The values; `compare` makes them, `words` renders them."""

from enum import StrEnum

from holdfast.rollout.contract.unknown_inputs import UNKNOWNS, Unknown
from holdfast.rollout.facts.moves import PREVENTIONS, Prevention
from holdfast.rollout.facts.refusals import REFUSAL, Refusal
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import BOOLEAN, COUNT, INSTANT, NAME, TEXT, choice, items, nullable, number
from holdfast.rollout.json.kafka_codecs import RELEASE
from holdfast.rollout.json.record import codec_of, member, record


class DeployKind(StrEnum):
    """What a group goes through. A scale-out adds one client (consumer), a scale-in removes one. A replacement stops
    what runs on a host and, once the group is stable, starts as much on another one, with empty disks and new IDs."""

    RESTART = "rolling restart"
    REPLACE = "replace a host"
    SCALE_OUT = "scale out"
    SCALE_IN = "scale in"


class CountedFrom(StrEnum):
    """Where the number of deploys a month is from. `ASSUMED`: nothing was given."""

    GIVEN = "given"
    PAST = "past"
    ASSUMED = "assumed"


class Applied(StrEnum):
    """What a protocol is looked at with. `MORE_STANDBYS`: one standby replica more than the group has; `LONG_INTERVAL`: an
    assignment interval of 15 s, in which each client but the first restarts right after the target before; `STATIC`: a
    `group.instance.id` for each member, back within its session; `UNIFORM`, `RANGE`: the assignor of the coordinator."""

    MORE_STANDBYS = "one more standby"
    LONG_INTERVAL = "long assignment interval"
    STATIC = "static members"
    UNIFORM = "uniform"
    RANGE = "range"


class Limit(StrEnum):
    """What a group does without, or has to do otherwise, under a protocol, for as long as it has it.

    Streams: `TOPOLOGY_CHANGES`: a deploy that changes the topology needs a new group; `NO_WARM_UPS`: tasks are handed over
    before the new client has their state; `NO_PATTERNS`: no topology may subscribe by pattern; `NO_STATIC_MEMBERS`;
    `CLIENT_STANDBYS_IGNORED`: standbys are a config of the group, at most 2; `NO_RACKS`: neither racks nor client tags place
    standbys; `OFFSETS_FROM_DISKS`: members report what their disks have, which decides and no snapshot shows.

    Consumers: `BROKER_ASSIGNORS`: the coordinator assigns, by `uniform` or `range`; `CLIENT_SETTINGS`: session and heartbeat
    are configs of the group; `ALL_BY_MEMBER_ID`: `range` goes by the order of random member IDs; `NO_RACKS`."""

    TOPOLOGY_CHANGES = "topology_changes"
    NO_WARM_UPS = "no_warm_ups"
    NO_PATTERNS = "no_patterns"
    NO_STATIC_MEMBERS = "no_static_members"
    CLIENT_STANDBYS_IGNORED = "client_standbys_ignored"
    NO_RACKS = "no_racks"
    OFFSETS_FROM_DISKS = "offsets_from_disks"
    BROKER_ASSIGNORS = "broker_assignors"
    CLIENT_SETTINGS = "client_settings"
    ALL_BY_MEMBER_ID = "all_by_member_id"


class Survives(StrEnum):
    """What of a group is still there after it has moved, and what is not (the names that begin with `LOST_`)."""

    OFFSETS = "committed_offsets"
    STATE = "state_on_disk"
    PROCESS_IDS = "process_ids"
    INSTANCE_IDS = "instance_ids"
    ASSIGNMENT = "assignment"
    LOST_ASSIGNMENT = "lost_assignment"
    LOST_MEMBER_IDS = "lost_member_ids"
    LOST_CLIENT_SETTINGS = "lost_client_settings"


class StepKind(StrEnum):
    """A step of a move. `reason` of a step: what it is about."""

    REMOVE_BLOCKERS = "remove_blockers"
    UPGRADE_BROKERS = "upgrade_brokers"
    UPGRADE_CLIENTS = "upgrade_clients"
    SET_GROUP_CONFIGS = "set_group_configs"
    SET_PROTOCOL = "set_protocol"
    STOP_ALL = "stop_all"
    WAIT_EMPTY = "wait_empty"
    START_ALL = "start_all"
    RESTART_EACH = "restart_each"
    CHECK = "check"
    GO_BACK = "go_back"


_MEAN = number("a number that is not negative", 0)
MOST_MONTHLY = 100_000
_MONTHLY = number(f"a number of deploys a month, 0 to {MOST_MONTHLY:,}", 0, MOST_MONTHLY)


@record
class Figures:
    """Means. `moves`: tasks (partitions) that are given to another client (consumer) than the one before, over all rebalances
    (targets); `cold_moves`: those of them that run only after their state is restored in full. None: unknown, or the group has
    no state."""

    moves: float = member(_MEAN)
    rebalances: float = member(_MEAN, "Under a new protocol: targets that the coordinator computes.")
    downtime_s: float | None = member(nullable(_MEAN), "Seconds without an owner, all tasks (partitions) together.")
    cold_moves: float | None = member(nullable(_MEAN), default=None)
    restored_bytes: float | None = member(nullable(_MEAN), "Of all copies, standbys included, at most.", default=None)
    restored_records: float | None = member(nullable(_MEAN), default=None)


@record
class Price:
    """What one deploy of a kind costs: the mean over `draws`, and the least and the most moves among them. `figures` None:
    `refused` says why nothing can be predicted."""

    deploy: DeployKind = member(choice(DeployKind))
    draws: int = member(COUNT, "Each has other random IDs, and another one of the clients that may be replaced, or leave.")
    figures: Figures | None = member(nullable(codec_of(Figures)))
    least_moves: int | None = member(nullable(COUNT), default=None, omit=True)
    most_moves: int | None = member(nullable(COUNT), default=None, omit=True)
    refused: Refusal | None = member(nullable(REFUSAL), default=None, omit=True)


@record
class MovePrice:
    """What the move to a protocol costs, once: as of a deploy, from the classic group until all are of that protocol."""

    draws: int = member(COUNT)
    figures: Figures | None = member(nullable(codec_of(Figures)), "Rebalances: of the classic group, and targets.")
    least_moves: int | None = member(nullable(COUNT), default=None, omit=True)
    most_moves: int | None = member(nullable(COUNT), default=None, omit=True)
    refused: Refusal | None = member(nullable(REFUSAL), default=None, omit=True)


@record
class ComparedProtocol:
    """One protocol. `release`: of the coordinator; None: the group's own leader assigns. `now`: what the group has. `month`: of all
    deploys of a month; None: one of their prices is unknown. `prevents`: what keeps the group from it. `moved`: None where the
    move is none, or is not priced."""

    name: str = member(NAME)
    protocol: str = member(NAME)
    release: str | None = member(nullable(RELEASE))
    applied: tuple[Applied, ...] = member(items(choice(Applied)))
    now: bool = member(BOOLEAN)
    prices: tuple[Price, ...] = member(items(codec_of(Price)))
    month: Figures | None = member(nullable(codec_of(Figures)))
    prevents: tuple[Prevention, ...] = member(PREVENTIONS, default=(), omit=True)
    limits: tuple[Limit, ...] = member(items(choice(Limit)), default=(), omit=True)
    moved: MovePrice | None = member(nullable(codec_of(MovePrice)), default=None, omit=True)


@record
class Deploy:
    """How often a group goes through it. `seen_days`: of how many days the past is that it was counted in."""

    kind: DeployKind = member(choice(DeployKind))
    monthly: float = member(_MONTHLY)
    source: CountedFrom = member(choice(CountedFrom))
    seen_days: float | None = member(nullable(_MEAN), default=None, omit=True)


@record
class MoveStep:
    kind: StepKind = member(choice(StepKind))
    reason: str = member(TEXT, default="", omit=True)


@record
class Move:
    """How the group gets to a new protocol. `online`: without a time in which all members are stopped. `survives`: what of the
    group is still there then, and what is not."""

    protocol: str = member(NAME)
    online: bool = member(BOOLEAN)
    steps: tuple[MoveStep, ...] = member(items(codec_of(MoveStep)))
    survives: tuple[Survives, ...] = member(items(choice(Survives)))


@record(version=strict.FORMAT_VERSION, about="What the deploys of one group cost under each protocol that it could have.")
class ProtocolComparison:
    """`members`: clients (consumers). `assigned`: stateful tasks (partitions). `seed`: of the random IDs that are drawn."""

    cluster: str = member(TEXT)
    group_id: str = member(NAME)
    captured_at: str | None = member(nullable(INSTANT))
    protocol: str = member(NAME)
    members: int = member(COUNT)
    assigned: int = member(COUNT)
    seed: int = member(COUNT)
    deploys: tuple[Deploy, ...] = member(items(codec_of(Deploy)))
    protocols: tuple[ComparedProtocol, ...] = member(items(codec_of(ComparedProtocol)), "The first is what the group has now.")
    move: Move = member(codec_of(Move))
    unknown: tuple[Unknown, ...] = member(UNKNOWNS)


COMPARISON = codec_of(ProtocolComparison)
"""Reads, writes and describes it."""
