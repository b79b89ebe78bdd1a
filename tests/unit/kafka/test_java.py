"""Java's arithmetic and collections, by values that its own documentation or a JVM gave (tests/conformance asks the JVM)."""

import random
import uuid

import pytest

from holdfast.kafka import java, java_hash
from holdfast.kafka.vocabulary import ProcessId


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("a", 97), ("hello", 99162322), ("polygenelubricants", -(2**31)), ("😀", 1772899)],
)
def test_string_hash(text: str, code: int) -> None:
    assert java.string_hash(text) == code


def test_process_ids_sort_as_two_signed_longs() -> None:
    """UUID.compareTo: those that begin with 8 to f come before those that begin with 0 to 7."""
    texts = ["7fffffff-ffff-ffff-ffff-ffffffffffff", "80000000-0000-0000-0000-000000000000", "00000000-0000-0000-8000-000000000000"]

    in_order = sorted(ProcessId.parse(text) for text in [*texts, "00000000-0000-0000-0000-000000000000"])

    assert [str(each)[:4] + str(each)[19] for each in in_order] == ["80000", "00008", "00000", "7ffff"]


def test_strings_sort_by_utf_16_unit() -> None:
    assert sorted(["\uffff", "😀", "z"], key=java.string_order) == ["z", "😀", "\uffff"]


def test_uuid_hash_mixes_four_ints() -> None:
    assert java.uuid_hash(uuid.UUID("00000001-0000-0002-0000-000400000008").int) == 1 ^ 2 ^ 4 ^ 8


@pytest.mark.parametrize(("subtopology", "partition", "old", "new"), [(0, 0, 0, 29791), (1, 2, 3, 30814), (3, 500, 503, 48174)])
def test_task_hash(subtopology: int, partition: int, old: int, new: int) -> None:
    assert java.task_id_hash_until_2_8(subtopology, partition) == old
    assert java.task_id_hash_since_3_0(subtopology, partition) == new


class TestHashOrder:
    def order(self, keys: list[int]) -> list[int]:
        return java_hash.hash_order(keys, lambda key: key, lambda key: key)

    def test_small_numbers_come_in_order(self) -> None:
        assert self.order([5, 3, 9, 0]) == [0, 3, 5, 9]

    def test_one_bucket_keeps_the_order_of_insertion(self) -> None:
        assert self.order([32, 0, 16]) == [32, 0, 16]
        assert self.order([32, 0, 16, *range(1, 11)]) == [32, 0, *range(1, 11), 16]  # 13 entries: 32 buckets

    def test_nine_in_a_bucket_of_a_small_table_double_it(self) -> None:
        nine = [16 * number for number in range(9)]
        assert self.order(nine) == [0, 32, 64, 96, 128, 16, 48, 80, 112]

    def test_a_tree_puts_its_root_first(self) -> None:
        keys = [*range(100, 148), *(256 * number for number in range(1, 12))]
        ordered = [key for key in self.order(keys) if key >= 256]
        assert sorted(ordered) == keys[48:]
        assert ordered != keys[48:]

    def test_a_removal_brings_another_root_to_the_front(self) -> None:
        keys = [*range(100, 148), *(256 * number for number in range(1, 12))]
        before = [key for key in self.order(keys) if key >= 256]
        gone = before[:1]  # the root
        after = java_hash.hash_order_without(keys, gone, lambda key: key, lambda key: key)
        left = [key for key in after if key >= 256]
        assert sorted(left) == sorted(set(before) - set(gone))
        assert left != [key for key in before if key not in gone]

    def test_subsets_are_ordered_alike(self) -> None:
        codes = [7, 23, 16, 0, 39]
        subset = java_hash.SubsetOrder(codes)
        assert subset([4, 2, 1, 0]) == java_hash.hash_order([4, 2, 1, 0], codes.__getitem__, lambda number: number)


class TestPriorityQueue:
    def test_the_array_is_a_heap_not_a_sorted_list(self) -> None:
        queue = java.PriorityQueue(lambda number: number, [9, 8, 7, 6, 5, 4])
        assert list(queue) == [4, 5, 7, 6, 8, 9]

    def test_remove_moves_the_last_element_into_the_hole(self) -> None:
        queue = java.PriorityQueue(lambda number: number, [1, 10, 2, 11, 12, 3, 4])
        assert queue.remove(11)
        assert list(queue) == [1, 4, 2, 10, 12, 3]
        assert not queue.remove(11)

    def test_a_rank_that_changes_leaves_elements_where_they_are(self) -> None:
        rank = {"a": 1, "b": 2, "c": 3}
        queue = java.PriorityQueue(rank.__getitem__, "abc")
        rank["c"] = 0
        assert list(queue) == ["a", "b", "c"]
        assert [queue.poll() for _ in range(3)] == ["a", "c", "b"]

    @pytest.mark.parametrize("seed", range(200))
    def test_of_elements_no_two_of_which_are_equal(self, seed: int) -> None:
        """The quick queue next to the literal one, step by step, also while elements are out of order."""
        chance = random.Random(seed)
        rank = {element: (chance.randint(0, 4), element) for element in range(chance.choice([1, 2, 7, 30]))}
        literal: java.PriorityQueue[int] = java.PriorityQueue(rank.__getitem__)
        for element in rank:
            literal.offer(element)
        quick = java.QueueOfDifferent(rank.values())
        for _ in range(60):
            element = chance.choice(list(rank))
            match chance.choice(("offer", "poll", "change", "remove", "drained")):
                case "offer" if element not in list(literal):
                    literal.offer(element)
                    quick.offer(rank[element])
                case "poll" if len(literal):
                    assert literal.poll() == quick.poll()[1]
                case "change":
                    before, rank[element] = rank[element], (chance.randint(0, 4), element)
                    quick.change(before, rank[element])
                case "remove":
                    literal.remove(element)
                    quick.remove(rank[element])
                case "drained":
                    copy = java.PriorityQueue(rank.__getitem__)
                    copy._heap = list(literal)
                    assert [copy.poll() for _ in literal] == [one for _, one in quick.drained()]
            assert [rank[one] for one in literal] == quick._heap
