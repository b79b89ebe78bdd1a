"""The ways to make a change, as data: one entry of `REMEDIES` each. `propose` lists those that make sense for a group and a change,
`evaluate` says what one of them costs.

To add a way, write a function that turns the operator's change into what Kafka will see (None: it makes no sense here), and add an
entry. Nothing else knows the ways by name, but for `plainly`, which the others are compared with.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout import chances, changelog_sizes, cost, events, guard, order, recipes, shorthands
from holdfast.rollout.change import AddClient, Change, Disk, Item, ReplaceClient, RestartClient, Then, Wait
from holdfast.rollout.change import RemoveClient as _RemoveClient
from holdfast.rollout.change import SetConfig as _SetConfigEvent
from holdfast.rollout.evaluation import Candidate, Effort, Evaluation
from holdfast.rollout.events import Scene
from holdfast.rollout.evolution import Reports
from holdfast.rollout.forecast import forecast
from holdfast.rollout.groups import any_group_of, transactional
from holdfast.rollout.passing_settings import FIRST_STANDBYS, RAISED_WARMUPS, SHORT_PROBING, PassingSetting
from holdfast.rollout.plan_value import PLAINLY
from holdfast.rollout.recipes import Identity
from holdfast.rollout.snapshot import Snapshot
from holdfast.rollout.steps import SetConfig, SettingChange

GAPS_MOST = 16
"""How many positions in the order are tried for a client that is added."""

Rewrite = Callable[[Snapshot, Change], Change | None]


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way to make a change. `title` may name `{was}` and `{to}`, the values of `setting`, where it has one."""

    name: str
    title: str
    rewrite: Rewrite
    identity: Identity
    effort: Effort
    preconditions: tuple[str, ...]
    wrong_if: str
    setting: PassingSetting | None = None


def propose(snapshot: Snapshot, change: Change) -> tuple[Candidate, ...]:
    """Every way that makes sense, `plainly` first; two ways that come to the same change and effort are one.

    Raise InvalidInput for a change that does not fit the group.
    """
    change = shorthands.written_out(snapshot, change)
    _refuse_misfit(snapshot, change)
    found: list[Candidate] = []
    for remedy in REMEDIES:
        rewritten = remedy.rewrite(snapshot, change)
        if rewritten is None or (remedy.setting is not None and not _helps(snapshot, change, remedy.setting)):
            continue
        candidate = _candidate(snapshot, change, rewritten, remedy)
        if all((candidate.change, candidate.effort) != (other.change, other.effort) for other in found):
            found.append(candidate)
    return tuple(found)


def _refuse_misfit(snapshot: Snapshot, change: Change) -> None:
    """Carry the events out once, without rebalances. What cannot be predicted at all is for `evaluate` to say."""
    try:
        reports = Reports(any_group_of(snapshot), change.assume, transactional=transactional(snapshot))
        ways = chances.chances(tuple(client.process_id for client in snapshot.clients), change)
    except (CannotPredict, Unsupported):
        return
    scene = Scene.of(snapshot)
    for batch in change.with_process_ids(ways[0].process_ids).numbered_batches():
        scene = events.apply(scene, batch, reports)


def evaluate(snapshot: Snapshot, candidate: Candidate) -> Evaluation:
    """The forecast of a candidate, in figures. Where nothing can be predicted, the evaluation says why."""
    try:
        predicted = forecast(snapshot, candidate.change)
        costs = cost.costs_of(snapshot, candidate.change, predicted)
    except (CannotPredict, Unsupported) as refusal:
        return Evaluation(candidate, (), (), f"Cannot predict: {refusal}")
    unknown = tuple(f"{one.what}: {one.reason}" for one in predicted.unknown if not one.about_log_sizes)
    heavy = sorted({task: None for one in costs for restore in one.restores if restore.size is None for task in restore.tasks})
    sizes = tuple(f"{one.what}: {one.reason}" for one in changelog_sizes.not_measured(snapshot, heavy))
    return Evaluation(candidate, costs, unknown, None, sizes)


