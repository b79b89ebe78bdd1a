"""The steps of a change: what people and Holdfast do, in order, with what to check before and after each and how to go back.

Within a batch of events (they take effect together) files that can be prepared come first, then all stops, then the files and disks
that need the old process gone, then all starts. So the group is short of a client for as little time as can be.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import assert_never

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.batches import FromOld, Then, Wait
from holdfast.rollout.contract.requests import Disk
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json.kafka import ConfigValue
from holdfast.rollout.streams.change.change import (
    AddClient,
    AddPartitions,
    Change,
    Event,
    NewClient,
    RemoveClient,
    ReplaceClient,
    RestartClient,
    RollingRestart,
    SetConfig,
    SetRelease,
    SetThreads,
    SetTopology,
    StopApplication,
)
from holdfast.rollout.streams.options import otherwise
from holdfast.rollout.streams.options.rewrites.identities import keeps_ids
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps import for_all
from holdfast.rollout.streams.steps.drafts import Draft, Phase
from holdfast.rollout.streams.steps.steps import (
    AwaitRebalance,
    AwaitStable,
    ChangeThreads,
    CopyStateDirectory,
    DeployTopology,
    GrowTopic,
    StartClient,
    Step,
    StopClient,
    StopEverybody,
)
from holdfast.rollout.streams.steps.steps import RestartClient as RestartInPlace
from holdfast.rollout.streams.steps.steps import SetConfig as RollOutConfig
from holdfast.rollout.streams.steps.steps import SetRelease as RollOutRelease
from holdfast.rollout.text.wording import host_or, listed, many

PROCESS_FILE = "kafka-streams-process-metadata"
FIRST_LIMIT_S = 3_600
"""How long a step waits until the plan knows its forecast and says better."""


class Identity(StrEnum):
    """How a client gets its process ID: as the change says, by a file written before its start, or with the disk."""

    AS_IT_COMES = "as it comes"
    FILE = "file"
    DISK = "disk"


def steps_of(snapshot: Snapshot, meant: Change, change: Change, identity: Identity) -> tuple[Step, ...]:
    """All steps of `change`, numbered from 1; the last one waits until the group is stable.

    `meant` is what the operator asked for: `identity` is for the events that are not in it.
    """
    drafts: list[Draft] = []
    config = dict(snapshot.config)
    phases = tuple(Phase)
    for lot, wait in _lots(change):
        together: list[Draft] = []
        for item in lot:
            for draft in _drafts(snapshot, config, item, Identity.AS_IT_COMES if item in meant.events else identity):
                together.append(draft)
                if isinstance(draft.action, RollOutConfig):
                    config[draft.action.key] = draft.action.value
        drafts.extend(sorted(together, key=lambda draft: phases.index(draft.phase)))
        drafts.append(wait_for(wait))
    return tuple(
        Step(str(number), draft.action, draft.who, draft.check_before, draft.check_after, draft.undo, draft.expect)
        for number, draft in enumerate(drafts, start=1)
    )


def _lots(change: Change) -> Iterator[tuple[list[Event | RollingRestart], Wait]]:
    """What takes effect together, and what the next waits for. What is rolled out comes before the rest, and is waited for."""
    lot: list[Event | RollingRestart] = []
    for item in (*change.events, Then(Wait.STABLE)):
        if not isinstance(item, Then):
            lot.append(item)
            if isinstance(item, RollingRestart):
                yield lot, item.wait
                lot = []
        elif lot:
            yield lot, item.wait
            lot = []


def session_timeout(snapshot: Snapshot) -> str:
    """How long the group waits for a client that is gone, in words. Kafka: 10 s up to 2.8, 45 s from 3.0, unless set."""
    given = dict(snapshot.config).get("session.timeout.ms")
    if isinstance(given, int | str) and str(given).isdecimal():
        return f"{int(given) // 1000} s"
    if snapshot.kafka_release is None:
        return "the session timeout (session.timeout.ms)"
    return "10 s" if snapshot.kafka_release.startswith("2.") else "45 s"


def in_time(snapshot: Snapshot) -> str:
    """How long a client may be away, from when its stop begins: its session began with its last heartbeat."""
    try:
        return f"{otherwise.in_time_s(snapshot):g} s"
    except (CannotPredict, InvalidInput, Unsupported):
        return "the session timeout (session.timeout.ms) minus a heartbeat interval"


def _drafts(
    snapshot: Snapshot, config: Mapping[str, ConfigValue], event: Event | RollingRestart, identity: Identity
) -> tuple[Draft, ...]:
    """`config`: the group's settings by then."""
    match event:
        case AddClient(client):
            return _added(client, identity, kept=keeps_ids(snapshot))
        case RemoveClient(process_id, leaves):
            stop = _stop(snapshot, process_id, has_successor=False)
            return (_leaving(snapshot, stop) if leaves else stop,)
        case ReplaceClient():
            return _replaced(snapshot, event, identity)
        case RestartClient():
            return _restarted(snapshot, event, identity)
        case SetConfig(settings):
            return _settings(snapshot, config, settings)
        case SetRelease(kafka_release):
            return (for_all.release(snapshot, RollOutRelease(kafka_release, snapshot.kafka_release)),)
        case RollingRestart():
            if not event.rolls_out:
                raise Unsupported("No step restarts a client whose process ID is not known yet; name the clients to restart.")
            releases = () if event.kafka_release is None else (RollOutRelease(event.kafka_release, snapshot.kafka_release),)
            return (*(for_all.release(snapshot, one) for one in releases), *_settings(snapshot, config, event.settings))
        case SetThreads() | AddPartitions() | StopApplication() | SetTopology():
            return (for_all.draft(snapshot, event),)
        case _:
            assert_never(event)


