"""Regular expressions as RE2 matches whole topic names."""

import time

import pytest

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.coordinator.consumer.topic_regex import matching

TOPICS = ("orders", "Orders", "orders.dlq", "a", "aa", "aaa", "b-1", "b-22", "x_y")


@pytest.mark.parametrize(
    ("regex", "found"),
    [
        ("orders", "orders"),
        ("orders.*", "orders orders.dlq"),
        ("orders\\.dlq|a", "orders.dlq a"),
        ("(?i)ORDERS", "orders Orders"),
        ("(?i)[o]rders", "orders Orders"),
        ("a{2}", "aa"),
        ("a{2,}", "aa aaa"),
        ("a{0,2}?", "a aa"),
        ("(?:a|aa)+", "a aa aaa"),
        ("(?P<name>a)a*", "a aa aaa"),
        ("^a+$", "a aa aaa"),
        ("\\Aa\\z", "a"),
        ("b-\\d", "b-1"),
        ("b\\W[[:digit:]]{2}", "b-22"),
        ("[^a-z]rders", "Orders"),
        ("[\\w]_[]xy]", "x_y"),
        ("\\Qorders.\\Edlq", "orders.dlq"),
        ("\\borders\\b.*", "orders orders.dlq"),
        ("\\x61\\x{61}", "aa"),
        ("x\\By", ""),
        ("[[:^alpha:]b-]+22", "b-22"),
        ("a{x}|", ""),
        (".", "a"),
        ("[\\D]{3}", "aaa x_y"),
    ],
)
def test_what_matches(regex: str, found: str) -> None:
    assert matching(regex, TOPICS) == tuple(found.split())


@pytest.mark.parametrize(
    ("regex", "why"),
    [
        ("a(", "a '\\(' is not closed"),
        ("a)", "closes nothing"),
        ("*a", "nothing that '\\*' could repeat"),
        ("a**", "one repetition follows another"),
        ("a{2,1}", "no number of repetitions"),
        ("a{1001}", "no number of repetitions"),
        ("[a", "ends too early"),
        ("[b-a]", "ends before it begins"),
        ("[a-c-e]", "is no range"),
        ("[[:no:]]", "no class '\\[:no:\\]'"),
        ("\\", "ends too early"),
        ("\\y", "means nothing"),
        ("\\xzz", "is no character"),
        ("\\x{61", "a '\\{' is not closed"),
        ("(?P<a", "does not end"),
    ],
)
def test_what_is_none(regex: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=f"no regular expression of RE2: .*{why}"):
        matching(regex, TOPICS)


@pytest.mark.parametrize("regex", ["\\pL", "(?s)a", "(?=a)", "\\1", "((a{1000}){1000}){10}", "a" * 5_000, "(" * 4_000])
def test_what_is_not_covered(regex: str) -> None:
    with pytest.raises(Unsupported, match="not covered"):
        matching(regex, TOPICS)


def test_no_expression_takes_for_ever() -> None:
    started = time.process_time()

    assert matching("(a+)+b|(a|aa)*c", ("a" * 249,)) == ()
    assert time.process_time() - started < 5