def _candidate(snapshot: Snapshot, meant: Change, change: Change, remedy: Remedy) -> Candidate:
    steps = recipes.steps_of(snapshot, meant, change, remedy.identity)
    settings: tuple[SettingChange, ...] = ()
    title = remedy.title
    if remedy.setting is not None:
        key, value = remedy.setting.key, remedy.setting.value_for(snapshot)
        had = dict(snapshot.config).get(key)
        assert value is not None, "the setting was found to help"
        sets, puts_back = (recipes.set_config(snapshot, SetConfig(key, *values)) for values in ((value, had), (had, value)))
        settles = (recipes.wait_for(Wait.STABLE),) if remedy.setting.settles else ()
        steps = recipes.around(steps, (sets, *settles), puts_back)
        first = (_SetConfigEvent(((key, value),)), *((Then(Wait.STABLE),) if remedy.setting.settles else ()))
        change = replace(change, events=(*first, *change.events))
        settings = (SettingChange(key, value, had, "Put back once the group is stable: two rolling restarts in all."),)
        title = title.format(was=remedy.setting.default if had is None else had, to=value)
    return Candidate(remedy.name, title, change, steps, settings, remedy.preconditions, _wrong_if(change, remedy), remedy.effort)


def _wrong_if(change: Change, remedy: Remedy) -> str:
    """With the process IDs that it is about. Where none is new, or any will do, it is the group itself that must stay as it was."""
    if change.fresh_ids() or not _new_ids(change):
        return "Wrong if a client that is not in this plan joins, leaves or restarts before the group is stable."
    return remedy.wrong_if.format(ids=", ".join(str(one) for one in _new_ids(change)))


def _new_ids(change: Change) -> tuple[ProcessId, ...]:
    """The IDs under which clients join or come back, where the change says them."""
    found: list[ProcessId | None] = []
    for item in change.events:
        match item:
            case AddClient(client) | ReplaceClient(by=client):
                found.append(client.process_id)
            case RestartClient():
                found.append(item.process_id if item.keeps_process_id else item.new_process_id)
            case _:
                continue
    return tuple(one for one in found if one is not None)


# What a remedy makes of the operator's change.


def _as_it_is(snapshot: Snapshot, change: Change) -> Change | None:  # noqa: ARG001 - every rewrite takes both
    return change


def _with_old_id(snapshot: Snapshot, change: Change) -> Change | None:
    """Replaced and restarted clients keep the process ID that would be lost."""
    if not _keeps_ids(snapshot):
        return None
    return _each_event(change, _keep_id)


def _keep_id(item: Item) -> Item:
    match item:
        case ReplaceClient():
            return replace(item, by=replace(item.by, process_id=item.process_id))
        case RestartClient():
            return replace(item, keeps_process_id=True, new_process_id=None)
        case _:
            return item


def _with_old_disk(snapshot: Snapshot, change: Change) -> Change | None:
    """The same, and the state comes along."""
    if not _keeps_ids(snapshot):
        return None
    return _each_event(change, _keep_disk)


def _keep_disk(item: Item) -> Item:
    match item:
        case ReplaceClient(disk=Disk.EMPTY):
            return replace(item, by=replace(item.by, process_id=item.process_id), disk=Disk.KEPT)
        case RestartClient(keeps_state=False):
            return replace(item, keeps_process_id=True, new_process_id=None, keeps_state=True)
        case _:
            return item


def _with_seeds(snapshot: Snapshot, change: Change) -> Change | None:
    """New clients get fresh IDs: in the place of the one they replace, or where an additional one moves the fewest tasks."""
    if not _keeps_ids(snapshot):
        return None
    ids = tuple(client.process_id for client in snapshot.clients)
    added = sum(isinstance(item, AddClient) for item in change.events)
    best = _best_gap(snapshot, added) if added else ()
    seeds = iter(best)

    def seeded(item: Item) -> Item:
        match item:
            case ReplaceClient() if item.by.process_id != item.process_id:
                return replace(item, by=replace(item.by, process_id=order.seed_in_place_of(item.process_id, ids)))
            case RestartClient(keeps_process_id=False):
                return replace(item, new_process_id=order.seed_in_place_of(item.process_id, ids))
            case AddClient() if best:
                return replace(item, client=replace(item.client, process_id=next(seeds)))
            case _:
                return item

    return _each_event(change, seeded)


