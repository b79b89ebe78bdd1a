"""`holdfast assign` for a consumer group whose broker assigns."""

from typing import Any

import pytest
from tests.unit.rollout.broker_consumer.snapshot.test_broker_consumer_snapshot import changed, document

from holdfast.errors import CannotPredict, HoldfastError, InvalidInput, Unsupported
from holdfast.workflows.deciding import assign_document


def assigned(snapshot: dict[str, Any], release: str | None = None) -> Any:
    return assign_document(snapshot, release, ())


def test_the_answer() -> None:
    assert assigned(document()) == {
        "format_version": "1.0",
        "assignor": "uniform",
        "members": {"m1": {"partitions": [["orders", 0], ["orders", 1]]}},
        "undetermined_partitions": [],
    }


def test_a_regular_expression_matches_the_topics_of_the_snapshot() -> None:
    by_regex = changed(("members", "m2"), {"subscription_regex": "ord.+", "target": []})
    by_regex["members"]["m1"] |= {"subscription": [], "subscription_regex": "ord.+"}

    assert assigned(by_regex)["members"] == {"m1": {"partitions": [["orders", 0]]}, "m2": {"partitions": [["orders", 1]]}}


def test_ranges_need_no_previous_target() -> None:
    ranges = changed(("members", "m1", "target"), None) | {"assignor": "range"}

    assert assigned(ranges)["members"] == {"m1": {"partitions": [["orders", 0], ["orders", 1]]}}


def test_what_depends_on_the_java_of_the_broker_is_said() -> None:
    crowded = changed(("topics", "orders", "partitions"), [{"id": number} for number in range(20)])
    crowded["members"] = {
        "a": {"subscription": ["orders"], "target": [["orders", number] for number in range(8, 20)]},
        "b": {"subscription": ["orders"], "target": []},
    }

    (about,) = assigned(crowded)["unknown"]
    assert "Java 19" in about["reason"]


@pytest.mark.parametrize(
    ("snapshot", "refusal", "said"),
    [
        (changed(("broker_release",), None), CannotPredict, "broker_release: .* is unknown; give one of 4.0.0"),
        (changed(("broker_release",), "3.9.1"), Unsupported, "not covered for consumer groups of the new protocol"),
        (changed(("assignor",), None), CannotPredict, "assignor: .* give one of 'uniform', 'range'"),
        (changed(("assignor",), "mine"), Unsupported, "the assignor 'mine' is not covered; 'uniform', 'range' are"),
        (changed(("members", "m1", "target"), None), CannotPredict, "members.m1.target is unknown"),
        (changed(("unknown",), [{"what": "members.m2", "reason": "gone"}]), CannotPredict, "members.m2 could not be read"),
        (
            changed(("unknown",), [{"what": "topics.orders", "reason": "no right"}]),
            CannotPredict,
            "topics.orders could not be read",
        ),
        (changed(("members", "m1", "subscription_regex"), "a("), InvalidInput, "members.m1.subscription_regex: .*is not closed"),
        (changed(("members", "m1", "subscription_regex"), "\\pL"), Unsupported, "members.m1.subscription_regex: .*not covered"),
    ],
)
def test_what_decides_and_is_not_known_is_refused(snapshot: dict[str, Any], refusal: type[HoldfastError], said: str) -> None:
    with pytest.raises(refusal, match=said):
        assigned(snapshot)


def test_no_setting_affects_it() -> None:
    with pytest.raises(InvalidInput, match="no setting affects the assignment"):
        assign_document(document(), None, (("consumer.session.timeout.ms", 1),))


def test_the_release_can_be_given() -> None:
    assert assigned(changed(("broker_release",), None), "4.0.0")["members"]["m1"]["partitions"] == [["orders", 0], ["orders", 1]]
