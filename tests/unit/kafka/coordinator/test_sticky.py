"""What the coordinator's assignor does, in groups small enough to follow; tests/conformance/coordinator asks the jars."""

import random
from collections.abc import Mapping

import pytest

from holdfast.errors import InvalidInput, Unsupported
from holdfast.kafka import java, java_hash
from holdfast.kafka.coordinator.release import RELEASES, behaviour
from holdfast.kafka.coordinator.streams import books, sticky
from holdfast.kafka.coordinator.streams.group import Group, Member, Subtopology, Task, each_task, tasks_of
from holdfast.kafka.coordinator.streams.least_loaded import LeastLoaded

STATEFUL = (Subtopology("0", 4, True),)


def _group(*members: Member, release: str = "4.3.1", standbys: int = 0, topology: tuple[Subtopology, ...] = STATEFUL) -> Group:
    return Group(release, members, topology, standbys)


def _active(group: Group) -> Mapping[str, list[str]]:
    return {one.member_id: [str(task) for task in each_task(one.active)] for one in sticky.assign(group).members}


def _standby(group: Group) -> Mapping[str, list[str]]:
    return {one.member_id: [str(task) for task in each_task(one.standby)] for one in sticky.assign(group).members}


@pytest.mark.parametrize("release", RELEASES)
def test_a_group_that_starts_shares_its_tasks_evenly(release: str) -> None:
    """In the order of a hash map of processes, whose table 4.4 lets grow one entry later."""
    group = _group(Member("m1", "p1"), Member("m2", "p2"), release=release)
    first, second = ("m2", "m1") if release == "4.4.0" else ("m1", "m2")
    assert _active(group) == {first: ["0_0", "0_2"], second: ["0_1", "0_3"]}


def test_the_order_of_members_is_kept_for_the_same_ids_in_the_same_processes_only() -> None:
    members = [f"m{number}" for number in range(12)]
    topology = (Subtopology("0", 30, True),)
    groups = [
        Group(release, tuple(Member(one, f"p{position % processes}") for position, one in enumerate(ids)), topology, 1)
        for ids in (members, members[::-1])
        for processes in (3, 4)
        for release in ("4.3.1", "4.4.0")
    ]
    together = [sticky.assign(group) for group in groups]
    alone = []
    for group in groups:
        books._seats.cache_clear()
        alone.append(sticky.assign(group))
    assert together == alone
    assert len(set(map(repr, alone))) >= len(groups) // 2, "processes, releases and the order of members make a difference"
    books._seats.cache_clear()
    for group in groups * 2:
        sticky.assign(group)
    assert books._seats.cache_info().hits == len(groups), "a second target takes the order of the first"


def test_owners_keep_their_tasks_up_to_the_quota_and_the_highest_partitions_go() -> None:
    owner = Member("m1", "p1", active=(("0", (0, 1, 2, 3)),))
    assert _active(_group(owner, Member("m2", "p2"))) == {"m1": ["0_0", "0_1"], "m2": ["0_2", "0_3"]}


def test_a_standby_takes_the_task_of_an_owner_that_left() -> None:
    stays = Member("m1", "p1", active=(("0", (0, 1)),))
    standby = Member("m2", "p2", standby=(("0", (3,)),))
    assert "0_3" in _active(_group(stays, standby, Member("m3", "p3")))["m2"]


def test_standbys_are_in_processes_that_do_not_have_the_task() -> None:
    group = _group(Member("m1", "p1"), Member("m2", "p2"), standbys=1)
    assert _standby(group) == {"m1": ["0_1", "0_3"], "m2": ["0_0", "0_2"]}


def test_standbys_that_no_process_can_take_are_named() -> None:
    target = sticky.assign(_group(Member("m1", "p1"), Member("m2", "p1"), standbys=2, topology=(Subtopology("0", 1, True),)))
    assert target.missing_standbys == ((Task("0", 0), 2),)


def test_stateless_tasks_have_no_standbys() -> None:
    group = _group(Member("m1", "p1"), Member("m2", "p2"), standbys=1, topology=(Subtopology("0", 2, False),))
    assert _standby(group) == {"m1": [], "m2": []}


def test_only_4_4_takes_the_offsets_of_disks_into_account() -> None:
    members = Member("m1", "p1"), Member("m2", "p2", task_offsets=((Task("0", 1), 10), (Task("0", 3), 10)))
    assert _active(_group(*members, release="4.3.1"))["m2"] == ["0_1", "0_3"], "as without offsets"
    assert _active(_group(*members, release="4.4.0"))["m2"] == ["0_1", "0_3"]
    without = Member("m1", "p1"), Member("m2", "p2")
    assert _active(_group(*without, release="4.4.0"))["m2"] == ["0_0", "0_2"]


def test_tasks_that_are_no_more_are_ignored() -> None:
    owner = Member("m1", "p1", active=(("0", (9,)), ("gone", (0,))), standby=(("0", (7,)),))
    assert _active(_group(owner)) == {"m1": ["0_0", "0_1", "0_2", "0_3"]}


