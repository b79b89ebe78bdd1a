"""Has every kind of evidence a sentence of its own, and is it written and read as a value?"""

import json

import pytest

from holdfast.rollout.execution.step_evidence import Evidence, Shown, evidence
from holdfast.rollout.facts import difference_words, step_sighting_words
from holdfast.rollout.facts.differences import Difference, Differs
from holdfast.rollout.facts.step_sightings import Seen, Sees
from holdfast.rollout.json.record import codec_of

HOSTILE = "a\u202eb\n"


@pytest.mark.parametrize("kind", Sees)
def test_each_has_a_sentence(kind: Sees) -> None:
    said = step_sighting_words.sentence(Seen(kind, HOSTILE if kind is Sees.SETTING else "one", ("two",), 3, 4, 9))

    assert said.endswith(".")
    assert said.isprintable()


def test_no_two_are_alike() -> None:
    said = [step_sighting_words.sentence(Seen(kind, "one", ("two",), 3, 4, 9)) for kind in Sees]

    assert len(set(said)) == len(said)


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        (Seen(Sees.STEP_BEFORE), "An earlier step is not visible yet."),
        (Seen(Sees.STEP_BEFORE, "2"), "Step 2 comes first."),
        (Seen(Sees.STABLE), "The group is stable."),
        (Seen(Sees.STABLE, count=7), "The group is stable in generation 7."),
        (Seen(Sees.RESTARTED, count=3), "all 3 clients restarted: new member IDs."),
        (Seen(Sees.RESTARTED, "one", count=1), "one restarted: new member IDs."),
    ],
)
def test_what_is_left_out(seen: Seen, says: str) -> None:
    assert step_sighting_words.sentence(seen) == says


def test_evidence_is_written_and_read() -> None:
    found = evidence(Shown.NOT_YET, Sees.STILL_NAMED, names=("a", "b"))
    codec = codec_of(Evidence)

    assert codec.write(found) == {
        "shown": "not yet",
        "evidence": "The group still lists a b with the member ID from before.",
        "seen": {"kind": "still_named", "names": ["a", "b"]},
    }
    assert codec.read(json.loads(json.dumps(codec.write(found)))) == found


def test_the_difference_of_a_step_is_worded_by_what_is_seen() -> None:
    now = Difference(Differs.STEP, "1", status="not yet", seen=Seen(Sees.GONE, "a"))
    before = Difference(Differs.STEP, "1", status="not yet", evidence="It is dark.")

    assert difference_words.sentence(now) == "Step 1 not yet: a is not in the group any more."
    assert difference_words.sentence(before) == "Step 1 not yet: It is dark."
