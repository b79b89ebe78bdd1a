"""The steps that are about every client, or about what the group works on: the operator does them."""

from typing import assert_never

from holdfast.rollout.contract.settings import Who
from holdfast.rollout.streams.change import change
from holdfast.rollout.streams.snapshot.snapshot import Snapshot
from holdfast.rollout.streams.steps.drafts import Draft, Phase
from holdfast.rollout.streams.steps.steps import ChangeThreads, DeployTopology, GrowTopic, SetConfig, SetRelease, StopEverybody
from holdfast.rollout.text.wording import host_or, many, printable

Event = change.SetThreads | change.AddPartitions | change.StopApplication | change.SetTopology


def draft(snapshot: Snapshot, event: Event) -> Draft:
    match event:
        case change.SetThreads():
            return _threads(snapshot, event)
        case change.AddPartitions():
            return _partitions(event)
        case change.StopApplication():
            return _stop_everybody(snapshot, event)
        case change.SetTopology():
            return _topology(snapshot, event)
        case _:
            assert_never(event)


def _threads(snapshot: Snapshot, event: change.SetThreads) -> Draft:
    client = snapshot.client(event.process_id)
    host = client.host if client else None
    was = len(client.consumers) if client else 1
    method = "addStreamThread" if event.threads > was else "removeStreamThread"
    times = many(abs(event.threads - was), "time")
    return Draft(
        Phase.START,
        ChangeThreads(event.process_id, host, event.threads, was),
        Who.OPERATOR,
        f"The group is stable, and {event.process_id} has {many(was, 'stream thread')}.",
        f"{event.process_id} on {host_or(host, 'its host')} has {many(event.threads, 'stream thread')}, all of them running.",
        f"Return to {many(was, 'stream thread')} with the opposite call: tasks that moved return, rebalance by rebalance.",
        f"KafkaStreams#{method} is called {times} in the running process. Its share of the tasks depends on its threads.",
    )


def _partitions(event: change.AddPartitions) -> Draft:
    topic = printable(event.topic)
    grown = " The changelogs of its tasks are given as many partitions first." if event.changelogs_grown else ""
    return Draft(
        Phase.CONFIGURE,
        GrowTopic(event.topic, event.partitions),
        Who.OPERATOR,
        f"The application tolerates that keys map to {many(event.partitions, 'partition')} of {topic}: a key in another partition"
        f" is processed by another task, without its previous state.{grown}",
        f"{topic} has {many(event.partitions, 'partition')}, and so has every changelog of its tasks.",
        "Not possible: Kafka cannot remove partitions.",
        "The group rebalances within metadata.max.age.ms.",
    )


def _stop_everybody(snapshot: Snapshot, event: change.StopApplication) -> Draft:
    clients = many(len(snapshot.clients), "client")
    return Draft(
        Phase.START,
        StopEverybody(event.minutes),
        Who.OPERATOR,
        "The group is stable, and the application may be down for this time.",
        f"{clients} have returned, each on its own disk and with its own process ID.",
        "Not needed: the clients run as before.",
        f"Every task is unavailable for {event.minutes:g} minutes, until all clients are started again.",
    )


def _topology(snapshot: Snapshot, event: change.SetTopology) -> Draft:
    disks = "on their own disks" if event.keeps_state else "on empty disks"
    return Draft(
        Phase.START,
        DeployTopology(len(event.tasks), event.keeps_state),
        Who.OPERATOR,
        "The group is stable. Topology#describe of the new build shows the subtopologies of this plan: their numbers are part of"
        " the names of tasks, of directories and, for stores without a name, of changelogs.",
        f"{many(len(snapshot.clients), 'client')} run the new build, and {many(len(event.tasks), 'task')} are assigned.",
        "Stop every client and start the old build, unless the new one has written data that the old one cannot read.",
        f"All clients stop, and start again together {disks}: two topologies in one group would take over each other's tasks.",
    )


def setting(snapshot: Snapshot, action: SetConfig) -> Draft:
    clients = len(snapshot.clients)
    value = "Kafka's default" if action.value is None else _shown(action.value)
    return Draft(
        Phase.CONFIGURE,
        action,
        Who.OPERATOR,
        "The group is stable. Restart one client, wait until the group is stable, then the next.",
        f"Every client has logged {printable(action.key)} = {value} at its start.",
        f"Set {printable(action.key)} back to {'its default' if action.was is None else _shown(action.was)}, by a rolling restart.",
        f"{many(clients, 'restart')}, one after the other, each with its own disk and process ID; no task migrates.",
    )


def release(snapshot: Snapshot, action: SetRelease) -> Draft:
    was = action.was or "the present release"
    return Draft(
        Phase.CONFIGURE,
        action,
        Who.OPERATOR,
        f"The group is stable, and Kafka's upgrade notes from {was} to {action.kafka_release} require nothing else. Restart one"
        " client on the new release, wait until the group is stable, then the next.",
        f"Every client has logged Kafka version: {action.kafka_release} at its start.",
        f"Return to {was} by a rolling restart, if the upgrade notes allow it: it may be unable to read the state that"
        f" {action.kafka_release} wrote.",
        f"{many(len(snapshot.clients), 'restart')}, one after the other, each with its own disk and process ID.",
    )


def _shown(value: object) -> str:
    return printable(",".join(value) if isinstance(value, tuple) else str(value))
