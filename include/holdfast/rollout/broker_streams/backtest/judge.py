"""Compute a recorded target again, by every release that its coordinator may have run, and compare task by task."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from holdfast.kafka.coordinator.release import behaviour
from holdfast.kafka.coordinator.streams import sticky
from holdfast.kafka.coordinator.streams.group import Group, Member, Task, Tasks, each_task
from holdfast.rollout.backtest import member_orders, recorded_targets
from holdfast.rollout.backtest.judged import Because, Judged, RebalanceResult, Role, TaskDifference
from holdfast.rollout.backtest.member_orders import MOST_ORDERS
from holdfast.rollout.backtest.recorded_targets import not_judged
from holdfast.rollout.broker_streams.backtest import releases
from holdfast.rollout.broker_streams.backtest.question import PastMember, TargetQuestion

Held = Mapping[str, tuple[Tasks, Tasks]]
"""By member: active and standby tasks."""


def judge(question: TargetQuestion) -> RebalanceResult:
    """The question's answer. Raises nothing: what cannot be judged is a result."""
    return recorded_targets.judge(question, _judged)


def _judged(question: TargetQuestion, result: RebalanceResult) -> RebalanceResult:
    recorded = {one.member_id: (one.given.active, one.given.standby) for one in question.members}
    if not question.ready:
        nothing = {one.member_id: ((), ()) for one in question.members}
        return _compared(result, question.releases, differences(nothing, recorded))
    found = _Tried(question, recorded)
    for release in question.releases:
        found.take(release)
    if not found.fitting:
        if found.open:
            return not_judged(result, Because.DISKS, "members report offsets of their disks, which are not recorded")
        if found.orders_left:
            return not_judged(result, Because.MEMBER_ORDER, f"members may have joined in more than {MOST_ORDERS} orders")
        return replace(result, judged=Judged.DIFFERENT, differences=found.nearest or ())
    sure = [one for one in found.fitting if one not in found.open]
    because = [
        *([Because.RELEASE] if 0 < len(sure) < len(question.releases) else []),
        *([] if sure else [Because.DISKS]),
        *([Because.SETTINGS] if found.by_settings else []),
        *([Because.MEMBER_ORDER] if found.by_order else []),
    ]
    judged = Judged.INFERRED if because else Judged.EQUAL
    return replace(result, judged=judged, because=tuple(because), releases=tuple(sure or found.fitting))


def _compared(result: RebalanceResult, tried: tuple[str, ...], differ: tuple[TaskDifference, ...]) -> RebalanceResult:
    if differ:
        return replace(result, judged=Judged.DIFFERENT, differences=differ)
    return replace(result, releases=tried)


class _Tried:
    """What each release decides, with every number of standbys and in every order of the members that may have been."""

    def __init__(self, question: TargetQuestion, recorded: Held) -> None:
        self._question, self._recorded = question, recorded
        self.fitting: list[str] = []
        self.open: list[str] = []
        """Releases that may decide otherwise, by what is not recorded."""
        self.nearest: tuple[TaskDifference, ...] | None = None
        self.by_settings = self.by_order = self.orders_left = False
        self._known: dict[tuple[bool, ...], tuple[bool, bool]] = {}

    def take(self, release: str) -> None:
        alike = releases.alike(release)
        if alike not in self._known:
            self._known[alike] = self._one(release)
        fits, is_open = self._known[alike]
        if fits:
            self.fitting.append(release)
        if is_open:
            self.open.append(release)

    def _one(self, release: str) -> tuple[bool, bool]:
        """Whether it decides as recorded, and whether what is not recorded may have decided."""
        fits = [self._with(release, standbys) for standbys in self._question.standbys]
        self.by_settings = self.by_settings or (any(fits) and not all(fits))
        return any(fits), behaviour(release).offsets_count and not self._all_kept()

    def _with(self, release: str, standbys: int) -> bool:
        certain = list(_orders(self._question, as_written=True))
        fits = [self._decides(release, standbys, order) for order in certain]
        if any(fits):
            self.by_order = self.by_order or not all(fits)
            return True
        others = list(islice(_orders(self._question, as_written=False), MOST_ORDERS + 1))
        self.orders_left = self.orders_left or len(others) > MOST_ORDERS
        found = any(self._decides(release, standbys, order) for order in others[:MOST_ORDERS])
        self.by_order = self.by_order or found
        return found

    def _decides(self, release: str, standbys: int, order: tuple[str, ...]) -> bool:
        target = sticky.assign(_group(self._question, release, standbys, order))
        differ = differences({one.member_id: (one.active, one.standby) for one in target.members}, self._recorded)
        if differ and (self.nearest is None or len(differ) < len(self.nearest)):
            self.nearest = differ
        return not differ

    def _all_kept(self) -> bool:
        """Every stateful task stayed where it was: then no offset was asked for."""
        stateful = {one.id for one in self._question.subtopologies if one.stateful}

        def kept(tasks: Tasks) -> Tasks:
            return tuple(one for one in tasks if one[0] in stateful and one[1])

        return all(
            kept(one.has.active) == kept(one.given.active) and kept(one.has.standby) == kept(one.given.standby)
            for one in self._question.members
        )


def _group(question: TargetQuestion, release: str, standbys: int, order: tuple[str, ...]) -> Group:
    sticks_to_current = behaviour(release).sticks_to_current
    by_name = {one.member_id: one for one in question.members}
    members = tuple(_member(by_name[name], sticks_to_current=sticks_to_current) for name in order)
    return Group(release, members, tuple(one.as_assigned for one in question.subtopologies), standbys)


def _member(one: PastMember, *, sticks_to_current: bool) -> Member:
    held = one.has if sticks_to_current else one.target
    return Member(one.member_id, one.process_id, held.active, held.standby)


def _orders(question: TargetQuestion, *, as_written: bool) -> Iterator[tuple[str, ...]]:
    """`as_written`: they joined in the order of their records."""
    there = [one.member_id for one in question.members]
    unknown = None if as_written else {one.member_id for one in question.members if not one.order_known}
    return member_orders.orders(there, newcomer=question.newcomer, most=question.most_members, unknown=unknown)


def differences(decided: Held, recorded: Held) -> tuple[TaskDifference, ...]:
    """By task and role, which members have it in each of the two decisions."""
    if {name: tuple(map(_plain, one)) for name, one in decided.items()} == {
        name: tuple(map(_plain, one)) for name, one in recorded.items()
    }:
        return ()
    here, there = _holders(decided), _holders(recorded)
    return tuple(
        TaskDifference(str(task), role, here.get((task, role), ()), there.get((task, role), ()))
        for task, role in sorted({*here, *there}, key=lambda one: (one[0].rank, one[1]))
        if here.get((task, role), ()) != there.get((task, role), ())
    )


def _plain(tasks: Tasks) -> Tasks:
    return tuple(one for one in tasks if one[1])


def _holders(held: Held) -> dict[tuple[Task, Role], tuple[str, ...]]:
    found: dict[tuple[Task, Role], list[str]] = {}
    for name in sorted(held):
        for role, tasks in zip((Role.ACTIVE, Role.STANDBY), held[name], strict=True):
            for task in each_task(tasks):
                found.setdefault((task, role), []).append(name)
    return {which: tuple(names) for which, names in found.items()}
