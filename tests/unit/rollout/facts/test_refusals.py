"""Does the kind of a refusal follow from what refused, and has each its sentence?"""

import pytest

from holdfast.errors import CannotPredict, InvalidInput, TooMuchWork, Unsupported
from holdfast.rollout.contract.unknown_inputs import Unknown
from holdfast.rollout.facts.missing_inputs import NOT_KNOWN, not_known
from holdfast.rollout.facts.refusals import Refusal, Refuses, refusal_of, sentence


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (CannotPredict("no offsets"), Refuses.EVIDENCE),
        (TooMuchWork("no offsets"), Refuses.WORK),
        (Unsupported("no offsets"), Refuses.UNSUPPORTED),
        (InvalidInput("no offsets"), Refuses.MISFIT),
    ],
)
def test_what_refused(problem: CannotPredict | Unsupported | InvalidInput, kind: Refuses) -> None:
    found = refusal_of(problem)

    assert found == Refusal(kind, "no offsets")
    assert sentence(found) == "Cannot predict: no offsets"


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (Refuses.ORDER, "The change cannot be made in this order."),
        (Refuses.OUTCOME, "the forecast has no outcome"),
        (Refuses.TOO_LARGE, "Not forecast: the group is so large that this takes minutes. Plan that change separately."),
    ],
)
def test_refusals_without_a_reason(kind: Refuses, says: str) -> None:
    assert sentence(Refusal(kind)) == says


def test_unknown_inputs_are_written_with_their_sentences() -> None:
    found = not_known((Unknown("config", "not given"), Unknown("A sentence")))
    written = {"unknown": ["config: not given", "A sentence"]}

    assert NOT_KNOWN.write(found) == written | {
        "unknown_inputs": [{"what": "config", "reason": "not given"}, {"what": "A sentence", "reason": ""}]
    }
    assert NOT_KNOWN.read(NOT_KNOWN.write(found)) == found
    assert [one.fact for one in NOT_KNOWN.read(written)] == [None, None]
    with pytest.raises(InvalidInput, match="2 sentences and 1 facts"):
        NOT_KNOWN.read(written | {"unknown_inputs": [None]})
