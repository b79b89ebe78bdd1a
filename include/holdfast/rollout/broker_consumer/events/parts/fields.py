"""Fields that several events have, and what does not fit together."""

from holdfast.errors import InvalidInput
from holdfast.rollout.json.codec import BOOLEAN

LEAVES = BOOLEAN.described("False: it ends without leaving; the coordinator keeps it until its session is over.")
LEAVES_GROUP = BOOLEAN.described(
    "Of a static member. True: it leaves the group when it is closed (CloseOptions LEAVE_GROUP), and the coordinator removes it at"
    " once. False: it stays until its session is over."
)

WITHIN_INTERVAL = BOOLEAN.described("True: it leaves and is back before the coordinator computes the next target.")


def leaves_as_closed(*, leaves: bool, leaves_group: bool) -> None:
    if leaves_group and not leaves:
        raise InvalidInput(
            "a consumer that ends without leaving does not leave the group: leave one of the two out", "leaves_group"
        )
