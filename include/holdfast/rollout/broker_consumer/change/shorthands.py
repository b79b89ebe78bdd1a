"""The shorthand of a Change document: a rolling restart (`coordinated.rolling`)."""

from collections.abc import Iterator

from holdfast.rollout.broker_consumer.events.restart_consumer import RestartConsumer
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS
from holdfast.rollout.coordinated import rolling
from holdfast.rollout.coordinated.markers import WAITS
from holdfast.rollout.json.codec import NAMES, integer, nullable
from holdfast.rollout.json.record import codec_of, member, record


@record(defaults=True)
class RollingRestart:
    """`member_ids` None: all members, in the order of the snapshot. `at_once`: how many restart together; `wait`: what the next of
    them wait for."""

    member_ids: tuple[str, ...] | None = member(nullable(NAMES), default=None)
    at_once: int = member(integer(1, MOST_EVENTS), default=1)
    wait: Wait = member(WAITS, default=Wait.STABLE)


def written_out(document: object, snapshot: BrokerConsumerSnapshot | None) -> object:
    """The same document without the shorthand. `snapshot` None: it is checked, and stands for nothing.

    Raise InvalidInput with the path of what is wrong in it.
    """

    def restarts(asked: RollingRestart) -> Iterator[object]:
        known = () if snapshot is None else tuple(one.member_id for one in snapshot.members)
        there = known if asked.member_ids is None else asked.member_ids
        each = [{RestartConsumer.VERB: {"member_id": one}} for one in there]
        return rolling.some_at_a_time(each, asked.at_once, asked.wait)

    return rolling.written_out(document, codec_of(RollingRestart), restarts)