def _settings(
    snapshot: Snapshot, config: Mapping[str, ConfigValue], settings: tuple[tuple[str, ConfigValue], ...]
) -> tuple[Draft, ...]:
    return tuple(for_all.setting(snapshot, RollOutConfig(key, value, config.get(key))) for key, value in settings)


def _added(client: NewClient, identity: Identity, *, kept: bool) -> tuple[Draft, ...]:
    """Not `kept`: nobody reads a process ID from the disk."""
    host = client.host if isinstance(client.host, str) else None
    start = StartClient(client.process_id, client.threads or 1, host)
    draft = _start(start, "", "Stop it: the group returns to its present clients, with one more rebalance.")
    if client.process_id is None or identity is Identity.DISK or not kept:
        return (draft,)
    return (_write(WriteProcessMetadata(client.process_id, host, None)), draft)


def _replaced(snapshot: Snapshot, event: ReplaceClient, identity: Identity) -> tuple[Draft, ...]:
    old = snapshot.client(event.process_id)
    old_host = old.host if old else None
    host = old_host if isinstance(event.by.host, FromOld) else event.by.host
    threads = event.by.threads or (len(old.consumers) if old else 1)
    start = StartClient(event.by.process_id, threads, host)
    soon = f"No more than {in_time(snapshot)} have passed since the stop of the old client began."
    undo = f"Stop it, delete its {PROCESS_FILE}, and start the old client again on its own disk."
    if event.late:
        soon = _missed(snapshot)
    drafts = [_stop(snapshot, event.process_id, has_successor=not event.late), _start(start, soon, undo)]
    if identity is Identity.DISK:
        drafts.append(_copy(CopyStateDirectory(event.process_id, old_host, host), in_time(snapshot)))
    elif event.by.process_id is not None and event.disk is not Disk.KEPT and keeps_ids(snapshot):
        source = event.process_id if event.by.process_id == event.process_id else None
        drafts.append(_write(WriteProcessMetadata(event.by.process_id, host, source)))
    return tuple(drafts)


def _restarted(snapshot: Snapshot, event: RestartClient, identity: Identity) -> tuple[Draft, ...]:
    old = snapshot.client(event.process_id)
    host = old.host if old else None
    threads = event.threads or (len(old.consumers) if old else 1)
    back = event.process_id if event.keeps_process_id else event.new_process_id
    if event.late:
        stop = _stop(snapshot, event.process_id, has_successor=False)
        return (stop, _start(StartClient(back, threads, host), _missed(snapshot), "Not needed: the client runs as before."))
    if identity is Identity.AS_IT_COMES:
        return (_restart(RestartInPlace(event.process_id, host, back, event.keeps_state), in_time(snapshot)),)
    soon = f"No more than {in_time(snapshot)} have passed since its stop began."
    start = _start(StartClient(back, threads, host), soon, "Not needed: the client runs as before.")
    drafts = [_stop(snapshot, event.process_id, has_successor=True), start]
    if identity is Identity.DISK:
        drafts.append(_copy(CopyStateDirectory(event.process_id, host, host), in_time(snapshot)))
    elif back is not None and keeps_ids(snapshot):
        replaces = event.process_id if event.keeps_state and back != event.process_id else None
        drafts.append(_write(WriteProcessMetadata(back, host, event.process_id, replaces)))
    return tuple(drafts)


def _missed(snapshot: Snapshot) -> str:
    """Before a client that is late may start."""
    return f"{session_timeout(snapshot)} have passed since the old process ended, and the group no longer lists its members."


def _stop(snapshot: Snapshot, process_id: ProcessId, *, has_successor: bool) -> Draft:
    client = snapshot.client(process_id)
    host = client.host if client else None
    stateful = {task.id: None for task in snapshot.tasks if task.stateful}
    tasks = [task for task, owner in order.owners(snapshot) if owner == process_id and task in stateful]
    until = "until its replacement runs" if has_successor else "until other clients take over"
    timeout = session_timeout(snapshot)
    return Draft(
        Phase.STOP,
        StopClient(process_id, host),
        Who.OPERATOR,
        f"The group is stable, and {process_id} is a member.",
        f"The process on {host_or(host, 'its host')} has ended. (The group lists its members for up to {timeout} more.)",
        f"Start it again on the same disk: within {in_time(snapshot)} nothing has moved.",
        f"Unavailable {until}: {many(len(tasks), 'stateful task')} ({listed(tasks)})." if tasks else "It runs no stateful task.",
    )


