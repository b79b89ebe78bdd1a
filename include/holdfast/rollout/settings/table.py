"""All rules, theme by theme. A new rule is a value in one of these modules."""

from holdfast.rollout.settings.rule import Rule
from holdfast.rollout.settings.rules import (
    brokers,
    bugs,
    classes,
    exactly_once,
    fetching,
    polling,
    producing,
    protocol,
    racks,
    security,
    standbys,
    state,
    static_members,
    threads,
    timing,
    topic_values,
    topics,
    values,
    warm_ups,
)

THEMES: tuple[tuple[str, tuple[Rule, ...]], ...] = (
    ("Warm-ups", warm_ups.RULES),
    ("Standbys", standbys.RULES),
    ("Racks", racks.RULES),
    ("Sessions and heartbeats", timing.RULES),
    ("Static membership", static_members.RULES),
    ("Polls, requests and metadata", polling.RULES),
    ("Reaching the brokers", brokers.RULES),
    ("Security", security.RULES),
    ("State directories and stores", state.RULES),
    ("Exactly-once and commits", exactly_once.RULES),
    ("The producer", producing.RULES),
    ("Fetches and buffers", fetching.RULES),
    ("Internal topics", (*topics.RULES, *topic_values.RULES)),
    ("Threads and upgrades", threads.RULES),
    ("Group protocols", protocol.RULES),
    ("Keys and values", (*values.RULES, *classes.RULES)),
    ("Bugs of a release", bugs.RULES),
)
RULES: tuple[Rule, ...] = tuple(rule for _, rules in THEMES for rule in rules)
BY_NAME = {rule.name: rule for rule in RULES}
