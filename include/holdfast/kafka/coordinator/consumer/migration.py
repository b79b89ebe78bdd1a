"""When a group that has members of both protocols becomes one of the classic protocol.

Java: `GroupMetadataManager.validateOnlineDowngradeWithFencedMembers`, `validateOnlineDowngradeWithReplacedMember` and
`convertToClassicGroup` (4.0.0 to 4.4.0). The configs are the brokers', not the group's.
"""

from collections.abc import Mapping
from enum import StrEnum

from holdfast.errors import CannotPredict
from holdfast.kafka.coordinator.consumer.release import FIRST_TO_REFUSE_CLASSIC
from holdfast.kafka.release_lines import is_older

POLICY = "group.consumer.migration.policy"
CLASSIC_MAX_SIZE = "group.max.size"
BROKER_KEYS = (POLICY, CLASSIC_MAX_SIZE)


class MigrationPolicy(StrEnum):
    """`ConsumerGroupMigrationPolicy`; brokers take either case."""

    BIDIRECTIONAL = "bidirectional"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    DISABLED = "disabled"


def becomes_classic(config: Mapping[str, object], members: int) -> bool:
    """Whether a group does of which only that number of members is left, all of the classic protocol. What is not in `config` is
    Kafka's default. Raise CannotPredict for a value that no broker has."""
    policy, most = config.get(POLICY), config.get(CLASSIC_MAX_SIZE)
    return _policy(policy) in (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.DOWNGRADE) and members <= _number(most, members)


def becomes_new(config: Mapping[str, object]) -> bool:
    """Whether a consumer of the new protocol converts a classic group, or is refused."""
    return _policy(config.get(POLICY)) in (MigrationPolicy.BIDIRECTIONAL, MigrationPolicy.UPGRADE)


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


def _number(value: object, default: int) -> int:
    text = str(value)
    if value is not None and not (text.isascii() and text.isdigit()):
        raise CannotPredict(f"config.{CLASSIC_MAX_SIZE}: a number is needed, '{value}' was found")
    return default if value is None else int(text)
