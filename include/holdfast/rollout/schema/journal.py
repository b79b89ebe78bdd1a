"""What happened to a plan: the Journal."""

from holdfast.rollout.journal import Event
from holdfast.rollout.schema import shapes
from holdfast.rollout.schema.shapes import Shape, closed, count, items, nullable, one_of, text

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
