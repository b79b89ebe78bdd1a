"""What each member is subscribed to, and whether all are subscribed alike.

Java: `ConsumerGroup.subscriptionType`, `TargetAssignmentBuilder.newMemberSubscriptionAndAssignment`, `TopicIds`, `UnionSet` (4.0.0
to 4.4.0).
"""

from collections import Counter
from functools import cached_property

from holdfast.kafka import java
from holdfast.kafka.coordinator.consumer.group import Group, Member
from holdfast.kafka.coordinator.consumer.hash_tables import Copies, set_of_names


class Subscriptions:
    """Of all members of a group. `sizes`: of the sets of names that are copied, which is what another Java may order otherwise."""

    def __init__(self, group: Group, copies: Copies) -> None:
        self._group = group
        self._copies = copies
        self._exists = {topic.name for topic in group.topics}
        self._resolved = {regex: _resolved(topics, copies) for regex, topics in group.resolved}
        self._names: dict[tuple[tuple[str, ...], str | None], tuple[list[str], int]] = {}

    @cached_property
    def alike(self) -> bool:
        """Whether the coordinator takes them for the same: the topics that do not exist count too."""
        if self._group.alike is not None:
            return self._group.alike
        members = self._group.members
        named = Counter(topic for member in members for topic in dict.fromkeys(member.subscription))
        regexes = Counter(member.regex for member in members if member.regex)
        if not regexes:
            return all(count == len(members) for count in named.values())
        return not named and len(regexes) == 1 and regexes.total() == len(members)

    def topics(self, member: Member) -> list[str]:
        """The topics that exist, in the order in which they are gone through."""
        return self._all(member)[0]

    def names(self, member: Member) -> int:
        """How many names it is subscribed to, those of topics that do not exist included."""
        return self._all(member)[1]

    def _all(self, member: Member) -> tuple[list[str], int]:
        key = member.subscription, member.regex
        found = self._names.get(key)
        if found is None:
            names = self._union(set_of_names(member.subscription, self._copies), self._resolved.get(member.regex or "", []))
            found = self._names[key] = [name for name in names if name in self._exists], len(names)
        return found

    @staticmethod
    def _union(named: list[str], resolved: list[str]) -> list[str]:
        """The larger one first; where both are as large, those of the regular expression."""
        large, small = (named, resolved) if len(named) > len(resolved) else (resolved, named)
        return [*large, *(name for name in small if name not in set(large))]


def _resolved(topics: tuple[str, ...], copies: Copies) -> list[str]:
    """The topics of a regular expression, in the order in which the coordinator keeps them: it reads them from its record, where
    they are sorted."""
    return set_of_names(sorted(topics, key=java.string_order), copies)
