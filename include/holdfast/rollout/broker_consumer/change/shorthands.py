"""The shorthand of a Change document: a rolling restart, written out as the restarts that it stands for."""

from collections.abc import Iterator

from holdfast.errors import InvalidInput
from holdfast.rollout.broker_consumer.snapshot.snapshot import BrokerConsumerSnapshot
from holdfast.rollout.contract.batches import Wait
from holdfast.rollout.contract.batches_json import MOST_EVENTS, THEN
from holdfast.rollout.coordinated.markers import WAITS
from holdfast.rollout.json import strict
from holdfast.rollout.json.codec import NAMES, integer, nullable
from holdfast.rollout.json.record import codec_of, member, record

VERB = "rolling_restart"


@record(defaults=True)
class RollingRestart:
    """`member_ids` None: all members, in the order of the snapshot. `at_once`: how many restart together; `wait`: what the next of
    them wait for."""

    member_ids: tuple[str, ...] | None = member(nullable(NAMES), default=None)
    at_once: int = member(integer(1, MOST_EVENTS), default=1)
    wait: Wait = member(WAITS, default=Wait.STABLE)


def written_out(document: object, snapshot: BrokerConsumerSnapshot) -> object:
    """The same document without the shorthand. Raise InvalidInput with the path of what is wrong in it."""
    events = document.get("events") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(events, list):
        return document  # its reader says what is wrong
    found: list[object] = []
    for index, item in enumerate(events):
        if isinstance(item, dict) and list(item) == [VERB]:
            found += _restarts(_read(item[VERB], index), snapshot)
        else:
            found.append(item)
    return document | {"events": found}


def _read(content: object, index: int) -> RollingRestart:
    try:
        return codec_of(RollingRestart).read(content)
    except InvalidInput as problem:
        strict.refuse(strict.under(f"events[{index}].{VERB}", problem))
        raise


def _restarts(rolling: RollingRestart, snapshot: BrokerConsumerSnapshot) -> Iterator[object]:
    there = tuple(one.member_id for one in snapshot.members) if rolling.member_ids is None else rolling.member_ids
    for number, member_id in enumerate(there):
        if number and number % rolling.at_once == 0:
            yield {THEN: WAITS.write(rolling.wait)}
        yield {"restart_consumer": {"member_id": member_id}}
