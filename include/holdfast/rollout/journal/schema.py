"""JSON Schema of an Approval and of a Journal."""

from holdfast.rollout.journal.journal import Decider, Event
from holdfast.rollout.json import shapes
from holdfast.rollout.json.shapes import Shape, closed, count, items, nullable, one_of, text

_sighting = closed({"generation": nullable(count()), "members": items(text())})
ENTRY = closed(
    {"at": shapes.INSTANT, "step": shapes.name(), "event": one_of(Event), "by": shapes.name(), "detail": text()},
    {
        "directory": nullable(text("Where a process ID was about to be written, or may have been.")),
        "host": nullable(text("The machine that this directory is on.")),
        "seen": _sighting | {"description": "Who was there when the step began: a restart is over when none of them is any more."},
    },
)
JOURNAL: Shape = closed(
    {"format_version": shapes.FORMAT_VERSION, "plan_id": shapes.name(), "entries": items(ENTRY)},
    about="What happened to a plan, in order. In the lake each entry is a file of its own.",
)

APPROVAL: Shape = closed(
    {
        "format_version": shapes.FORMAT_VERSION,
        "plan_id": shapes.name(),
        "approved": shapes.boolean(),
        "by": shapes.name(),
        "reason": shapes.text(),
        "at": shapes.INSTANT,
    },
    {
        "by_id": shapes.nullable(shapes.name("The user's ID where they were logged in.")),
        "decided_by": shapes.one_of(Decider, "A person, the policy, or the timeout of the request: never an approval then."),
        "plan_fingerprint": shapes.nullable(
            shapes.name("`sha256:` and 64 digits of what was shown: it is approved, and no other.")
        ),
        "asked_by": shapes.nullable(shapes.name("The user who requested the plan, or `nobody`.")),
        "changes_requested": shapes.boolean("Neither approved nor rejected: it goes back, and the reason says what is to change."),
        "signature": shapes.signature(),
    },
    about="The answer to one plan, and to no other.",
)
