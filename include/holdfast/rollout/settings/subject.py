"""What the rules look at: an application's settings as each of its clients has them, and what is known of its group."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from holdfast import secrecy
from holdfast.kafka.clients import configs as client_configs
from holdfast.kafka.clients.configs import Client, Configured
from holdfast.kafka.release import RELEASES
from holdfast.kafka.streams import config_check
from holdfast.kafka.streams.config_check import ConfigValue
from holdfast.kafka.streams.config_keys import MINORS
from holdfast.rollout.policy.policy import Policy
from holdfast.rollout.settings.vocabulary import Kind, Shown

LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an application: `properties` as given, prefixes included. `complete`: all of them were given, so that what is
    not among them is Kafka's default; else it is unknown.

    `release`: that of the application; None: unknown, and keys are read as the newest does.
    """

    properties: Mapping[str, ConfigValue]
    complete: bool = False
    release: str | None = None
    filled_in: frozenset[str] = frozenset()
    """Keys whose values something else fills in, such as `${STATE_DIR}`: they are set, and unknown."""

    @property
    def read_as(self) -> str:
        """The release whose ConfigDef is asked."""
        known = self.release is not None and ".".join(self.release.split(".")[:2]) in MINORS
        return self.release if known and self.release is not None else RELEASES[-1]

    @property
    def exactly_once(self) -> bool:
        return client_configs.exactly_once(self.properties)

    def of(self, client: Client, key: str) -> Configured | None:
        """None: the client has no such key, or what it has is unknown."""
        found = client_configs.of(self.read_as, client, key, self.properties)
        if found is None or found.given_as is not None:
            return found
        return found if self.complete and not self.fills_in(key) else None

    def says(self, key: str) -> bool:
        """Whether the application sets the key, to whatever."""
        return key in self.properties or key in self.filled_in

    def fills_in(self, key: str) -> bool:
        """Whether the key is one of `filled_in`, behind any prefix."""
        return any(one == key or one.endswith(f".{key}") for one in self.filled_in)

    def given(self, client: Client, key: str) -> Configured | None:
        """The same where the application says it, with a value that Kafka takes."""
        found = client_configs.of(self.read_as, client, key, self.properties)
        return None if found is None or found.given_as is None or found.value is None else found

    def number(self, client: Client, key: str) -> int | None:
        """What the client has, given or by default; None: unknown, or no whole number."""
        found = self.of(client, key)
        return found.value if found and isinstance(found.value, int) and not isinstance(found.value, bool) else None

    def default(self, client: Client, key: str) -> int | None:
        """What the client would have if the application did not say it."""
        others = {one: value for one, value in self.properties.items() if not one.endswith(key)}
        found = client_configs.of(self.read_as, client, key, others)
        return found.value if found and isinstance(found.value, int) and not isinstance(found.value, bool) else None

    def assumed(self, client: Client, key: str) -> int | None:
        """What the client has; where that is unknown, the default. None: something else fills it in."""
        found = self.number(client, key)
        return self.default(client, key) if found is None and not self.fills_in(key) else found

    def shown(self, client: Client, key: str) -> Shown:
        """As a finding shows it."""
        found = client_configs.of(self.read_as, client, key, self.properties)
        if found is None or found.given_as is None:
            return Shown(key, None)
        return shown(found.given_as, self.properties[found.given_as])


def shown(key: str, value: ConfigValue) -> Shown:
    """A setting as a finding may show it: nothing of a secret, in any encoding."""
    text = (
        ",".join(map(str, value))
        if isinstance(value, list | tuple)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
    )
    if config_check.is_secret(key) or secrecy.holds_secret(text):
        return Shown(secrecy.redact(key), secrecy.BLOT)
    return Shown(key, text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…")


@dataclass(frozen=True, slots=True)
class Member:
    """A client of the group. `instances`: the group.instance.id of each of its threads, None for a dynamic one."""

    name: str
    threads: int
    rack: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    instances: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicSeen:
    """`replicas`: of the partition that has the fewest; None: unknown. `internal`: the application's own."""

    name: str
    replicas: int | None
    internal: bool
    changelog: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """A group and its settings. `logs`: the records of each stateful task's changelogs; None: unknown.

    `group_config`: what the brokers have of it, for a group whose broker assigns. `broker_racks`: of the replicas; None: no broker
    is known to have one. `disks`: where state directories were read. `session_ms`: what the brokers recorded of the members.
    """

    kind: Kind
    settings: Settings
    members: tuple[Member, ...]
    policy: Policy
    tasks: int = 0
    logs: tuple[int, ...] | None = ()
    changelogs_of_a_task: int = 0
    topics: tuple[TopicSeen, ...] = ()
    broker_racks: frozenset[str] | None = None
    disks: tuple[str, ...] = ()
    session_ms: int | None = None
    group_config: Mapping[str, ConfigValue] = field(default_factory=dict)
    broker_release: str | None = None
    keeps_ids: bool = True
    stores_in_memory: bool = False

    @property
    def consumer(self) -> Client:
        """Which of the clients is the group's member."""
        return Client.PLAIN if self.kind is Kind.CONSUMERS else Client.MAIN

    @property
    def stateful(self) -> int:
        return len(self.logs or ())

    @property
    def has_state(self) -> bool:
        """Whether a task keeps state, or it is unknown."""
        return self.logs is None or bool(self.logs)

    @property
    def largest_log(self) -> int:
        """Records of the largest state of a task, by offsets."""
        return max(self.logs or (0,))

    @property
    def restore_s(self) -> float:
        """Seconds that the largest state of a task takes to restore, at the policy's speed."""
        return self.largest_log / self.policy.restore_records_per_second

    @property
    def static(self) -> tuple[str, ...]:
        """The instance IDs of all static members."""
        return tuple(one for member in self.members for one in member.instances if one is not None)

    @property
    def all_static(self) -> bool:
        return bool(self.members) and all(None not in member.instances and member.instances for member in self.members)
