"""Does a policy check keep what it compares as values, and are its words made of those alone?"""

import json
from collections.abc import Callable, Mapping

import pytest
from tests.harness.article import AFTER, group
from tests.harness.plain_groups import change, member
from tests.harness.plain_groups import group as consumer_group
from tests.harness.plans import NOON, REPLACE_FIRST, article_plan, measured, planned

from holdfast.rollout.contract.assessment import Rule
from holdfast.rollout.contract.policy_measures import Measured, Room
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.options import read_words as of_consumers
from holdfast.rollout.options import restore_words, rule_words
from holdfast.rollout.policy.json import policy_from_json
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.streams.limits import rule_words as of_streams
from holdfast.rollout.timing import limit_words
from holdfast.workflows import plan as planning

ALL = policy_from_json(
    {
        "format_version": "1.0",
        "moved_in_all_percent_most": 10,
        "without_caught_up_copy_tasks_most": 1,
        "restored_bytes_most": 5,
        "restored_bytes_per_hour_most": 5,
        "disk_free_bytes_least": 7,
        "copies_on_one_client_percent_most": 110,
        "finish_before": "13:00Z",
        "windows": [{"from": "11:00Z", "to": "12:01Z"}],
        "actions": ["stop_client"],
        "untouchable_hosts": ["elsewhere"],
    }
)
Words = Callable[[Rule, Measured, Policy], tuple[str, str]]
WORDS: Mapping[str, Words] = {
    "forecast": lambda _, one, __: rule_words.forecast(one),
    "converges": lambda rule, one, _: rule_words.converges(one, rule.status),
    "collateral-migration": lambda _, one, __: rule_words.share(one, "stateful task"),
    "moved": lambda _, one, __: rule_words.share(one, "stateful task"),
    "time-to-stable": lambda _, one, policy: rule_words.time_to_stable(one, policy),
    "finish-before": lambda _, one, policy: limit_words.finish_before(one, policy),
    "windows": lambda _, one, __: limit_words.windows(one),
    "rebalances": lambda _, one, __: rule_words.rebalances(one),
    "actions": lambda rule, one, _: rule_words.actions(one, rule.status),
    "untouchable-hosts": lambda rule, one, _: rule_words.hosts(one, rule.status),
    "without-caught-up-copy": lambda _, one, policy: restore_words.without_copy(one, policy),
    "without-caught-up-copy-at-once": lambda _, one, __: of_streams.at_once(one),
    "restored-bytes": lambda _, one, __: restore_words.restored(one),
    "restored-bytes-per-hour": lambda _, one, __: restore_words.per_hour(one),
    "disk": lambda _, one, __: restore_words.disk(one),
    "copies-on-one-client": lambda _, one, __: of_streams.copies(one),
    "copied-in-time": lambda _, one, policy: of_streams.copied(one, policy),
    "evidence": lambda _, one, __: of_streams.evidence(one),
    "reads-on": lambda _, one, __: of_consumers.reads_on(one, ()),
    "partition-downtime": lambda _, one, __: of_consumers.partition_downtime(one),
}


def again(rule: Rule) -> Rule:
    """Written and read."""
    codec = codec_of(Rule)
    return codec.read(json.loads(json.dumps(codec.write(rule))))


@pytest.mark.parametrize("policy", [Policy(), ALL])
def test_the_words_are_made_of_the_values(policy: Policy) -> None:
    plan = planned(measured(group(AFTER)), REPLACE_FIRST, policy=policy)
    rules = [rule for one in plan.candidates for rule in one.rules]

    assert {"forecast", "converges", "rebalances", "without-caught-up-copy"} <= {rule.name for rule in rules}
    for rule in map(again, rules):
        assert rule.measured is not None
        assert WORDS[rule.name](rule, rule.measured, plan.policy) == (rule.found, rule.limit)
    assert tuple(map(again, plan.rules)) == plan.rules


def test_the_words_of_a_consumer_group() -> None:
    snapshot = consumer_group({"a": member(0, 1, 2), "b": member(3, 4, 5)})
    leaving = change({"remove_consumer": {"member_id": "a"}})
    plan = planning.make_from(("s", snapshot), ("c", leaving), Policy(), NOON)
    assert plan.recommended_option is not None

    for rule in map(again, plan.recommended_option.rules):
        assert rule.measured is not None
        if rule.name not in ("collateral-migration", "reads-on"):
            assert WORDS[rule.name](rule, rule.measured, Policy()) == (rule.found, rule.limit)


def test_figures() -> None:
    rules = {rule.name: rule.measured for rule in article_plan(Policy(moved_in_all_percent_most=50)).rules}

    assert rules["moved"] == Measured(most=0, of=6, limit=50)
    assert rules["forecast"] == Measured()


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (restore_words.disk(Measured(limit=0, rooms=(Room("app-1", 5, 3),))), "app-1 needs 5 B and has 3 B free"),
        (
            restore_words.disk(Measured(limit=0, unknown=("app-2",), names=("app-3",))),
            "unknown: app-2 app-3, if its clients share a disk",
        ),
        (restore_words.disk(Measured(limit=0)), "enough room, estimated from changelog sizes"),
        (restore_words.restored(Measured(limit=1)), "unknown: the size of changelogs, or bytes per record"),
        (restore_words.per_hour(Measured(limit=1)), "unknown: the size of changelogs, or bytes per record"),
        (of_streams.copies(Measured(limit=1)), "no copies"),
        (of_streams.copied(Measured(), Policy()), "unknown: measure the copy speed"),
        (of_streams.at_once(Measured(least=1, most=2, limit=1)), "1 to 2 tasks at once"),
        (of_consumers.reads_on(Measured(least=0, most=2), ()), "committed offset unknown: 2 partitions"),
        (of_consumers.partition_downtime(Measured(limit=1)), "unknown"),
        (limit_words.windows(Measured()), "no window is open"),
        (limit_words.windows(Measured(until="2026-11-20T12:00:00+00:00")), "never; the window closes at 2026-11-20 12:00Z"),
        (rule_words.time_to_stable(Measured(limit=60), Policy()), "never"),
        (rule_words.share(Measured(limit=60), "task"), "unknown"),
    ],
)
def test_what_is_not_known(found: tuple[str, str], says: str) -> None:
    assert found[0] == says
