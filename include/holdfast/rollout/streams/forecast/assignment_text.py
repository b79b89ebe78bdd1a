"""The text of an Assignment's JSON written at once: the dicts and lists in between take five times as long as the text.

It is the text that `strict.dumps` makes of `assignment_to_json`: a test compares them.
"""

from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring_ascii

from holdfast.kafka.streams.group import Assignment, ConsumerAssignment, LeaderFailure, NextRebalance
from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout.json import fast_writer
from holdfast.rollout.streams.forecast.assignment_json import assignment_to_json

_quoted: Callable[[str], str] = encode_basestring_ascii
_REST = ',"standby":[],"withheld":[],"next_rebalance":"none"}'
_IDLE = f'{{"active":[]{_REST}'
_NOTHING = ((), (), (), NextRebalance.NONE)
_Known = dict[int, str]
"""The texts of tuples of tasks by identity: a client with one consumer has the same tuple as that."""


def assignment_to_text(decision: Assignment | LeaderFailure) -> str:
    """The JSON on one line."""
    if isinstance(decision, LeaderFailure) or decision.undetermined or decision.undetermined_tasks:
        return fast_writer.dumps(assignment_to_json(decision))
    known: _Known = {}
    clients = [
        f'"{_process_text(one.process_id)}":{{"active":{_tasks(one.active, known)},"standby":{_tasks(one.standby, known)}}}'
        for one in decision.clients
    ]
    consumers = [
        f"{_quoted(one[0])}:{_IDLE}" if one[1:] == _NOTHING else _consumer(one, known)  # idle threads may be thousands
        for one in decision.consumers
    ]
    probing = "true" if decision.probing_rebalance_needed else "false"
    return (
        f'{{"format_version":"1.0","probing_rebalance_needed":{probing},'
        f'"clients":{{{",".join(clients)}}},"consumers":{{{",".join(consumers)}}}}}'
    )


def _consumer(one: ConsumerAssignment, known: _Known) -> str:
    member_id, active, standby, withheld, when = one
    if not standby and not withheld and when is NextRebalance.NONE:
        return f'{_quoted(member_id)}:{{"active":{_tasks(active, known)}{_REST}'
    return (
        f'{_quoted(member_id)}:{{"active":{_tasks(active, known)},"standby":{_tasks(standby, known)},'
        f'"withheld":{_tasks(withheld, known)},"next_rebalance":"{when._value_}"}}'
    )


def _tasks(tasks: tuple[TaskId, ...], known: _Known) -> str:
    if not tasks:
        return "[]"
    text = known.get(id(tasks))
    if text is None:
        text = known[id(tasks)] = '["' + '","'.join(map(_task_text, tasks)) + '"]'
    return text


_task_text: Callable[[TaskId], str] = lru_cache(maxsize=2**14)(str)
_process_text: Callable[[ProcessId], str] = lru_cache(maxsize=2**12)(str)
