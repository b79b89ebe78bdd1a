"""Which releases decide the targets of streams groups alike."""

from holdfast.kafka.coordinator.release import Behaviour, behaviour


def alike(release: str) -> tuple[bool, ...]:
    """What of the release decides a target: releases with the same decide alike."""
    facts: Behaviour = behaviour(release)
    return facts.sticks_to_current, facts.offsets_count, facts.first_standby_hides_others, facts.processes_computed
