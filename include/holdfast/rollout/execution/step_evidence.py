"""What a new snapshot shows of a step: done, not done yet, or not visible to any broker."""

from collections.abc import Iterable
from enum import StrEnum

from holdfast.rollout.facts import step_sighting_words
from holdfast.rollout.facts.step_sightings import SEEN, Seen, Sees
from holdfast.rollout.json.codec import NAME, TEXT, choice, items
from holdfast.rollout.json.record import codec_of, member, record, spread


class Shown(StrEnum):
    """What a snapshot says of a step."""

    HAPPENED = "happened"
    NOT_YET = "not yet"
    CONTRADICTED = "contradicted"
    CANNOT_SHOW = "cannot show"


@record(closed=False)
class Evidence:
    """`text`: what shows it, what is missing, what contradicts it, or why nothing can show it; `seen`: the same as a value, which
    another version did not write."""

    shown: Shown = member(choice(Shown))
    text: str = member(TEXT, name="evidence")
    seen: Seen | None = member(SEEN, "`evidence` as values.", default=None, omit=True)


def evidence(
    shown: Shown,
    kind: Sees,
    of: object = "",
    names: Iterable[object] = (),
    count: int | None = None,
    wanted: int | None = None,
    version: int | None = None,
) -> Evidence:
    """With its sentence. The arguments are those of `Seen`."""
    seen = Seen(kind, str(of), tuple(map(str, names)), count, wanted, version)
    return Evidence(shown, step_sighting_words.sentence(seen), seen)


@record(closed=False)
class StepEvidence:
    """`step`: its number in the plan; `what`: what it does, in brief."""

    step: str = member(NAME)
    what: str = member(TEXT)
    evidence: Evidence = spread(codec_of(Evidence))


STEPS_SHOWN = items(codec_of(StepEvidence))
