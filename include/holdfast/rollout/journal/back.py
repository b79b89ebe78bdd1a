"""What the journal keeps for going back: what a file held, and what configs a group and its clients had before they were written;
and who was in the group when going back began."""

from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.json.codec import NAME, TEXT, TEXTS, items, nullable
from holdfast.rollout.json.kafka_codecs import PROCESS_ID
from holdfast.rollout.json.record import codec_of, member, record


@record
class HeldProcessId:
    """The process ID that a state directory held. None: it had no file."""

    process_id: ProcessId | None = member(nullable(PROCESS_ID))


@record
class ConfigHeld:
    """A config of a group before a step set it, as text. `value`: the group's own; None: it had none, but the brokers' default."""

    key: str = member(NAME)
    value: str | None = member(nullable(TEXT))


@record
class ClientConfigured:
    """A client whose settings a run writes. `before`: each as its host had it, as text, None: not set; None in place of all:
    nothing reads them, and the plan says what they were."""

    client: str = member(TEXT)
    before: tuple[ConfigHeld, ...] | None = member(nullable(items(codec_of(ConfigHeld))), default=None, omit=True)


@record
class ClientSeen:
    """A client in the group, by process ID (consumers: `group.instance.id`, else member ID), and its member IDs, sorted."""

    name: str = member(TEXT)
    members: tuple[str, ...] = member(TEXTS)
