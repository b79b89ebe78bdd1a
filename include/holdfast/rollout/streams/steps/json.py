"""The JSON of steps and settings. Closed: an action or an input that is not known would be an order that nobody carries out."""

from collections.abc import Callable, Mapping
from typing import assert_never

from holdfast.errors import InvalidInput
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.contract.batches_json import LONGEST_STOP, MOST_PARTITIONS, MOST_THREADS
from holdfast.rollout.contract.settings import Who
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.strict import Fields, nullable, one_of
from holdfast.rollout.streams.steps.steps import (
    Action,
    AwaitRebalance,
    AwaitStable,
    ChangeThreads,
    CopyStateDirectory,
    DeployTopology,
    GrowTopic,
    RestartClient,
    SetConfig,
    SetRelease,
    StartClient,
    Step,
    StopClient,
    StopEverybody,
    verb,
)

MOST_STEPS = 100_000
LONGEST_LIMIT_S = 365 * 86_400


_host = nullable(strict.text)


_process_id = nullable(kafka.process_id)


def steps_from_json(value: object) -> tuple[Step, ...]:
    """Steps are numbered from 1 without a gap."""
    steps = strict.each(value, _step)
    if len(steps) > MOST_STEPS:
        raise InvalidInput(f"{len(steps):,} steps were found; {MOST_STEPS:,} are allowed")
    for number, step in enumerate(steps, start=1):
        if step.id != str(number):
            raise InvalidInput(f"the step with id {number} is needed, {strict.shown(step.id)} was found", f"[{number - 1}]")
    return steps


def _step(value: object) -> Step:
    fields = Fields(value)
    verb = fields.need("action", _verb)
    step = Step(
        id=fields.need("id", strict.name),
        action=fields.need("inputs", lambda inputs: _ACTIONS[verb](Fields(inputs)) if verb else AwaitStable(1)),
        who=fields.need("who", one_of(Who)),
        check_before=fields.need("check_before", strict.text),
        check_after=fields.need("check_after", strict.text),
        undo=fields.need("undo", strict.text),
        expect=fields.need("expect", strict.text),
    )
    fields.finish(closed=True)
    return step


def _verb(value: object) -> str:
    if not isinstance(value, str) or value not in _ACTIONS:
        raise InvalidInput(f"one of {', '.join(_ACTIONS)} is needed, {strict.shown(value)} was found")
    return value


def _stop(fields: Fields) -> Action:
    return _closed(fields, StopClient(fields.need("process_id", kafka.process_id), fields.need("host", _host)))


def _write(fields: Fields) -> Action:
    return _closed(
        fields,
        WriteProcessMetadata(
            fields.need("process_id", kafka.process_id),
            fields.need("host", _host),
            fields.need("source", _process_id),
            fields.optional("replaces", _process_id, None),
        ),
    )


def _copy(fields: Fields) -> Action:
    return _closed(
        fields,
        CopyStateDirectory(
            fields.need("process_id", kafka.process_id), fields.need("from_host", _host), fields.need("to_host", _host)
        ),
    )


def _start(fields: Fields) -> Action:
    return _closed(
        fields,
        StartClient(
            fields.need("process_id", _process_id),
            fields.need("threads", _threads),
            fields.need("host", _host),
        ),
    )


def _restart(fields: Fields) -> Action:
    return _closed(
        fields,
        RestartClient(
            fields.need("process_id", kafka.process_id),
            fields.need("host", _host),
            fields.need("comes_back_as", _process_id),
            fields.need("keeps_state", strict.boolean),
        ),
    )


def _set_config(fields: Fields) -> Action:
    return _closed(
        fields,
        SetConfig(
            fields.need("key", strict.name), fields.need("value", kafka.config_value), fields.need("was", kafka.config_value)
        ),
    )


def _set_release(fields: Fields) -> Action:
    return _closed(fields, SetRelease(fields.need("kafka_release", strict.name), fields.need("was", nullable(strict.name))))


def _set_threads(fields: Fields) -> Action:
    return _closed(
        fields,
        ChangeThreads(
            fields.need("process_id", kafka.process_id),
            fields.need("host", _host),
            fields.need("threads", _threads),
            fields.need("was", _threads),
        ),
    )


