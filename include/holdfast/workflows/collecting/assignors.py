"""The assignors of consumers of the classic protocol, as an operator states them: brokers do not show them of every group."""

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka.consumer.group import Assignor
from holdfast.rollout.json.kafka import ConfigValue

STRATEGY = "partition.assignment.strategy"
_CLASSES = {
    "RangeAssignor": Assignor.RANGE,
    "RoundRobinAssignor": Assignor.ROUNDROBIN,
    "StickyAssignor": Assignor.STICKY,
    "CooperativeStickyAssignor": Assignor.COOPERATIVE_STICKY,
}
_PACKAGE = "org.apache.kafka.clients.consumer."


def of_strategy(value: ConfigValue) -> tuple[Assignor, ...]:
    """Class names or the names on the wire, with commas. Raise InvalidInput for none, Unsupported for one that is not modelled."""
    words = value if isinstance(value, tuple) else tuple(str(value).split(","))
    found = [_assignor(word.strip()) for word in words if word.strip()]
    if not found:
        raise InvalidInput("at least one assignor is needed; none was found", STRATEGY)
    return tuple(dict.fromkeys(found))


def _assignor(word: str) -> Assignor:
    simple = word.removeprefix(_PACKAGE)
    if simple in _CLASSES:
        return _CLASSES[simple]
    try:
        return Assignor(word)
    except ValueError:
        raise Unsupported(f"the assignor {word!r} is not modelled; {', '.join(Assignor)} are") from None
