"""What people say about a plan. Nothing is decided by it, and nothing is done because of it."""

from holdfast.rollout.json.codec import INSTANT, NAME, TEXT
from holdfast.rollout.json.record import member, record
from holdfast.rollout.json.strict import FORMAT_VERSION


@record(version=FORMAT_VERSION, about="What a person says about a plan; it decides nothing.")
class Comment:
    """`at` is ISO 8601, UTC; `by`: the user who was logged in."""

    plan_id: str = member(NAME)
    by: str = member(NAME)
    at: str = member(INSTANT)
    text: str = member(TEXT)
