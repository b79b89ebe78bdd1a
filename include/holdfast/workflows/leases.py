"""The lease of a plan in the lake: `plans/<plan id>/lease/00001.json` and on. The highest number counts; each is created once.

So two who want it at once want the same number, and one of them gets it. Nothing is ever replaced, and any lake that can create a
file only where there is none will do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble, StepRefused
from holdfast.ports import Lake, LakePath
from holdfast.rollout import codec, seal
from holdfast.rollout.codec.lease import lease_from_json, lease_to_json
from holdfast.rollout.lease import (
    GIVEN_UP_WITH_LESS_THAN,
    HELD_FOR,
    RENEWED_WITH_LESS_THAN,
    Lease,
    Owner,
    Standing,
    State,
    standing,
)
from holdfast.rollout.seal import Kind, Seal, SigningKeys
from holdfast.rollout.wording import printable

FOLDER = "lease"
LARGEST = 64 * 1024
DIGITS = 5
MOST = 10**DIGITS - 1


class Lost(StatePathTrouble):
    """Somebody else has the lease now, or it is over: nothing more is done."""


@dataclass(frozen=True, slots=True)
class Leases:
    """The lease of one plan, as this owner may have it. `has_ended`: whether the process of another owner is surely gone."""

    lake: Lake
    plan_id: str
    keys: SigningKeys
    me: Owner
    has_ended: Callable[[Owner], bool]
    now: Callable[[], datetime]

    def latest(self) -> tuple[int, Lease | None, Seal]:
        """The highest number there is, 0 for none; and what it says. Raise InvalidInput for what is no lease."""
        numbers = [int(name[:DIGITS]) for name in self.lake.names(("plans", self.plan_id, FOLDER)) if _is_one(name)]
        if not numbers:
            return 0, None, Seal.UNSIGNED
        number = max(numbers)
        place = self._place(number)
        try:
            document = codec.loads(self.lake.read(place, LARGEST))
            lease = lease_from_json(document)
        except InvalidInput as problem:
            raise InvalidInput(f"{problem}. Look who writes there, then release it by force", "/".join(place)) from None
        if (lease.plan_id, lease.number) != (self.plan_id, number):
            where = "/".join(place)
            raise InvalidInput("it is the lease of another plan, or of another number: release it by force", where)
        return number, lease, seal.seal_of(document, Kind.LEASE, self.keys)

    def take(self) -> "Held":
        """Raise StatePathTrouble, and say who has it, while somebody does."""
        number, lease, found = self.latest()
        if lease is not None:
            seal.refuse(found, f"The lease of plan {self.plan_id} (releasing it by force helps)", self.keys)
        stands = standing(lease, self.now())
        gone = stands is not Standing.FREE and lease is not None and self.has_ended(lease.owner)
        if lease is not None and stands in {Standing.HELD, Standing.UNBELIEVABLE} and not gone:
            raise StatePathTrouble(self._held_by(lease, stands))
        before = lease if gone or stands is Standing.OVER else None
        held = self._put(number + 1, State.HELD)
        if held is None:
            raise StatePathTrouble(f"Somebody else began to apply plan {self.plan_id} in the same moment. Look at its journal.")
        return Held(self, held, before)

    def force(self) -> Lease | None:
        """Release it, whoever holds it. Return what was there; None where nobody held it."""
        try:
            number, lease, _ = self.latest()
        except HoldfastError:
            numbers = [int(name[:DIGITS]) for name in self.lake.names(("plans", self.plan_id, FOLDER)) if _is_one(name)]
            number, lease = max(numbers), None
        if lease is not None and lease.state is not State.HELD:
            return None
        if number and self._put(number + 1, State.FORCED) is None:
            raise StatePathTrouble(
                f"The lease of plan {self.plan_id} changed in the same moment. Look who applies it, then try again."
            )
        return lease

    def is_latest(self, number: int) -> bool:
        return not self.lake.exists(self._place(number + 1))

    def _put(self, number: int, state: State) -> Lease | None:
        """None: somebody else was quicker."""
        if number > MOST:
            raise StepRefused(f"Plan {self.plan_id} was applied {MOST:,} times: make a new one")
        at = self.now().astimezone(UTC)
        until = at + HELD_FOR if state is State.HELD else at
        lease = Lease(self.plan_id, number, state, self.me, _instant(at), _instant(until))
        content = codec.dumps(seal.signed(lease_to_json(lease), Kind.LEASE, self.keys), indent=2).encode()
        # An object store may have taken it, and lost the answer: then what is there is ours, to the byte.
        if self.lake.create(self._place(number), content) or (
            self.me.process and self.lake.read(self._place(number), LARGEST) == content
        ):
            return lease
        return None

    def _place(self, number: int) -> LakePath:
        return ("plans", self.plan_id, FOLDER, f"{number:0{DIGITS}}.json")

    def _held_by(self, lease: Lease, stands: Standing) -> str:
        owner = lease.owner
        where = f" on {printable(owner.host, 200)}, process {owner.pid}" if owner.host else ""
        run = f", run {printable(owner.run, 300)}" if owner.run else ""
        who = f"{printable(owner.name, 200)}{where}{run}"
        if stands is Standing.UNBELIEVABLE:
            return (
                f"The lease of plan {self.plan_id} of {who} ends at {lease.until}, and now it is {_instant(self.now())}: one of the"
                " two clocks is wrong. Set it right, or release the lease by force (--force-lease)."
            )
        return (
            f"Plan {self.plan_id} is being applied by {who}, since {lease.at}. Wait for it to end; if it has died, until"
            f" {lease.until} and ten seconds more. Who knows that it does nothing any more may release the lease by force"
            " (--force-lease)."
        )


@dataclass
class Held:
    """The lease while it is ours. `before`: whose lease was taken over."""

    leases: Leases
    lease: Lease
    before: Lease | None

    @property
    def number(self) -> int:
        return self.lease.number

    def keep(self) -> None:
        """Before every act. Raise Lost if the lease is somebody else's, or ends too soon to do anything under it."""
        if not self.leases.is_latest(self.number):
            raise Lost(f"The lease of plan {self.lease.plan_id} was taken from us: nothing more is done. Its journal says by whom.")
        left = datetime.fromisoformat(self.lease.until) - self.leases.now()
        if left < RENEWED_WITH_LESS_THAN:
            self._renew(left)

    def _renew(self, left: timedelta) -> None:
        if left < GIVEN_UP_WITH_LESS_THAN:
            raise Lost(f"The lease of plan {self.lease.plan_id} is over: what was done took too long. Apply it again to go on.")
        renewed = self.leases._put(self.number + 1, State.HELD)  # noqa: SLF001 - of this module
        if renewed is None:
            raise Lost(f"The lease of plan {self.lease.plan_id} was taken from us: nothing more is done. Its journal says by whom.")
        self.lease = renewed

    def release(self) -> None:
        """At the end. Where that fails, it ends by itself."""
        try:
            if self.leases.is_latest(self.number):
                self.leases._put(self.number + 1, State.RELEASED)  # noqa: SLF001 - of this module
        except HoldfastError:
            return


def _is_one(name: str) -> bool:
    stem, dot, ending = name.partition(".")
    return bool(dot) and ending == "json" and len(stem) == DIGITS and stem.isascii() and stem.isdigit()


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")
