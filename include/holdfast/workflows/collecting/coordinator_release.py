"""The release of the coordinator of a group whose broker assigns: the one given, or what its features show."""

from holdfast.errors import InvalidInput
from holdfast.kafka.coordinator.release import METADATA_VERSIONS, minor_of
from holdfast.ports import ObservedGroup
from holdfast.rollout.contract.unknown_inputs import Unknown


def release_of(observed: ObservedGroup, given: str | None, unknown: list[Unknown]) -> str | None:
    """The one given; else the minor release that the coordinator's features show, whose patches assign alike. None: it is unknown,
    which is added to `unknown`. Raise InvalidInput where they contradict each other."""
    minor = None if observed.metadata_version is None else minor_of(observed.metadata_version)
    if given is not None:
        if minor is not None and given != minor and not given.startswith(f"{minor}."):
            raise InvalidInput(f"the coordinator is of Kafka {minor}; {given!r} was given. Leave it out", "--broker-release")
        return given
    if minor is None:
        newest = "does not say which"
        if observed.metadata_version is not None:
            levels = ", ".join(f"{level} in {release}" for level, release in METADATA_VERSIONS.items())
            newest = f"supports metadata.version up to {observed.metadata_version}; known are {levels}"
        unknown.append(Unknown("broker_release", f"not given, and the coordinator {newest}; give --broker-release"))
    return minor
