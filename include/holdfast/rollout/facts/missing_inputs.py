"""Inputs that a plan does not know, each with its sentence."""

from collections.abc import Iterable

from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.said_json import said
from holdfast.rollout.facts.sourced_text import Said, told
from holdfast.rollout.json.record import codec_of

NOT_KNOWN = said("unknown", "unknown_inputs", codec_of(Unknown))


def not_known(found: Iterable[Unknown]) -> tuple[Said[Unknown], ...]:
    return told(found, sentence)


def sentence(one: Unknown) -> str:
    return f"{one.what}: {one.reason}" if one.reason else one.what