def test_a_group_without_members_has_an_empty_target() -> None:
    assert sticky.assign(_group()).members == ()


@pytest.mark.parametrize(
    ("release", "reason"), [("4.1.1", "addresses in memory"), ("4.0.0", "no streams groups"), ("5.0.0", "4.2.0 to 4.4.0")]
)
def test_other_releases_are_refused_with_the_reason(release: str, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        sticky.assign(_group(Member("m1", "p1"), release=release))


def test_a_minor_release_that_behaves_alike_needs_no_patch() -> None:
    assert behaviour("4.3") is behaviour("4.3.0")
    assert behaviour("4.2") is behaviour("4.2.1")


@pytest.mark.parametrize("text", ["0", "0_", "0_x", "0_01", "0_-1", f"0_{2**31}", "0_²"])
def test_what_is_no_task_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="not a task ID"):
        Task.parse(text)


def test_a_subtopology_may_be_any_text() -> None:
    assert Task.parse("a_b_3") == Task("a_b", 3)
    assert str(Task.parse("_0")) == "_0"
    assert tasks_of([Task("2", 1), Task("10", 0), Task("2", 0)]) == (("10", (0,)), ("2", (0, 1)))


@pytest.mark.parametrize("seed", range(60))
def test_takers_that_are_equally_loaded_take_rounds_as_the_queue_does(seed: int) -> None:
    """Rounds are a short cut: one poll after the other gives the same takers, and leaves the same queue."""
    chance = random.Random(seed)
    size, most = chance.randint(1, 12), chance.choice((1, 2, 4))
    capacities = [chance.randint(1, most) for _ in range(size)]
    start = [capacity * chance.randint(0, 1) if seed % 2 else 0 for capacity in capacities]
    quick, slow = LeastLoaded(range(size), list(start), capacities), _Slow(range(size), list(start), capacities)
    for tasks in (chance.randint(0, 200), 1, chance.randint(0, 50)):
        assert quick.deal(tasks) == slow.deal(tasks)
        assert quick.array == slow.array


@pytest.mark.parametrize("seed", range(60))
def test_takers_that_hold_some_of_the_tasks_pass_them_on_as_the_queue_does(seed: int) -> None:
    """The short cuts of few takers and of rounds against one poll after the other, which polls holders aside."""
    chance = random.Random(seed)
    size, most = chance.choice((1, 2, 6, 16, 17, 40)), chance.choice((1, 1, 3))
    capacities = [chance.randint(1, most) for _ in range(size)]
    start = [capacity * 2 + chance.randint(0, seed % 2) for capacity in capacities]
    tasks = chance.choice((5, 100, 300))
    held = [chance.randrange(size) if chance.random() < 0.1 else taker % size for taker in range(seed, seed + tasks)]
    quick, slow = LeastLoaded(range(size), list(start), capacities), _Slow(range(size), list(start), capacities)
    for part in (held, held[:3], held):
        assert quick.take_each_outside(part) == [slow.take_outside((one,)) for one in part]
        assert quick.array == slow.array
    assert quick.deal(40) == slow.deal(40), "the queue knows how many tasks each has"


class _Slow(LeastLoaded):
    """The same, one task after the other."""

    def take(self) -> int:
        return self._one()

    def deal(self, tasks: int) -> list[int]:
        return [self._one() for _ in range(tasks)]

    def _one(self) -> int:
        taker = self.poll()
        self._counts[taker] += 1
        self._offer(taker)
        return taker


@pytest.mark.parametrize("size", [0, 1, 3, 4, 12, 13, 14, 40, 200])
def test_strings_stand_as_the_whole_table_has_them(size: int) -> None:
    """The short cuts of strings against the table itself, from tables of several first sizes, crowded ones too."""
    chance = random.Random(size)
    for alphabet in ("ab", "Aa", "abcdefghij"):
        length = 8 if len(alphabet) < 5 else 3
        texts = list(dict.fromkeys("".join(chance.choices(alphabet, k=length)) for _ in range(size)))
        calls = texts + chance.choices(texts, k=chance.randint(0, 2)) if texts else []
        for capacity in (1, 4, 16, 256):
            whole = java_hash.hash_order(texts, java.string_hash, java.string_order, capacity)
            assert java_hash.string_map_order(texts, capacity) == whole
            whole = java_hash.order_of_computed(calls, java.string_hash, java.string_order, capacity)
            assert java_hash.string_order_of_computed(calls, capacity) == whole


def test_a_call_for_a_key_that_is_there_lets_a_full_table_grow() -> None:
    """Found by 10,000 random groups against 4.4.0: thirteen entries in sixteen buckets, and another thread of a known process."""
    keys = [chr(97 + number) for number in range(13)]
    table_of_16 = java_hash.string_order_of_computed(keys)
    table_of_32 = java_hash.string_order_of_computed([*keys, "a"])
    assert table_of_16 == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"]
    assert table_of_32 == table_of_16
    assert java_hash.string_order_of_computed([*keys[:12], "q"]) == ["q", *keys[:12]]
    assert java_hash.string_order_of_computed([*keys[:12], "q", "a"]) == [*keys[:12], "q"]
