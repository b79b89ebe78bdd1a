"""What a snapshot says that it does not know: which field it is about is kept, the reason is a sentence, and is left out."""

import re

from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.redaction import settings
from holdfast.rollout.redaction.names import Names

LEFT_OUT = "the reason is left out"
_LISTED = """
    assigned begin_offset broker_release captured_at clients committed_offset config consumers end_offset end_offsets
    evidence forecast generation generations group_epoch group_state kafka_release leader_member_id leader_process_id
    log_bytes members missing_topics offsets owned partitions process_id process_ids recorded_targets replica_racks
    restore_rate stores state_directories subtopologies task_assignor task_offset_sums tasks topics topology unknown
"""
_FIELDS = frozenset(_LISTED.split())
_NUMBERED = re.compile(r"(.+)([-.])([0-9]{1,10})\Z", re.ASCII | re.DOTALL)
_OF_A_TASK = re.compile(r"[0-9_]{1,24}\Z", re.ASCII)


def redacted(unknown: tuple[Unknown, ...], names: Names) -> tuple[Unknown, ...]:
    return tuple(Unknown(_what(one.what, names), LEFT_OUT) for one in unknown)


def _what(what: str, names: Names) -> str:
    """`end_offset.orders-0`: the field, and what of it."""
    field, dot, about = what.partition(".")
    if field not in _FIELDS:
        return "redacted"
    if not dot:
        return field
    if field == "config" and settings.is_public(about):
        return what
    return f"{field}.{_about(about, names)}"


def _about(about: str, names: Names) -> str:
    known = names.known(about)
    if known is not None or _OF_A_TASK.match(about):
        return known or about
    parts = _NUMBERED.match(about)
    topic = None if parts is None else names.known(parts[1])
    return f"{topic}{parts[2]}{parts[3]}" if parts and topic is not None else "redacted"
