"""What several events say of consumers, and what shows them."""

from holdfast.rollout.broker_consumer.events.parts.new_consumer import NewConsumer
from holdfast.rollout.contract.batches import FromOld
from holdfast.rollout.text import kafka_commands
from holdfast.rollout.text.format import printable
from holdfast.rollout.text.request_words import short

LISTED = "The group lists its member."
NOT_LISTED = "The group no longer lists its member."


def newcomer(one: NewConsumer) -> str:
    """`a new consumer on app-3 (instance ID app-3), reading orders`."""
    host, instance = _text(one.host), _text(one.instance_id)
    place = f" on {printable(host)}" if host else ""
    identity = f" (group.instance.id {printable(instance)})" if instance else ""
    return f"a new consumer{place}{identity}{''.join(f', {part}' for part in reads(one))}"


def reads(one: NewConsumer) -> tuple[str, ...]:
    """What it subscribes to, where that is given."""
    topics = () if isinstance(one.subscription, FromOld) else one.subscription
    regex = _text(one.subscription_regex)
    found = [f"reading {', '.join(map(printable, topics))}"] if topics else []
    return (*found, f"reading what matches {printable(regex)}") if regex else tuple(found)


def given(one: NewConsumer) -> tuple[str, ...]:
    """What it comes back with that is given."""
    instance = _text(one.instance_id)
    return (*((f"with group.instance.id {printable(instance)}",) if instance else ()), *reads(one))


def short_newcomer(one: NewConsumer) -> str:
    return short(_text(one.host) or _text(one.instance_id) or "a new consumer")


def members(group_id: str) -> str:
    return kafka_commands.describe_consumer_group(group_id, "--members", "--verbose")


def _text(value: str | FromOld | None) -> str:
    return value if isinstance(value, str) and not isinstance(value, FromOld) else ""