def _best_gap(snapshot: Snapshot, count: int) -> tuple[ProcessId, ...]:
    """IDs for `count` more clients, all in the gap where the fewest stateful tasks change hands; the last such gap."""
    group = any_group_of(snapshot)
    before = dict(order.target(group))
    gaps = order.gaps(client.process_id for client in snapshot.clients)
    stride = -(-len(gaps) // GAPS_MOST)
    threads = max(len(client.consumers) for client in snapshot.clients)
    best: tuple[int, tuple[ProcessId, ...]] | None = None
    for lower, upper, _ in (*gaps[:-1:stride], gaps[-1]):
        try:
            seeds = order.evenly_between(lower, upper, count)
        except InvalidInput:
            continue
        joined = tuple(cost.empty_client(snapshot.group_id, seed, threads) for seed in seeds)
        after = order.target(replace(group, clients=(*group.clients, *joined)))
        moved = sum(before.get(task) != owner for task, owner in after)
        if best is None or moved <= best[0]:
            best = (moved, seeds)
    return best[1] if best else ()


def _for_added_or_removed(rewrite: Rewrite) -> Rewrite:
    """Only where tasks must move whatever the order is: clients are added or removed."""

    def only_then(snapshot: Snapshot, change: Change) -> Change | None:
        must_move = any(isinstance(item, AddClient | _RemoveClient) for item in change.events)
        return rewrite(snapshot, change) if must_move else None

    return only_then


def _each_event(change: Change, rewrite: Callable[[Item], Item]) -> Change | None:
    """None where nothing would be different."""
    rewritten = replace(change, events=tuple(rewrite(item) for item in change.events))
    return None if rewritten == change else rewritten


def _helps(snapshot: Snapshot, change: Change, setting: PassingSetting) -> bool:
    """Such a setting matters where a client comes, goes or comes back; not where the change sets it itself."""
    sets_it = any(isinstance(item, _SetConfigEvent) and setting.key in dict(item.settings) for item in change.events)
    comes_or_goes = any(isinstance(item, AddClient | _RemoveClient | ReplaceClient | RestartClient) for item in change.events)
    return comes_or_goes and not sets_it and setting.value_for(snapshot) is not None


def _keeps_ids(snapshot: Snapshot) -> bool:
    """Whether clients keep their process ID in a file: from 2.6.2, 2.7.1 and 2.8.0 on, and only with a store on disk."""
    return snapshot.kafka_release not in guard.WITHOUT_PROCESS_FILE and any(task.stateful for task in snapshot.tasks)


def _where_a_disk_is_lost(rewrite: Rewrite) -> Rewrite:
    """Only where a client goes for good or comes back with nothing."""

    def only_then(snapshot: Snapshot, change: Change) -> Change | None:
        lost = any(
            isinstance(item, _RemoveClient)
            or (isinstance(item, ReplaceClient) and item.disk is Disk.EMPTY)
            or (isinstance(item, RestartClient) and not item.keeps_state)
            for item in change.events
        )
        return rewrite(snapshot, change) if lost else None

    return only_then


_ONE_ID = "Nothing else may run under the old process ID: two clients with one ID are one to Kafka, and it does not notice."
_ON_DISK = "The application keeps a store on disk and runs Kafka Streams 2.6.2, 2.7.1, 2.8.0 or later: others read no process ID."

_ROOM = "The disks have room for a second copy of every store, and brokers and clients can bear to restore it."
_STILL_BEHIND = "Wrong if a standby has not caught up when the client goes: Kafka calls the group stable before they have."

REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        name=PLAINLY,
        title="Make the change as it is",
        rewrite=_as_it_is,
        identity=Identity.AS_IT_COMES,
        effort=Effort.NONE,
        preconditions=(),
        wrong_if="Wrong if a client comes up under another process ID than {ids}.",
    ),
    Remedy(
        name="copy-process-metadata",
        title="Give the client its old process ID before it starts",
        rewrite=_with_old_id,
        identity=Identity.FILE,
        effort=Effort.ONE_FILE,
        preconditions=(_ON_DISK, _ONE_ID),
        wrong_if="Wrong if the new client comes up under another process ID than {ids}.",
    ),
    Remedy(
        name="seed-process-id",
        title="Give the new client a process ID that keeps the order",
        rewrite=_with_seeds,
        identity=Identity.FILE,
        effort=Effort.ONE_FILE,
        preconditions=(_ON_DISK,),
        wrong_if="Wrong if the new client comes up under another process ID than {ids}.",
    ),
    Remedy(
        name="copy-state-directory",
        title="Move the whole state directory, process ID included",
        rewrite=_with_old_disk,
        identity=Identity.DISK,
        effort=Effort.COPY_DISK,
        preconditions=(_ON_DISK, _ONE_ID, "The disk can be copied, after the old process has ended, within the session time-out."),
        wrong_if="Wrong if the copying takes longer than the session time-out: the others then take the tasks over first.",
    ),
    Remedy(
        name="raise-warmups",
        title="Raise max.warmup.replicas from {was} to {to} for the window",
        rewrite=_as_it_is,
        identity=Identity.AS_IT_COMES,
        effort=Effort.ROLLING_RESTARTS,
        preconditions=("Brokers and clients can bear that many restores at once.",),
        wrong_if="Wrong if the client that leads the group has not got the new max.warmup.replicas: only the leader's counts.",
        setting=RAISED_WARMUPS,
    ),
    Remedy(
        name="probe-more-often",
        title="Shorten probing.rebalance.interval.ms from {was} to {to} for the window",
        rewrite=_as_it_is,
        identity=Identity.AS_IT_COMES,
        effort=Effort.ROLLING_RESTARTS,
        preconditions=("The application bears a rebalance a minute while it warms up.",),
        wrong_if="Wrong if warm-ups need much more than a minute: the next probing rebalance then moves nothing.",
        setting=SHORT_PROBING,
    ),
    Remedy(
        name="standbys-first",
        title="Give every task a standby first ({was} to {to} num.standby.replicas), and put that back afterwards",
        rewrite=_where_a_disk_is_lost(_as_it_is),
        identity=Identity.AS_IT_COMES,
        effort=Effort.SECOND_COPIES,
        preconditions=(_ROOM,),
        wrong_if=_STILL_BEHIND,
        setting=FIRST_STANDBYS,
    ),
    Remedy(
        name="copy-process-metadata+standbys-first",
        title="Give every task a standby first ({was} to {to} num.standby.replicas), then the client its old process ID",
        rewrite=_where_a_disk_is_lost(_with_old_id),
        identity=Identity.FILE,
        effort=Effort.SECOND_COPIES,
        preconditions=(_ON_DISK, _ONE_ID, _ROOM),
        wrong_if=_STILL_BEHIND,
        setting=FIRST_STANDBYS,
    ),
    Remedy(
        name="seed-process-id+raise-warmups",
        title="Give the new client a process ID that keeps the order, and raise max.warmup.replicas from {was} to {to} meanwhile",
        rewrite=_for_added_or_removed(_with_seeds),
        identity=Identity.FILE,
        effort=Effort.ROLLING_RESTARTS,
        preconditions=(_ON_DISK, "Brokers and clients can bear that many restores at once."),
        wrong_if="Wrong if the new client comes up under another process ID than {ids}.",
        setting=RAISED_WARMUPS,
    ),
    Remedy(
        name="copy-process-metadata+raise-warmups",
        title="Give the client its old process ID before it starts, and raise max.warmup.replicas from {was} to {to} meanwhile",
        rewrite=_for_added_or_removed(_with_old_id),
        identity=Identity.FILE,
        effort=Effort.ROLLING_RESTARTS,
        preconditions=(_ON_DISK, _ONE_ID, "Brokers and clients can bear that many restores at once."),
        wrong_if="Wrong if the new client comes up under another process ID than {ids}.",
        setting=RAISED_WARMUPS,
    ),
)
