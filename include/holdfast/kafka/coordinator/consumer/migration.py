"""When a group becomes one of the other protocol.

Java: `GroupMetadataManager.validateOnlineUpgrade`, `validateOnlineDowngradeWithFencedMembers` and
`validateOnlineDowngradeWithReplacedMember` (4.0.0 to 4.4.0). The configs are the brokers', not the group's.
"""

from collections.abc import Mapping
from enum import StrEnum

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.consumer.release import FIRST_TO_REFUSE_CLASSIC
from holdfast.kafka.release_lines import is_older

POLICY = "group.consumer.migration.policy"
MAX_SIZE, CLASSIC_MAX_SIZE = "group.consumer.max.size", "group.max.size"
BROKER_KEYS = (POLICY, MAX_SIZE, CLASSIC_MAX_SIZE)


class MigrationPolicy(StrEnum):
    """`ConsumerGroupMigrationPolicy`; brokers take either case."""

    BIDIRECTIONAL = "bidirectional"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    DISABLED = "disabled"


def becomes_classic(config: Mapping[str, object], members: int) -> bool:
    """Whether a group does of which only that number of members is left, all of the classic protocol. What is not in `config` is
    Kafka's default. Raise CannotPredict for a value that no broker has."""
    may = _policy(config.get(POLICY)) in (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.DOWNGRADE)
    return may and not is_too_large(config, members)


def is_too_large(config: Mapping[str, object], members: int) -> bool:
    """Whether a classic group takes fewer members: of those that join, the last ones are refused (`acceptJoiningMember`)."""
    return members > _number(config, CLASSIC_MAX_SIZE, members)


def refuses_new(config: Mapping[str, object], counted: int) -> str | None:
    """The config by which brokers refuse the first consumer of the new protocol in a classic group (`validateOnlineUpgrade`,
    `throwIfConsumerGroupIsFull`). None: it converts the group. `counted`: how many members they count with it."""
    if _policy(config.get(POLICY)) not in (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.UPGRADE):
        return POLICY
    return None if counted <= _number(config, MAX_SIZE, counted) else MAX_SIZE


def refuses_classic(release: str, config: Mapping[str, object]) -> bool:
    """Whether members of the classic protocol can neither join a group of the new one, nor follow its next target
    (`throwIfClassicMemberCannotJoinConsumerGroup`). A release whose patch is not given may."""
    may = not is_older(release, FIRST_TO_REFUSE_CLASSIC) or FIRST_TO_REFUSE_CLASSIC.startswith(f"{release}.")
    return may and _policy(config.get(POLICY)) is MigrationPolicy.DISABLED


def _policy(value: object) -> MigrationPolicy:
    try:
        return MigrationPolicy.BIDIRECTIONAL if value is None else MigrationPolicy(str(value).lower())
    except ValueError:
        raise CannotPredict(f"config.{POLICY}: one of {', '.join(MigrationPolicy)} is needed, '{value}' was found") from None


def _number(config: Mapping[str, object], key: str, default: int) -> int:
    value = config.get(key)
    text = str(value)
    if value is not None and not (text.isascii() and text.isdigit()):
        raise CannotPredict(f"config.{key}: a number is needed, '{value}' was found")
    return default if value is None else int(text)
