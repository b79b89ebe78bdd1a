"""What msgspec makes itself it checks as the careful reader does, and the values know nothing of it."""

from typing import NamedTuple

import msgspec
import pytest

from holdfast.kafka.streams.group import Changelog
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.json import typed
from holdfast.rollout.json.kafka_codecs import TOPIC_PARTITIONS
from holdfast.rollout.streams.snapshot.group_codecs import CHANGELOG


class _Pair(NamedTuple):
    one: int
    other: int


@pytest.mark.parametrize(
    "text", ['[["",0]]', '[["a",-1]]', '[["a",2147483648]]', '[["a"]]', '[["a",0,0]]', '[["a",1.0]]', "[[0,0]]"]
)
def test_a_partition_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.Decoder(TOPIC_PARTITIONS.decoded().type).decode(text)


@pytest.mark.parametrize("text", ['["",0,0]', '["a",-1,0]', '["a",0,-1]', '["a",0]', '["a",0,"1"]', '["a",0,9223372036854775808]'])
def test_a_changelog_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.Decoder(CHANGELOG.decoded().type).decode(text)


def test_the_values_are_of_their_own_classes() -> None:
    (partition,) = msgspec.json.Decoder(TOPIC_PARTITIONS.decoded().type).decode('[["a",1]]')
    changelog = msgspec.json.Decoder(CHANGELOG.decoded().type).decode('["a",1,null]')

    assert (type(partition), partition) == (TopicPartition, TopicPartition("a", 1))
    assert (type(changelog), changelog) == (Changelog, Changelog("a", 1, None))
    assert TopicPartition.__annotations__ == {"topic": str, "partition": int}


def test_one_class_has_the_same_bounds_everywhere() -> None:
    typed.row(_Pair, (typed.integer(0, 1), typed.integer(0, 1)))

    with pytest.raises(AssertionError, match="other bounds"):
        typed.row(_Pair, (typed.integer(0, 1), typed.integer(0, 2)))
