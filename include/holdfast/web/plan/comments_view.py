"""The comments on a plan as its page shows them, and the form for one more."""

from dataclasses import dataclass

from holdfast.workflows.comments import LONGEST, Comments


@dataclass(frozen=True, slots=True)
class CommentsView:
    """`token`: of the form; empty for users who may not comment. `problem`: why the `text` that was sent is not kept."""

    comments: Comments
    token: str = ""
    problem: str = ""
    text: str = ""
    longest: int = LONGEST
