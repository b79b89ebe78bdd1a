"""How far copies are, as members reported it: on the page of a run, with its time."""

import json

import pytest
from tests.unit.web.plan.test_live import PLACE, fact, run, shown


@pytest.mark.parametrize(
    ("at", "report", "value", "detail"),
    [
        (None, {}, "unknown", "they say how far copies are when they join; no one has since the run began"),
        (0, {}, "12,000 records behind", "as they joined, seen 3 min ago; nothing yet of 2 tasks given to them then; the next"),
        (
            0,
            {"behind": 0},
            "0 records behind",
            "as they joined, seen 3 min ago; nothing yet of 2 tasks given to them then; the next",
        ),
        (0, {"behind": 1, "reported": 6}, "1 record behind", "as they joined, seen 3 min ago; the next figure"),
        (0, {"behind": 0, "reported": 6}, "all restored", "as they joined, seen 3 min ago; the next figure comes with the next"),
    ],
)
def test_what_members_reported_has_its_time(at: int | None, report: dict[str, int], value: str, detail: str) -> None:
    reality = run()
    progress = json.loads(reality.lake.files[PLACE])
    since = None if at is None else reality.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    progress["seen"]["copies"] = {"at": since, "report": {"digest": 1, "copies": 6, "reported": 4, "behind": 12_000} | report}
    reality.lake.files[PLACE] = json.dumps(progress).encode()
    found = fact(shown(reality, 180), "Reported by members")

    assert found[0] == value
    assert found[1].startswith(detail)