def _add_partitions(fields: Fields) -> Action:
    return _closed(
        fields,
        GrowTopic(
            fields.need("topic", strict.name),
            fields.need("partitions", lambda count: strict.integer(count, 1, MOST_PARTITIONS)),
        ),
    )


def _stop_application(fields: Fields) -> Action:
    return _closed(fields, StopEverybody(fields.need("minutes", _minutes)))


def _deploy_topology(fields: Fields) -> Action:
    return _closed(fields, DeployTopology(fields.need("tasks", strict.offset), fields.need("keeps_state", strict.boolean)))


def _threads(value: object) -> int:
    return strict.integer(value, 1, MOST_THREADS)


def _minutes(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_STOP:
        raise strict.mismatch(f"a number of minutes, up to {LONGEST_STOP:,}", value)
    return value


def _await_rebalance(fields: Fields) -> Action:
    return _closed(fields, AwaitRebalance(fields.need("limit_s", _limit)))


def _await_stable(fields: Fields) -> Action:
    return _closed(fields, AwaitStable(fields.need("limit_s", _limit)))


def _limit(value: object) -> int:
    return strict.integer(value, 1, LONGEST_LIMIT_S)


def _closed(fields: Fields, action: Action) -> Action:
    fields.finish(closed=True)
    return action


_ACTIONS: Mapping[str, Callable[[Fields], Action]] = {
    "stop_client": _stop,
    "write_process_metadata": _write,
    "copy_state_directory": _copy,
    "start_client": _start,
    "restart_client": _restart,
    "set_config": _set_config,
    "set_release": _set_release,
    "set_threads": _set_threads,
    "add_partitions": _add_partitions,
    "stop_application": _stop_application,
    "deploy_topology": _deploy_topology,
    "await_rebalance": _await_rebalance,
    "await_stable": _await_stable,
}


def steps_to_json(steps: tuple[Step, ...]) -> list[object]:
    return [
        {
            "id": step.id,
            "action": verb(step.action),
            "who": step.who.value,
            "inputs": _inputs(step.action),
            "check_before": step.check_before,
            "check_after": step.check_after,
            "undo": step.undo,
            "expect": step.expect,
        }
        for step in steps
    ]


def _inputs(action: Action) -> dict[str, object]:
    match action:
        case StopClient():
            return {"process_id": str(action.process_id), "host": action.host}
        case WriteProcessMetadata():
            replaces = {} if action.replaces is None else {"replaces": str(action.replaces)}
            return {"process_id": str(action.process_id), "host": action.host, "source": _text(action.source), **replaces}
        case CopyStateDirectory():
            return {"process_id": str(action.process_id), "from_host": action.from_host, "to_host": action.to_host}
        case StartClient():
            return {"process_id": _text(action.process_id), "threads": action.threads, "host": action.host}
        case RestartClient():
            return {
                "process_id": str(action.process_id),
                "host": action.host,
                "comes_back_as": _text(action.comes_back_as),
                "keeps_state": action.keeps_state,
            }
        case SetConfig() | SetRelease() | ChangeThreads() | GrowTopic() | StopEverybody() | DeployTopology():
            return _inputs_for_all(action)
        case AwaitRebalance(limit_s) | AwaitStable(limit_s):
            return {"limit_s": limit_s}
        case _:
            assert_never(action)


def _inputs_for_all(
    action: SetConfig | SetRelease | ChangeThreads | GrowTopic | StopEverybody | DeployTopology,
) -> dict[str, object]:
    match action:
        case SetConfig():
            return {
                "key": action.key,
                "value": kafka.config_value_to_json(action.value),
                "was": kafka.config_value_to_json(action.was),
            }
        case SetRelease():
            return {"kafka_release": action.kafka_release, "was": action.was}
        case ChangeThreads():
            return {"process_id": str(action.process_id), "host": action.host, "threads": action.threads, "was": action.was}
        case GrowTopic():
            return {"topic": action.topic, "partitions": action.partitions}
        case StopEverybody(minutes):
            return {"minutes": minutes}
        case DeployTopology():
            return {"tasks": action.tasks, "keeps_state": action.keeps_state}
        case _:
            assert_never(action)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
