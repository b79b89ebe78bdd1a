"""Which releases the coordinator may have run that wrote a target: by whether it has the moment at which it was computed."""

from holdfast.kafka.coordinator.release import LINES, Behaviour, behaviour


def fitting(given: str | None, timestamp_ms: int | None) -> tuple[str, ...]:
    """One of each line, oldest first. `given`: by an operator. `timestamp_ms`: as recorded; releases since 4.3 record it."""
    if given is not None:
        return (given,)
    return tuple(line.releases[-1] for line in LINES if line.has_interval == (timestamp_ms is not None))


def alike(release: str) -> tuple[bool, ...]:
    """What of the release decides a target: releases with the same decide alike."""
    facts: Behaviour = behaviour(release)
    return facts.sticks_to_current, facts.offsets_count, facts.first_standby_hides_others, facts.processes_computed
