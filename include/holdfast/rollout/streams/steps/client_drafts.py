"""Steps that stop, start and restart one client, and move its process ID or disk; and steps that wait."""

from dataclasses import replace

from holdfast.errors import CannotPredict, InvalidInput, Unsupported
from holdfast.kafka.release import behaviour
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.streams.scene import outage
from holdfast.rollout.streams.scene.scene import Scene
from holdfast.rollout.streams.snapshot import ownership
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.drafts import Draft, StepOrder
from holdfast.rollout.streams.steps.steps import (
    AwaitRebalance,
    AwaitStable,
    CopyStateDirectory,
    RestartInPlace,
    StartClient,
    StopClient,
)
from holdfast.rollout.text.format import host_or, listed, many

PROCESS_FILE = "kafka-streams-process-metadata"
FIRST_LIMIT_S = 3_600
"""How long a step waits until the plan knows its forecast and says better."""


def session_timeout(snapshot: Snapshot) -> str:
    """How long the group waits for a client that is gone, in words."""
    given = dict(snapshot.config).get("session.timeout.ms")
    if isinstance(given, int | str) and str(given).isdecimal():
        return f"{int(given) // 1000} s"
    try:
        return f"{behaviour(snapshot.kafka_release or '').session_timeout_ms // 1000} s"
    except Unsupported:
        return "the session timeout (session.timeout.ms)"


def in_time(snapshot: Snapshot) -> str:
    """How long a client may be away, from when its stop begins: its session began with its last heartbeat."""
    try:
        return f"{outage.in_time_s(Scene.of(snapshot)):g} s"
    except (CannotPredict, InvalidInput, Unsupported):
        return "the session timeout (session.timeout.ms) minus a heartbeat interval"


def soon(snapshot: Snapshot, since: str) -> str:
    """Before a client may start that is to be back before anything moves."""
    return f"This client can join within {in_time(snapshot)} of {since}, start-up included. Later, its session has timed out."


def missed(snapshot: Snapshot) -> str:
    """Before a client that is late may start."""
    return f"{session_timeout(snapshot)} have passed since the old process ended, and the group no longer lists its members."


def stop(snapshot: Snapshot, process_id: ProcessId, *, has_successor: bool) -> Draft:
    client = snapshot.client(process_id)
    host = client.host if client else None
    stateful = {task.id: None for task in snapshot.tasks if task.stateful}
    tasks = [task for task, owner in ownership.owners(snapshot) if owner == process_id and task in stateful]
    until = "until its replacement runs" if has_successor else "until other clients take over"
    back = f" The client that takes its place must have joined within {in_time(snapshot)} of this stop." if has_successor else ""
    timeout = session_timeout(snapshot)
    return Draft(
        StepOrder.STOP,
        StopClient(process_id, host),
        Who.OPERATOR,
        f"The group is stable, and {process_id} is a member.",
        f"The process on {host_or(host, 'its host')} has ended. (The group lists its members for up to {timeout} more.)",
        f"Start it again on the same disk: within {in_time(snapshot)} nothing has moved.",
        (f"Unavailable {until}: {many(len(tasks), 'stateful task')} ({listed(tasks)})." if tasks else "It runs no stateful task.")
        + back,
    )


def leaving(snapshot: Snapshot, stop: Draft) -> Draft:
    """A client that says that it leaves, which Kafka Streams does only if it is asked to (KIP-812, KIP-1153)."""
    timeout = session_timeout(snapshot)
    return replace(
        stop,
        check_before=f"{stop.check_before} Close it with KafkaStreams.close(CloseOptions) and leaveGroup: a client that is only"
        f" stopped does not leave, and its tasks are unavailable for up to {timeout} (to plan for that, set leaves: false).",
        check_after="The process has ended, and the group no longer lists its members.",
        undo="Start it again on the same disk: one more rebalance.",
    )


def write(action: WriteProcessMetadata) -> Draft:
    gone = f"The process of {action.source} has ended. " if action.source else ""
    found = f"its process ID is {action.replaces}" if action.replaces else "it holds no other process ID"
    undo = f'Write {{"processId":"{action.replaces}"}} into' if action.replaces else "Delete"
    return Draft(
        StepOrder.HAND_OVER if action.source else StepOrder.PREPARE,
        action,
        Who.HOLDFAST,
        f"{gone}The application's directory in state.dir exists (else create it), no client runs on it, and {found}.",
        f'{PROCESS_FILE} holds {{"processId":"{action.process_id}"}}.',
        f"{undo} {PROCESS_FILE} in that directory, as long as no client has started on it.",
        "No effect yet: the client reads the file when it starts.",
    )


def copy(action: CopyStateDirectory, timeout: str) -> Draft:
    return Draft(
        StepOrder.HAND_OVER,
        action,
        Who.OPERATOR,
        "The old process has ended. A copy made while it runs is not consistent: RocksDB and checkpoints do not match. To save"
        " time, copy once before the stop, and only the changed files after it.",
        f"The copy is complete, {PROCESS_FILE} holds {action.process_id}, and copying took less than {timeout}.",
        "Delete the copy, and start the old client again on its own disk.",
        f"Nothing is restored. If it takes longer than {timeout}, other clients take over the tasks first.",
    )


def start(action: StartClient, soon: str, undo: str) -> Draft:
    once = f"No other client runs with process ID {action.process_id}." if action.process_id else ""
    came = (
        f"The group has {action.process_id} with {many(action.threads, 'stream thread')}, and no other new client."
        if action.process_id
        else f"The group has one new client with {many(action.threads, 'stream thread')}."
    )
    before = " ".join(part for part in (soon, once) if part) or "The host is ready."
    return Draft(StepOrder.START, action, Who.OPERATOR, before, came, undo, "The client joins, and the group rebalances.")


def restart(action: RestartInPlace, timeout: str) -> Draft:
    back = "a new random process ID" if action.comes_back_as is None else f"process ID {action.comes_back_as}"
    return Draft(
        StepOrder.START,
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
        StepOrder.START,
        AwaitStable(FIRST_LIMIT_S) if stable else AwaitRebalance(FIRST_LIMIT_S),
        Who.HOLDFAST,
        "All previous steps are done.",
        "The group is stable, and every task is on the client that was forecast." if stable else "One rebalance has completed.",
        "Not needed: this step only reads. If it takes too long, stop here and compare with the forecast.",
        "",
    )
