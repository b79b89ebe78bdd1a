"""A group as the doctor of settings sees it: a subject for the rules, and forecasts for the prices."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from holdfast.rollout.settings.rule import Measure, Scenario, World
from holdfast.rollout.settings.subject import Subject

Figures = Mapping[Measure, float | None]
"""Of one forecast; None: unknown."""
Prices = Callable[[Scenario, World], Figures]
"""The figures of a group in a scenario. Raises HoldfastError where it cannot be predicted."""


@dataclass(frozen=True, slots=True)
class Case:
    """A group as the doctor of settings sees it. `differs`: settings of which the snapshot and the application's properties say
    different things; the properties count."""

    group_id: str
    subject: Subject
    prices: Prices
    differs: tuple[str, ...] = ()
