"""Comments on a plan in the lake: `plans/<plan id>/comments/00001.json` and on, each created once and never changed."""

from dataclasses import dataclass

from holdfast import secrecy
from holdfast.errors import HoldfastError, InvalidInput
from holdfast.ports import Lake, LakePath
from holdfast.rollout.journal.comment import Comment
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.workflows import plan as plans

FOLDER = "comments"
MOST = 200
"""Of one plan."""
LONGEST = 2_000
"""Characters of one."""
_LARGEST = 64 * 1024
_ATTEMPTS = 8
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Comments:
    """The oldest first. `broken`: how many cannot be read."""

    all: tuple[Comment, ...]
    broken: int


def add(lake: Lake, comment: Comment) -> None:
    """Raise InvalidInput for an empty or overlong text, for one that holds a secret, and where there are MOST; StatePathTrouble
    where there is no such plan, or the lake cannot be written to."""
    if not comment.text.strip():
        raise InvalidInput("The comment is empty.")
    if len(comment.text) > LONGEST:
        raise InvalidInput(f"The comment has {len(comment.text):,} characters; {LONGEST:,} are allowed.")
    if secrecy.holds_secret(comment.text) or secrecy.holds_secret(comment.by):
        raise InvalidInput(
            "The comment seems to contain a secret (a password, token, private key, or address with credentials), and all readers"
            " of plans could see it. Nothing was kept: remove the secret and send again."
        )
    plans.load(lake, comment.plan_id)
    content = dumps(codec_of(Comment).write(comment), indent=2).encode()
    for _ in range(_ATTEMPTS):  # of two who write at once the second takes the next number
        names = _names(lake, comment.plan_id)
        number = int(names[-1].removesuffix(".json")) + 1 if names else 1
        if len(names) >= MOST or number >= 10**_DIGITS:
            raise InvalidInput(f"The plan has {len(names)} comments; no more are kept.")
        if lake.create(_place(comment.plan_id, f"{number:0{_DIGITS}}.json"), content):
            return
    raise InvalidInput("Others comment on this plan at the same time. Send again.")


def read(lake: Lake, plan_id: str) -> Comments:
    """Of a plan, whatever is in its folder: at most MOST are read."""
    found, broken = [], 0
    for name in _names(lake, plan_id)[:MOST]:
        place = _place(plan_id, name)
        try:
            one = codec_of(Comment).read(loads(lake.read(place, _LARGEST)))
        except HoldfastError:
            broken += 1
            continue
        found.append(one)
        broken += one.plan_id != plan_id
    return Comments(tuple(one for one in found if one.plan_id == plan_id), broken)


def _names(lake: Lake, plan_id: str) -> list[str]:
    names = lake.names((plans.FOLDER, plan_id, FOLDER))
    return [
        one
        for one in names
        if one.endswith(".json") and len(one) == _DIGITS + 5 and one[:_DIGITS].isascii() and one[:_DIGITS].isdigit()
    ]


def _place(plan_id: str, name: str) -> LakePath:
    return (plans.FOLDER, plan_id, FOLDER, name)
