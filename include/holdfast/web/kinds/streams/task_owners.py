"""The owner of each stateful task, before and after an option of a plan for Kafka Streams: what `ownership` draws."""

from collections.abc import Callable, Mapping

from holdfast.rollout.streams.change.change import Item
from holdfast.rollout.streams.cost.cost import end_owners, renamed
from holdfast.rollout.streams.cost.evaluation import Cost
from holdfast.rollout.streams.events.event import Event
from holdfast.rollout.streams.events.parts.new_client import NewClient
from holdfast.rollout.streams.plan.basis import Basis
from holdfast.rollout.streams.plan.plan import Considered, Plan
from holdfast.rollout.streams.process_ids import order
from holdfast.rollout.text.format import listed
from holdfast.web.parts.ownership import Picture, Placement, Words, picture
from holdfast.web.parts.plan_view import title_of

WORDS = Words("stateful task", "client", "process ID")


def task_picture(plan: Plan, option: Considered, cost: Cost) -> Picture | None:
    """None where the final assignment is unknown."""
    if not cost.end:
        return None
    stateful = plan.basis.stateful_among((*(task.id for task in plan.basis.tasks), *end_owners(cost.end)))
    before = {task: client.process_id for client in plan.basis.clients for task in client.active if task in stateful}
    after = {task: owner for task, owner in end_owners(cost.end).items() if task in stateful}
    then = sorted(client.process_id for client in cost.end)
    anew = {old: new for new, old in renamed(option.change).items() if new in then and old not in then}
    now = [anew.get(client.process_id, client.process_id) for client in plan.basis.clients]
    all_ids = sorted({*now, *then})
    joining = [joins.process_id for item in option.change.events if (joins := _joining(item)) is not None]
    placement = Placement(
        words=WORDS,
        before={str(task): str(anew.get(before[task], before[task])) for task in sorted(before)},
        after={str(task): str(after[task]) for task in sorted(after)},
        now=tuple(map(str, now)),
        then=tuple(map(str, then)),
        order=tuple(map(str, all_ids)),
        names=_names(plan, option, cost),
        back=frozenset(str(one) for one in joining if one in now),
        anew=frozenset(map(str, anew.values())),
        at={str(one): order.point(one) * 1000 >> 128 for one in all_ids},
    )
    return picture(option.name, title_of(option.name, plan), placement)


def about_tasks(basis: Basis) -> Callable[[str], str]:
    """What a task is: its subtopology, what it reads, what it keeps."""
    known = {str(one.number): one for one in basis.subtopologies}

    def about(thing: str) -> str:
        number, _, partition = thing.partition("_")
        one = known.get(number)
        if one is None:
            return f"subtopology {number}, partition {partition}"
        stores = f"; stores {listed(one.stores, 4)}" if one.stores else "; stateless"
        return f"subtopology {number}, partition {partition}; reads {listed(one.topics, 4)}{stores}"

    return about


def _names(plan: Plan, option: Considered, cost: Cost) -> Mapping[str, str]:
    """Hosts, where they are known; `old → new` for a client whose ID comes back elsewhere."""
    known = {client.process_id: client.host for client in plan.basis.clients}
    joining = [client for item in option.change.events if (client := _joining(item)) is not None]
    hosts = {client.process_id: client.host for client in joining if isinstance(client.host, str)}
    hosts |= {new: host for new, old in renamed(option.change).items() if (host := known.get(old))}
    anywhere = {client.host for client in joining if client.process_id is None and isinstance(client.host, str)}
    ends = [client.process_id for client in cost.end]
    names: dict[str, str] = {}
    for one in {*known, *ends}:
        old, new = known.get(one), hosts.get(one)
        if one not in known and new is None and len(anywhere) == 1:
            new = next(iter(anywhere))
        moves = one in known and one in ends and old and new and old != new
        names[str(one)] = f"{old} → {new}" if moves else (new if one not in known else old) or new or "unknown host"
    return names


def _joining(item: Item) -> NewClient | None:
    return item.joining() if isinstance(item, Event) else None
