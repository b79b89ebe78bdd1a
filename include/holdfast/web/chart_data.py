"""What the charts of the pages draw, as JSON in the page: numbers and names, no options of the library."""

from holdfast.rollout.wording import printable
from holdfast.web.fleet_view import FleetView
from holdfast.web.ownership import Picture
from holdfast.web.plan_view import PlanView


def timeline_data(view: PlanView) -> dict[str, object]:
    """A line a way. A point: seconds, handed over so far, handed over then, warm-ups, without a caught-up copy."""
    end = max((one.end for one in view.timelines), default=0)
    total = view.pictures[0].stateful if view.pictures else 0
    return {
        "end": end,
        "total": total,
        "lines": [{"name": one.title, "points": [list(point) for point in one.points]} for one in view.timelines],
    }


def owners_data(one: Picture) -> dict[str, object]:
    """A dot a task: place of the task, row before, row after, and how it moves."""
    return {
        "clients": one.clients,
        "tasks": len(one.dots),
        "dots": [list(dot) for dot in one.dots],
        "names": [printable(name) for name in one.names],
    }


def fleet_data(view: FleetView) -> dict[str, object]:
    """A dot a group: per cent of its tasks that move, hours until stable (null: not known), stateful tasks, name."""
    return {
        "dots": [
            [one.share / 10, one.hours, one.stateful_tasks, printable(one.group_id, 80), printable(one.host, 80)]
            for one in view.dots
        ]
    }