def _leaving(snapshot: Snapshot, stop: Draft) -> Draft:
    """A client that says that it leaves, which Kafka Streams does only if it is asked to (KIP-812, KIP-1153)."""
    timeout = session_timeout(snapshot)
    return replace(
        stop,
        check_before=f"{stop.check_before} Close it with KafkaStreams.close(CloseOptions) and leaveGroup: a client that is only"
        f" stopped does not leave, and its tasks are unavailable for up to {timeout} (to plan for that, set leaves: false).",
        check_after="The process has ended, and the group no longer lists its members.",
        undo="Start it again on the same disk: one more rebalance.",
    )


def _write(action: WriteProcessMetadata) -> Draft:
    gone = f"The process of {action.source} has ended. " if action.source else ""
    found = f"its process ID is {action.replaces}" if action.replaces else "it holds no other process ID"
    undo = f'Write {{"processId":"{action.replaces}"}} into' if action.replaces else "Delete"
    return Draft(
        Phase.HAND_OVER if action.source else Phase.PREPARE,
        action,
        Who.HOLDFAST,
        f"{gone}The application's directory in state.dir exists, no client runs on it, and {found}.",
        f'{PROCESS_FILE} holds {{"processId":"{action.process_id}"}}.',
        f"{undo} {PROCESS_FILE} there, as long as no client has started on that disk.",
        "No effect yet: the client reads the file when it starts.",
    )


def _copy(action: CopyStateDirectory, timeout: str) -> Draft:
    return Draft(
        Phase.HAND_OVER,
        action,
        Who.OPERATOR,
        "The old process has ended. A copy made while it runs is not consistent: RocksDB and checkpoints do not match. To save"
        " time, copy once before the stop, and only the changed files after it.",
        f"The copy is complete, {PROCESS_FILE} holds {action.process_id}, and copying took less than {timeout}.",
        "Delete the copy, and start the old client again on its own disk.",
        f"Nothing is restored. If it takes longer than {timeout}, other clients take over the tasks first.",
    )


def _start(action: StartClient, soon: str, undo: str) -> Draft:
    once = f"No other client runs with process ID {action.process_id}." if action.process_id else ""
    came = (
        f"The group has {action.process_id} with {many(action.threads, 'stream thread')}, and no other new client."
        if action.process_id
        else f"The group has one new client with {many(action.threads, 'stream thread')}."
    )
    before = " ".join(part for part in (soon, once) if part) or "The host is ready."
    return Draft(Phase.START, action, Who.OPERATOR, before, came, undo, "The client joins, and the group rebalances.")


def _restart(action: RestartInPlace, timeout: str) -> Draft:
    back = "a new random process ID" if action.comes_back_as is None else f"process ID {action.comes_back_as}"
    return Draft(
        Phase.START,
        action,
        Who.OPERATOR,
        f"The group is stable, and {action.process_id} is a member.",
        f"It has returned within {timeout}, with {back}.",
        "Not needed: the client runs as before.",
        "It returns with its state."
        if action.keeps_state
        else "It returns without state. (KafkaStreams#cleanUp before the start deletes it, and keeps the process ID.)",
    )


def wait_for(wait: Wait) -> Draft:
    stable = wait is Wait.STABLE
    return Draft(
        Phase.START,
        AwaitStable(FIRST_LIMIT_S) if stable else AwaitRebalance(FIRST_LIMIT_S),
        Who.HOLDFAST,
        "All previous steps are done.",
        "The group is stable, and every task is on the client that was forecast." if stable else "One rebalance has completed.",
        "Not needed: this step only reads. If it takes too long, stop here and compare with the forecast.",
        "",
    )


def with_waits(steps: tuple[Step, ...], limit_s: int, expect: str) -> tuple[Step, ...]:
    """The steps with the bound of the forecast in those that wait, and its words in the last of them."""
    last = max((index for index, step in enumerate(steps) if isinstance(step.action, AwaitStable)), default=0)

    def known(index: int, step: Step) -> Step:
        match step.action:
            case AwaitStable() if index == last:
                return replace(step, action=AwaitStable(limit_s), expect=expect)
            case AwaitStable():
                check = "The group is stable."
                return replace(step, action=AwaitStable(limit_s), check_after=check, expect="It converges before the next step.")
            case AwaitRebalance():
                return replace(step, action=AwaitRebalance(limit_s), expect="The group rebalances once.")
            case StopClient() | WriteProcessMetadata() | CopyStateDirectory() | StartClient() | RestartInPlace():
                return step
            case RollOutConfig() | RollOutRelease() | ChangeThreads() | GrowTopic() | StopEverybody() | DeployTopology():
                return step
            case _:
                assert_never(step.action)

    return tuple(known(index, step) for index, step in enumerate(steps))
