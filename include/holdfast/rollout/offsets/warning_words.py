"""Warnings about offsets in words: their names and sentences."""

from collections.abc import Mapping

from holdfast.kafka.consumer.config import Reset
from holdfast.rollout.facts.sourced_text import Said
from holdfast.rollout.offsets.positions import Danger, OffsetWarning
from holdfast.rollout.text.format import listed, many, printable

LABELS: Mapping[Danger, str] = {Danger.SKIPS_DATA: "SKIPS DATA", Danger.STOPS_CONSUMERS: "STOPS CONSUMERS"}
OF_ANOTHER_VERSION = "WARNING"
_WITHOUT = "without a committed offset in range, and auto.offset.reset is"


def label(warning: Said[OffsetWarning]) -> str:
    return OF_ANOTHER_VERSION if warning.fact is None else LABELS[warning.fact.danger]


def labelled(warning: Said[OffsetWarning]) -> tuple[str, str]:
    """What it is called, and the rest of it. Of another version's the whole sentence."""
    return label(warning), warning.text if warning.fact is None else about(warning.fact)


def sentence(one: OffsetWarning) -> str:
    """`SKIPS DATA: 2 partitions (events-0 events-1) to take up without …`"""
    return f"{LABELS[one.danger]}: {about(one)}"


def about(one: OffsetWarning) -> str:
    """The sentence without its label."""
    if one.danger is Danger.STOPS_CONSUMERS:
        return f"{many(one.partitions, 'partition')} {_WITHOUT} none: a consumer that gets one of them throws."
    default = " (Kafka's default; it is not set)" if one.reset_is_default else ""
    partitions = listed([f"{printable(each.topic, 60)}-{each.partition}" for each in one.skipping])
    return f"{many(one.partitions, 'partition')} ({partitions}) {_WITHOUT} {one.reset_to}{default}: {_skipped(one)}."


def _skipped(one: OffsetWarning) -> str:
    if one.reset_to is Reset.BY_DURATION:
        return f"what is older than {one.duration} is never read"
    if one.records is None:
        return "what was written before they are found is never read; how much is unknown"
    return f"{many(one.records, 'record')} are never read"
