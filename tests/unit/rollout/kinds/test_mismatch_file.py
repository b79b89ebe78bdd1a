"""A mismatch that can be sent: smaller, without names, and the same mismatch."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.harness.kafka import recorded_rebalances
from tests.harness.kafka.recorded_targets import a_history
from tests.unit.rollout.consumer.backtest.test_consumer_backtest import history as consumer_history
from tests.unit.rollout.streams.backtest.test_judge import asked, recorded

from holdfast.errors import InvalidInput
from holdfast.kafka.consumer.group import Assignor
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.streams import high_availability
from holdfast.rollout.backtest.coordinated import PastEntry
from holdfast.rollout.backtest.judged import Judged
from holdfast.rollout.backtest.results import Given
from holdfast.rollout.consumer.backtest import question as consumer_question
from holdfast.rollout.consumer.backtest.question import ConsumerQuestion
from holdfast.rollout.kinds import backtests, mismatch_file
from holdfast.rollout.streams.backtest.question import StreamsQuestion


def streams_mismatch() -> StreamsQuestion:
    """Real members, with host names, client IDs and a setting that decides nothing."""
    snapshot = recorded()
    other = recorded_rebalances.swapped(snapshot.generations[-1])
    assert other is not None
    members = tuple(replace(one, client_host=f"/secret-host-{index}") for index, one in enumerate(other.members))
    found = asked(snapshot, replace(other, members=members))
    return replace(found, config=(*found.config, ("state.cleanup.delay.ms", 600_000)))


def consumer_mismatch(assignor: Assignor) -> ConsumerQuestion:
    """One partition of the last rebalance is another member's."""
    found = list(consumer_history("3.9.1", assignor, 8, random.Random(5)))[-1]
    first, *others = found.members
    exchanged = (replace(first, assignment=others[-1].assignment), *others[:-1], replace(others[-1], assignment=first.assignment))
    return consumer_question.of(("3.9.1",), replace(found, members=exchanged))


def test_a_mismatch_of_streams_is_the_same_without_names() -> None:
    question = streams_mismatch()
    before = backtests.judge(question)
    found = mismatch_file.sendable(question)

    assert found is not None
    assert isinstance(found.question, StreamsQuestion)
    assert [(one.what, one.role) for one in found.result.differences] == [(one.what, one.role) for one in before.differences]
    assert "state.cleanup.delay.ms" in dict(question.config).keys() - dict(found.question.config).keys()
    text = json.dumps(mismatch_file.to_json(found.question))
    assert len(text) < len(json.dumps(mismatch_file.to_json(question)))
    raw = b"".join(one.subscription + one.assignment for one in found.question.generation.members)
    for name in ("secret-host", "streams-wordcount", "plaintext", "StreamThread", "counts"):
        assert name not in text
        assert name.encode() not in raw


def test_the_order_of_process_ids_members_and_topics_is_kept() -> None:
    question = streams_mismatch()
    found = mismatch_file.sendable(question)
    assert found is not None
    named = dict(zip((one.member_id for one in question.generation.members), found.question.generation.members, strict=True))

    assert [named[one].member_id for one in sorted(named)] == sorted(one.member_id for one in found.question.generation.members)


@pytest.mark.parametrize("assignor", list(Assignor))
def test_a_mismatch_of_consumers_is_the_same_without_names(assignor: Assignor) -> None:
    question = consumer_mismatch(assignor)
    assert backtests.judge(question).judged is Judged.DIFFERENT
    found = mismatch_file.sendable(question)

    assert found is not None
    assert found.result.judged is Judged.DIFFERENT
    raw = json.dumps(mismatch_file.to_json(found.question)).encode() + b"".join(
        one.subscription + one.assignment for one in found.question.generation.members
    )
    assert b"orders" not in raw
    assert b"returns" not in raw


class TestOfAModelThatIsWrong:
    """What is sent is no mismatch any more for a model that is right: nothing that Kafka decided by is missing."""

    def sent(self, entries: Sequence[PastEntry], given: Given) -> list[object]:
        found: list[object] = []
        backtests.backtest("shop", lambda: entries, given, lambda question, _: found.append(question))
        sendable = [one for question in found if (one := mismatch_file.sendable(question)) is not None]
        assert len(sendable) == len(found) > 0
        return [mismatch_file.from_json(json.loads(json.dumps(mismatch_file.to_json(one.question)))) for one in sendable]

    def test_of_streams(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The first client is dealt what the last one is."""

        def wrong(board: Any) -> None:
            for number, _ in enumerate(board.clients):
                board.give_actives(len(board.clients) - 1 - number, board.stateful[number :: len(board.clients)])

        snapshot = recorded()
        with monkeypatch.context() as patched:
            patched.setattr(high_availability, "assign_stateful_active", wrong)
            sent = self.sent(snapshot.generations, Given(release=snapshot.kafka_release, config=snapshot.config))
        assert {backtests.judge(one).judged for one in sent} <= {Judged.EQUAL, Judged.INFERRED}

    def test_of_streams_groups_whose_broker_assigns(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Members are gone through backwards."""
        assign = sticky.assign
        given = Given(broker_release="4.3.1")
        log = a_history(random.Random(3), 40, "4.3.1").log
        with monkeypatch.context() as patched:
            patched.setattr(sticky, "assign", lambda group: assign(replace(group, members=group.members[::-1])))
            sent = self.sent(log, given)
        assert {backtests.judge(one).judged for one in sent} <= {Judged.EQUAL, Judged.INFERRED}
        assert not any(name in str(sent) for name in ("shop", *(one.key.member_id or "shop" for one in log)))


def test_what_is_equal_is_no_mismatch() -> None:
    snapshot = recorded()
    assert mismatch_file.sendable(asked(snapshot, snapshot.generations[-1])) is None


@pytest.mark.parametrize("question", [streams_mismatch(), consumer_mismatch(Assignor.RANGE)], ids=["streams", "consumer"])
def test_its_file_is_read_back(question: StreamsQuestion | ConsumerQuestion) -> None:
    document = json.loads(json.dumps(mismatch_file.to_json(question)))

    assert mismatch_file.from_json(document) == question


def test_another_document_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="one of 'streams-classic', 'consumer-classic', 'streams', 'consumer' is needed"):
        mismatch_file.from_json({"protocol": "else"})
