"""The JSON of `holdfast guard` for a group whose broker assigns. Holdfast does not read it."""

from holdfast.rollout.broker_streams.guard.guard import BrokerGuard, ClientLoad, Finding, NextMove, Trap
from holdfast.rollout.broker_streams.snapshot.tasks import TASK
from holdfast.rollout.broker_streams.target.target import ASSIGNMENT
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import BOOLEAN, COUNT, NAME, NAMES, TEXT, TEXTS, choice, items, nullable
from holdfast.rollout.json.record import member, written_of

_MOVE = written_of(
    NextMove,
    task=member(TASK, name="task_id"),
    stateful=member(BOOLEAN),
    before=member(nullable(NAME), "The process ID of the client that has it now. Null: none has."),
    after=member(NAME),
    cold=member(BOOLEAN, "Whether it is stateful, and that client's disk has never had it."),
)
_CLIENT = written_of(
    ClientLoad,
    process_id=member(NAME),
    host=member(nullable(TEXT)),
    threads=member(COUNT),
    stateful_now=member(COUNT),
    stateful_next=member(COUNT),
)
_FINDING = written_of(Finding, trap=member(choice(Trap)), process_ids=member(NAMES), found=member(TEXT), remedy=member(TEXT))
GUARD = written_of(
    BrokerGuard,
    version=strict.FORMAT_VERSION,
    about="What the next target of a Streams group moves, whatever raises its group epoch.",
    stateful_tasks=member(COUNT),
    clients=member(items(_CLIENT), "How many stateful tasks each client runs now, and with the next target."),
    moved=member(items(_MOVE), "Tasks whose active owner will be another client."),
    between_threads=member(items(TASK), "Tasks that only change the thread inside their client."),
    standbys_moved=member(items(TASK), "Tasks whose standbys will be on other clients."),
    next_target=member(ASSIGNMENT),
    findings=member(items(_FINDING)),
    unknown=member(TEXTS),
)
"""Writes and describes it."""
