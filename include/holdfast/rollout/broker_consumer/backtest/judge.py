"""Compute a recorded target again, by every release that its coordinator may have run, and compare partition by partition."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from holdfast.kafka.coordinator.consumer import target
from holdfast.kafka.coordinator.consumer.group import Assignor, Group, Member, MemberTarget, Topic, by_topic
from holdfast.kafka.coordinator.consumer.release import behaviour
from holdfast.kafka.coordinator.member_table import Filling
from holdfast.kafka.vocabulary import TopicPartition
from holdfast.rollout.backtest import member_orders, recorded_targets
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult, Role, TaskDifference
from holdfast.rollout.backtest.member_orders import MOST_ORDERS
from holdfast.rollout.backtest.recorded_targets import not_judged
from holdfast.rollout.broker_consumer.backtest import namings
from holdfast.rollout.broker_consumer.backtest.namings import Names
from holdfast.rollout.broker_consumer.backtest.question import ConsumerTargetQuestion
from holdfast.rollout.broker_consumer.target.target import each_partition

Owners = Mapping[TopicPartition, str]


def judge(question: ConsumerTargetQuestion) -> RebalanceResult:
    """The question's answer. Raises nothing: what cannot be judged is a result."""
    return recorded_targets.judge(question, _judged)


def _judged(question: ConsumerTargetQuestion, result: RebalanceResult) -> RebalanceResult:
    found = _Tried(question)
    for release in question.releases:
        found.take(release)
    if not found.fitting:
        if found.names_left:
            return not_judged(result, Because.TOPICS, f"the topics may have more than {namings.MOST} orders")
        if found.orders_left:
            return not_judged(result, Because.MEMBER_ORDER, "members may have joined in more orders than are tried")
        return replace(result, judged=Judged.DIFFERENT, differences=found.nearest or ())
    because = [
        *([Because.RELEASE] if len(found.fitting) < len(question.releases) else []),
        *([Because.SETTINGS] if found.by_settings else []),
        *([Because.MEMBER_ORDER] if found.by_order else []),
        *([Because.BROKER_JAVA] if found.by_java else []),
        *([Because.TOPICS] if found.by_names or found.names_left else []),
    ]
    judged = Judged.INFERRED if because else Judged.EQUAL
    return replace(result, judged=judged, because=tuple(because), releases=tuple(found.fitting))


class _Tried:
    """What each release decides, with every assignor, in every order of members and topics that may have been, and on every
    Java."""

    def __init__(self, question: ConsumerTargetQuestion) -> None:
        self._question = question
        named = list(islice(namings.namings(question), namings.MOST + 1))
        self._namings, self.names_left = named[: namings.MOST], len(named) > namings.MOST
        self.fitting: list[str] = []
        self.nearest: tuple[TaskDifference, ...] | None = None
        self.by_settings = self.by_order = self.by_names = self.by_java = self.orders_left = False
        self._known: dict[tuple[bool, bool], bool] = {}

    def take(self, release: str) -> None:
        facts = behaviour(release)
        alike = facts.extra_goes_to_the_first, facts.map_has_both
        if alike not in self._known:
            fits = [self._with(release, assignor) for assignor in self._question.assignors]
            self.by_settings = self.by_settings or (any(fits) and not all(fits))
            self._known[alike] = any(fits)
        if self._known[alike]:
            self.fitting.append(release)

    def _with(self, release: str, assignor: Assignor) -> bool:
        fits = [self._decides(release, assignor, one) for one in self._fillings(release, as_written=True)]
        if any(fits):
            self.by_order = self.by_order or not all(fits)
            return True
        most = MOST_ORDERS // len(self._namings)
        others = list(islice(self._fillings(release, as_written=False), most + 1))
        self.orders_left = self.orders_left or len(others) > most
        found = any(self._decides(release, assignor, one) for one in others[:most])
        self.by_order = self.by_order or found
        return found

    def _fillings(self, release: str, *, as_written: bool) -> Iterator[Filling]:
        question = self._question
        there = [one.member_id for one in question.members]
        unknown = None if as_written else {one.member_id for one in question.members if not one.order_known}
        for returned in (0, question.returned) if question.returned else (0,):
            newcomer = question.newcomer or returned > 0
            for order in member_orders.orders(there, newcomer=newcomer, most=question.most_members, unknown=unknown):
                yield Filling(order, max(len(order), returned if behaviour(release).map_has_both else 0))

    def _decides(self, release: str, assignor: Assignor, filling: Filling) -> bool:
        fits = [self._decides_so_named(names, release, assignor, filling) for names in self._namings]
        self.by_names = self.by_names or (any(fits) and not all(fits))
        return any(fits)

    def _decides_so_named(self, names: Names, release: str, assignor: Assignor, filling: Filling) -> bool:
        named = namings.renamed(self._question, names)
        recorded = {partition: one.member_id for one in named.members for partition in one.given}
        fits = [self._fits(members, recorded) for members in target.by_java(_group(named, release, assignor, filling))]
        self.by_java = self.by_java or (any(fits) and not all(fits))
        return any(fits)

    def _fits(self, members: tuple[MemberTarget, ...], recorded: Owners) -> bool:
        decided = {partition: one.member_id for one in members for partition in each_partition(one.owned)}
        differ = differences(decided, recorded)
        if differ and (self.nearest is None or len(differ) < len(self.nearest)):
            self.nearest = differ
        return not differ


def _group(question: ConsumerTargetQuestion, release: str, assignor: Assignor, filling: Filling) -> Group:
    by_name = {one.member_id: one for one in question.members}
    members = (by_name[name] for name in filling.order)
    return Group(
        release=release,
        assignor=assignor,
        members=tuple(Member(one.member_id, one.subscription, one.regex, one.instance_id, by_topic(one.target)) for one in members),
        topics=tuple(Topic(one.name, one.id, one.partitions) for one in question.topics),
        resolved=tuple((one.regex, one.topics) for one in question.expressions),
        recorded=True,
        most_members=filling.most,
    )


def differences(decided: Owners, recorded: Owners) -> tuple[TaskDifference, ...]:
    """By partition, who has it in each of the two decisions."""

    def owner(of: Owners, one: TopicPartition) -> tuple[str, ...]:
        return (of[one],) if one in of else ()

    return tuple(
        TaskDifference(str(one), Role.ACTIVE, owner(decided, one), owner(recorded, one))
        for one in sorted({*decided, *recorded})
        if decided.get(one) != recorded.get(one)
    )
