"""What the charts of the pages draw, as JSON in the page: numbers and names, no options of the library."""

from holdfast.rollout.text.format import printable
from holdfast.web.parts.ownership import Picture
from holdfast.web.parts.plan_view import PlanView


def timeline_data(view: PlanView) -> dict[str, object]:
    """A line an option. A point: when, handed over so far, handed over then, what else, what is dangerous about it."""
    total = view.pictures[0].total if view.pictures else 0
    most = max((at.so_far for one in view.timelines for at in one.points), default=0)
    return {
        "end": max((one.end for one in view.timelines), default=0),
        "total": total if most <= total else 0,  # what is handed over several times may be more than there is
        "things": view.labels.total,
        "unit": view.labels.unit,
        "risk": view.labels.risk,
        "lines": [
            {
                "name": one.title,
                "points": [[at.at, at.so_far, at.handed_over, at.note, at.risk] for at in one.points],
            }
            for one in view.timelines
        ],
    }


def hops_data(one: Picture, view: PlanView) -> dict[str, object]:
    """How far the things of each owner go: place now, places further on, how many, how. One scale for all pictures of a page."""
    return {
        "places": max(len(each.names) for each in view.pictures),
        "reach": max((abs(hop) for each in view.pictures for _, hop, _, _ in each.hops), default=0),
        "dots": [list(dot) for dot in one.hops],
        "names": [printable(name) for name in one.names],
        "thing": one.words.thing,
        "owner": one.words.owner,
    }
