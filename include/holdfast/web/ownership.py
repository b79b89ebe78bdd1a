"""Who owns which stateful task, before and after: the picture in the middle of a plan's page.

Clients stand in Kafka's order of process IDs, because that order is what decides. A task is marked by why it moves: its client goes
(`asked`), or its client stays and it moves all the same (`needless`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from holdfast.kafka.vocabulary import ProcessId, TaskId
from holdfast.rollout import order
from holdfast.rollout.change import AddClient, Item, NewClient, ReplaceClient
from holdfast.rollout.cost import end_owners
from holdfast.rollout.evaluation import Cost
from holdfast.rollout.plan_value import Considered, Plan

MOST_ROWS = 48
MOST_CHIPS = 96
MOST_NAMED = 10
STAYS, ASKED, NEEDLESS = "stays", "asked", "needless"


@dataclass(frozen=True, slots=True)
class Chip:
    """A task in one column. `how`: `stays`, `asked` or `needless`; `other`: who has it in the other column."""

    task: str
    how: str
    other: str


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """A client. `place_now` and `place_then` count from 1, None where it is not there. `at`: where its ID lies among all that there
    can be, 0 to 1000. `more_now`, `more_then`: tasks that are not drawn."""

    process_id: str
    name: str
    place_now: int | None
    place_then: int | None
    at: int
    fate: str
    now: tuple[Chip, ...]
    then: tuple[Chip, ...]
    more_now: int
    more_then: int
    count_now: int
    count_then: int


@dataclass(frozen=True, slots=True)
class Picture:
    """`rows`: all clients where they are few, else those of which something moves. `dots`: task by task for a chart, as
    (place of the task, row before, row after, how as 0, 1 or 2), where there are too many to draw one by one."""

    name: str
    title: str
    moved: int
    needless: int
    stateful: int
    clients: int
    rows: tuple[OwnerRow, ...]
    hidden: int
    names: tuple[str, ...]
    dense: bool
    """So many tasks a client that their squares go without a name."""
    dots: tuple[tuple[int, int, int, int], ...]


def picture(plan: Plan, way: Considered, title: str, cost: Cost) -> Picture | None:
    """None where nobody knows who owns what in the end."""
    if not cost.end:
        return None
    stateful = {task.id for task in plan.basis.tasks if task.stateful}
    before = {task: client.process_id for client in plan.basis.clients for task in client.active if task in stateful}
    after = {task: owner for task, owner in end_owners(cost.end).items() if task in stateful}
    staying = {client.process_id for client in cost.end} & {client.process_id for client in plan.basis.clients}
    how = {task: _how(before.get(task), owner, staying) for task, owner in after.items()}
    names = _names(plan, way, cost)
    rows = tuple(_rows(plan, (way, cost), (before, after, how), names))
    drawn = rows if len(rows) <= MOST_ROWS else tuple(row for row in rows if _is_telling(row))[:MOST_ROWS]
    place = {row.process_id: number for number, row in enumerate(rows)}
    kinds = (STAYS, ASKED, NEEDLESS)
    dots = tuple(
        (number, place.get(str(before.get(task)), -1), place[str(after[task])], kinds.index(how[task]))
        for number, task in enumerate(sorted(after))
    )
    return Picture(
        name=way.name,
        title=title,
        moved=sum(one != STAYS for one in how.values()),
        needless=sum(one == NEEDLESS for one in how.values()),
        stateful=len(stateful),
        clients=len(rows),
        rows=drawn,
        hidden=len(rows) - len(drawn),
        names=tuple(f"{row.name} ({row.process_id[:8]}…)" for row in rows),
        dense=any(max(row.count_now, row.count_then) > MOST_NAMED for row in rows),
        dots=dots if len(rows) > MOST_ROWS or any(row.more_now or row.more_then for row in rows) else (),
    )


def _is_telling(row: OwnerRow) -> bool:
    return row.fate != "stays" or any(chip.how != STAYS for chip in (*row.now, *row.then)) or row.count_now != row.count_then


def _how(before: ProcessId | None, after: ProcessId, staying: set[ProcessId]) -> str:
    if before == after:
        return STAYS
    return NEEDLESS if before in staying else ASKED


def _names(plan: Plan, way: Considered, cost: Cost) -> dict[ProcessId, str]:
    """Hosts, where they are known; `old → new` for a client whose ID comes back elsewhere."""
    known = {client.process_id: client.host for client in plan.basis.clients}
    joining = [client for item in way.change.events if (client := _joining(item)) is not None]
    hosts = {client.process_id: client.host for client in joining if isinstance(client.host, str)}
    anywhere = {client.host for client in joining if client.process_id is None and isinstance(client.host, str)}
    ends = [client.process_id for client in cost.end]
    names = {}
    for one in {*known, *ends}:
        old, new = known.get(one), hosts.get(one)
        if one not in known and new is None and len(anywhere) == 1:
            new = next(iter(anywhere))
        moves = one in known and one in ends and old and new and old != new
        names[one] = f"{old} → {new}" if moves else (new if one not in known else old) or new or "host not known"
    return names


def _joining(item: Item) -> NewClient | None:
    match item:
        case AddClient(client):
            return client
        case ReplaceClient():
            return item.by
        case _:
            return None


_Owned = tuple[Mapping[TaskId, ProcessId], Mapping[TaskId, ProcessId], Mapping[TaskId, str]]


def _rows(plan: Plan, of: tuple[Considered, Cost], owned: _Owned, names: Mapping[ProcessId, str]) -> Iterator[OwnerRow]:
    way, cost = of
    before, after, how = owned
    now = [client.process_id for client in plan.basis.clients]
    then = sorted(client.process_id for client in cost.end)
    place_now = {one: number for number, one in enumerate(now, start=1)}
    place_then = {one: number for number, one in enumerate(then, start=1)}
    back = {joins.process_id for item in way.change.events if (joins := _joining(item)) is not None}
    had, has = _by_owner(before), _by_owner(after)
    short = {one: f"{name} ({str(one)[:8]}…)" for one, name in names.items()}
    for one in sorted({*now, *then}):
        mine, new = had.get(one, ()), has.get(one, ())
        old_chips = tuple(
            Chip(str(task), how.get(task, ASKED), short.get(after[task], "") if task in after else "") for task in mine
        )
        new_chips = tuple(Chip(str(task), how[task], short.get(before[task], "") if task in before else "nobody") for task in new)
        fate = "goes" if one not in place_then else "comes" if one not in place_now else "returns" if one in back else "stays"
        yield OwnerRow(
            process_id=str(one),
            name=names[one],
            place_now=place_now.get(one),
            place_then=place_then.get(one),
            at=order.rank(one) * 1000 >> 128,
            fate=fate,
            now=old_chips[:MOST_CHIPS],
            then=new_chips[:MOST_CHIPS],
            more_now=max(0, len(old_chips) - MOST_CHIPS),
            more_then=max(0, len(new_chips) - MOST_CHIPS),
            count_now=len(old_chips),
            count_then=len(new_chips),
        )


def _by_owner(owners: Mapping[TaskId, ProcessId]) -> dict[ProcessId, tuple[TaskId, ...]]:
    found: dict[ProcessId, list[TaskId]] = {}
    for task, owner in owners.items():
        found.setdefault(owner, []).append(task)
    return {owner: tuple(sorted(tasks)) for owner, tasks in found.items()}
