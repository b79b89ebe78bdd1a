"""What an operator states about a group whose broker assigns: the coordinator's release, group configs."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from holdfast.errors import InvalidInput
from holdfast.ports import ClusterReader, GroupConfig
from holdfast.rollout.json.kafka import ConfigValue

RECONCILING = ("Assigning", "Reconciling")
"""States of such a group in which a target is about to be computed, or members are reconciling with it."""


@dataclass(frozen=True, slots=True)
class CoordinatorSettings:
    """`config` is put over what the brokers say."""

    broker_release: str | None = None
    config: tuple[tuple[str, ConfigValue], ...] = ()


@dataclass(frozen=True, slots=True)
class StatedConfigs:
    """Those of one kind of group. `prefix`: what their names begin with; `example`: one of them; `kind`: of which group, in words.

    `id_property`: the property of its clients that has its ID, which is that of the `named`. `behaviour` refuses a release that is
    not covered.
    """

    prefix: str
    example: str
    kind: str
    id_property: str
    named: str
    behaviour: Callable[[str], object]

    def read(
        self, group_id: str, broker_release: str | None, properties: Mapping[str, str], overrides: Mapping[str, ConfigValue]
    ) -> CoordinatorSettings:
        """Nothing is taken from the clients' properties: the broker ignores them, or shows what they ask of it.

        Raise InvalidInput for the properties of another group and for what is no config of such a group, Unsupported for a release
        that is not covered.
        """
        other = properties.get(self.id_property, group_id)
        if other != group_id:
            found = f"the properties are those of the {self.named} {other!r}; the {self.named} is {group_id!r}"
            raise InvalidInput(found, self.id_property)
        strange = next((key for key in overrides if not key.startswith(self.prefix)), None)
        if strange is not None:
            raise InvalidInput(f"{strange!r} does not affect {self.kind}; its group configs do, such as {self.example}", "--set")
        if broker_release is not None:
            self.behaviour(broker_release)
        return CoordinatorSettings(broker_release, tuple(sorted(overrides.items())))


def read_configs(
    cluster: ClusterReader, group_id: str, prefix: str, given: Container[str], note: Callable[[str, str], None]
) -> dict[str, ConfigValue]:
    """The group's configs, and those of the broker where the group has none, which `note` takes unless they are `given`.
    Numbers are numbers. Raise ClusterTrouble where they cannot be read."""
    found: dict[str, ConfigValue] = {}
    for one in cluster.group_configs(group_id):
        if not one.name.startswith(prefix):
            continue
        found[one.name] = _value(one)
        if not one.of_group and one.name not in given:
            note(f"config.{one.name}", f"not set for the group; {one.value or 'nothing'} is the brokers' value")
    return found


def _value(one: GroupConfig) -> ConfigValue:
    text = one.value
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isascii() and text.isdigit() and len(text) < len(str(2**63)) else text
