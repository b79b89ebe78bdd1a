"""The lease of a group in the lake: `leases/cluster=<cluster>/group=<group>/000000001.json` and on. The highest number counts; each
is created once.

So two who want it at once want the same number, and one of them gets it. Nothing is ever replaced or removed (who was stopped
for long would create a number anew that had gone), and any lake that can create a file only where there is none will do.

Former versions held a lease a plan (`plans/<plan id>/lease/`). One that is held there still is respected; nothing is written there
any more.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from threading import Event, Thread

from holdfast.errors import HoldfastError, InvalidInput, StatePathTrouble, StepRefused
from holdfast.ports import Lake, LakePath
from holdfast.rollout.journal import seal
from holdfast.rollout.journal.lease import (
    GIVEN_UP_WITH_LESS_THAN,
    HELD_FOR,
    RENEWED_WITH_LESS_THAN,
    Lease,
    LeaseOwner,
    LeaseStanding,
    LeaseState,
    standing,
)
from holdfast.rollout.journal.seal import Seal, Sealed, SigningKeys
from holdfast.rollout.json import instants
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import dumps, loads
from holdfast.rollout.text.format import printable
from holdfast.workflows.snapshots import segment

FOLDER = "leases"
FORMER = "lease"
LARGEST = 64 * 1024
MOST_LOOKED_AT = 1_000
"""Leases, the newest of them. A plan takes two or more each time it is applied."""
DIGITS, FORMER_DIGITS = 9, 5
RENEWED_EVERY_S = 5.0
MOST = 10**DIGITS - 1


class LeaseLost(StatePathTrouble):
    """Another run has the lease now, or it has expired: nothing more is done."""


@dataclass(frozen=True, slots=True)
class Leases:
    """The lease of one group, as this owner may have it to apply a plan. `group`: cluster and group ID. `has_ended`: whether the
    process of another owner is surely gone."""

    lake: Lake
    plan_id: str
    group: tuple[str, str]
    keys: SigningKeys
    me: LeaseOwner
    has_ended: Callable[[LeaseOwner], bool]
    now: Callable[[], datetime]

    def latest(self) -> tuple[int, Lease | None, Seal]:
        """The highest number there is, 0 for none; and what it says. Raise InvalidInput for what is no lease."""
        number = max(_numbers(self.lake.names(self._folder), DIGITS), default=0)
        if not number:
            return 0, None, Seal.UNSIGNED
        lease, found = self._read(self._place(number))
        if (lease.group, lease.number) != (self.group, number):
            where = "/".join(self._place(number))
            raise InvalidInput(
                "it is the lease of another group, or has another number: take it over (--force-lease, or Take over in the form)",
                where,
            )
        return number, lease, found

    def _read(self, place: LakePath) -> tuple[Lease, Seal]:
        try:
            document = loads(self.lake.read(place, LARGEST))
            return codec_of(Lease).read(document), seal.seal_of(document, Sealed.LEASE, self.keys)
        except InvalidInput as problem:
            raise InvalidInput(
                f"{problem}. Check who writes there, then take it over (--force-lease, or Take over in the form)", "/".join(place)
            ) from None

    def take(self, *, forced: bool = False, same_run: bool = False) -> "HeldLease":
        """Raise StatePathTrouble, which names the holder, while another run has it.

        `forced`: it was released by force right now, or by an earlier attempt of the same run, whose lease is this run's then.
        `same_run`: so is whatever lease this run has.
        """
        if not forced:
            self._refuse_former()
        number, lease, found = self.latest()
        if lease is not None:
            seal.refuse(found, f"{self._named} (releasing it by force helps)", self.keys)
        stands = standing(lease, self.now())
        own = lease is not None and (forced or same_run) and self.is_mine(lease)
        gone = stands is not LeaseStanding.FREE and lease is not None and (own or self.has_ended(lease.owner))
        if lease is not None and stands in {LeaseStanding.HELD, LeaseStanding.UNBELIEVABLE} and not gone:
            raise StatePathTrouble(self._held_by(lease, stands))
        before = lease if gone or stands is LeaseStanding.OVER else None
        renews = lease.first if lease is not None and own and same_run and lease.state is LeaseState.HELD else None
        held = self._put(number + 1, LeaseState.HELD, renews)
        if held is None:
            raise StatePathTrouble(
                f"Another run began to apply plan {self.plan_id}, or another plan for its group, at the same moment. Check its"
                " journal."
            )
        return HeldLease(self, held, before)

    def force(self) -> Lease | None:
        """Release it, whatever its holder. Return the released lease; None where there was none."""
        try:
            number, lease, _ = self.latest()
        except HoldfastError:
            number, lease = max(_numbers(self.lake.names(self._folder), DIGITS)), None
        if lease is not None and lease.state is not LeaseState.HELD:
            return None
        if number and self._put(number + 1, LeaseState.FORCED) is None:
            raise StatePathTrouble(f"{self._named} changed at the same moment. Check which run applies it, then try again.")
        return lease

    def was_forced_by_this_run(self) -> bool:
        """Whether an earlier attempt of this run released it by force, to apply this plan. What is no lease counts for nothing, nor
        what is not signed where there are keys."""
        if self.me.run is None:
            return False
        return any(lease.state is LeaseState.FORCED and self.is_mine(lease) for lease in self._without_renewals())

    def applied(self) -> tuple[str, ...]:
        """The plans that were applied to the group, the last one first. What is no lease names none, nor what is not signed where
        there are keys."""
        return tuple(dict.fromkeys(lease.plan_id for lease in islice(self._without_renewals(), MOST_LOOKED_AT)))

    def applied_since(self, number: int) -> tuple[str, ...]:
        """The other plans that were applied to the group under leases of higher numbers, the last one first. Raise StepRefused
        where they are too many to look at all."""
        found = [lease.plan_id for lease in islice(self._without_renewals(number), MOST_LOOKED_AT + 1)]
        if len(found) > MOST_LOOKED_AT:
            raise StepRefused(
                f"Plans were applied to the group more than {MOST_LOOKED_AT:,} times since plan {self.plan_id} was: whether another"
                " one was begun is unknown. Create a new plan."
            )
        return tuple(one for one in dict.fromkeys(found) if one != self.plan_id)

    def _without_renewals(self, above: int = 0) -> Iterator[Lease]:
        """The leases, the last one first. Of one that was renewed the last: a run of hours renews its lease hundreds of times."""
        numbers = sorted((one for one in _numbers(self.lake.names(self._folder), DIGITS) if one > above), reverse=True)
        first = numbers[0] + 1 if numbers else 0
        for number in numbers:
            if number >= first:
                continue
            with suppress(HoldfastError):
                lease, found = self._read(self._place(number))
                if not self.keys or found is Seal.SIGNED:
                    first = lease.first
                    yield lease

    def is_mine(self, lease: Lease) -> bool:
        """Of this run, which applies this plan."""
        return lease.owner.run is not None and (lease.owner.run, lease.plan_id) == (self.me.run, self.plan_id)

    def _refuse_former(self) -> None:
        """Raise StatePathTrouble while a former version applies this plan."""
        folder: LakePath = ("plans", self.plan_id, FORMER)
        number = max(_numbers(self.lake.names(folder), FORMER_DIGITS), default=0)
        if not number:
            return
        lease, found = self._read((*folder, f"{number:0{FORMER_DIGITS}}.json"))
        seal.refuse(found, f"The lease of plan {self.plan_id} (releasing it by force helps)", self.keys)
        stands = standing(lease, self.now())
        if stands in {LeaseStanding.HELD, LeaseStanding.UNBELIEVABLE} and not self.has_ended(lease.owner):
            raise StatePathTrouble(self._held_by(lease, stands))

    def is_latest(self, number: int) -> bool:
        return not self.lake.exists(self._place(number + 1))

    def _put(self, number: int, state: LeaseState, renews: int | None = None) -> Lease | None:
        """None: another run was quicker."""
        if number > MOST:
            raise StepRefused(f"{self._named} has no free number after {MOST:,}: move its folder away")
        at = self.now().astimezone(UTC)
        until = at + HELD_FOR if state is LeaseState.HELD else at
        lease = Lease(self.plan_id, number, state, self.me, instants.to_second(at), instants.to_second(until), self.group, renews)
        content = dumps(seal.signed(codec_of(Lease).write(lease), Sealed.LEASE, self.keys), indent=2).encode()
        # An object store may have taken it, and lost the answer: then the stored lease is this one, byte for byte.
        if self.lake.create(self._place(number), content) or (
            self.me.process and self.lake.read(self._place(number), LARGEST) == content
        ):
            return lease
        return None

    def _place(self, number: int) -> LakePath:
        return (*self._folder, f"{number:0{DIGITS}}.json")

    @property
    def _folder(self) -> LakePath:
        cluster, group_id = self.group
        return (FOLDER, segment("cluster", cluster), segment("group", group_id))

    @property
    def _named(self) -> str:
        cluster, group_id = self.group
        return f"The lease of group {printable(group_id, 200)} of cluster {printable(cluster, 200)}"

    def _held_by(self, lease: Lease, stands: LeaseStanding) -> str:
        owner = lease.owner
        where = f" on {printable(owner.host, 200)}, process {owner.pid}" if owner.host else ""
        run = f", run {printable(owner.run, 300)}" if owner.run else ""
        who = f"{printable(owner.name, 200)}{where}{run}"
        if stands is LeaseStanding.UNBELIEVABLE:
            return (
                f"The lease of {who}, to apply plan {printable(lease.plan_id, 40)}, ends at {lease.until}, and now it is"
                f" {instants.to_second(self.now())}: one of the two clocks is wrong. Correct it, or release the lease"
                " by force (--force-lease)."
            )
        return (
            f"{self._what(lease)} is being applied by {who}, since {lease.at}. Wait for it to end; if it has died, until"
            f" {lease.until} and ten seconds more. If it has certainly stopped, release the lease by force (--force-lease)."
        )

    def _what(self, lease: Lease) -> str:
        """What keeps this plan from being applied."""
        if lease.plan_id == self.plan_id:
            return f"Plan {self.plan_id}"
        return f"Plan {printable(lease.plan_id, 40)} for the same group as plan {self.plan_id}"


@dataclass
class HeldLease:
    """The lease while this run holds it. `before`: the lease that was taken over."""

    leases: Leases
    lease: Lease
    before: Lease | None

    @property
    def number(self) -> int:
        return self.lease.number

    def keep(self) -> None:
        """Before every act. Raise Lost if another run has the lease, or it ends too soon to do anything under it."""
        if not self.leases.is_latest(self.number):
            raise LeaseLost(self._taken())
        left = datetime.fromisoformat(self.lease.until) - self.leases.now()
        if left < RENEWED_WITH_LESS_THAN:
            self._renew(left)

    def _renew(self, left: timedelta) -> None:
        if left < GIVEN_UP_WITH_LESS_THAN:
            raise LeaseLost(
                f"The lease to apply plan {self.lease.plan_id} is over: the actions took too long. Apply it again to continue."
            )
        renewed = self.leases._put(self.number + 1, LeaseState.HELD, self.lease.first)  # noqa: SLF001 - of this module
        if renewed is None:
            raise LeaseLost(self._taken())
        self.lease = renewed

    def _taken(self) -> str:
        return (
            f"The lease to apply plan {self.lease.plan_id} was taken over by another run, so this one stops. The"
            " journal of this plan, or of another plan for the group, names that run."
        )

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Around what may take longer than the lease: it is renewed meanwhile, by another thread. Raise Lost at the end, where it
        was lost. Nothing else is done with the lease meanwhile."""
        over, lost = Event(), []

        def renew() -> None:
            while not over.wait(RENEWED_EVERY_S):
                try:
                    self.keep()
                except HoldfastError as trouble:
                    lost.append(trouble)
                    return

        keeper = Thread(target=renew, name="lease", daemon=True)
        keeper.start()
        try:
            yield
        finally:
            over.set()
            keeper.join()
        if lost:
            raise lost[0]

    def release(self) -> None:
        """At the end. Where that fails, it ends by itself."""
        try:
            if self.leases.is_latest(self.number):
                self.leases._put(self.number + 1, LeaseState.RELEASED)  # noqa: SLF001 - of this module
        except HoldfastError:
            return


def _numbers(names: Iterable[str], digits: int) -> list[int]:
    return [int(name[:digits]) for name in names if _is_one(name, digits)]


def _is_one(name: str, digits: int) -> bool:
    stem, dot, ending = name.partition(".")
    return bool(dot) and ending == "json" and len(stem) == digits and stem.isascii() and stem.isdigit()


def applied_to(lake: Lake, group: tuple[str, str], keys: SigningKeys) -> tuple[str, ...]:
    """The plans that were applied to a group (its cluster and ID), the last one first, for those who apply none themselves."""
    nobody = LeaseOwner("nobody")
    return Leases(lake, "", group, keys, nobody, lambda _: False, lambda: datetime.now(UTC)).applied()
