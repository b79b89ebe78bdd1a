"""Where a plan's process IDs are written: templates become directories, and none leads to a host that is not the group's."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from holdfast import secrecy
from holdfast.errors import HostTrouble, InvalidInput, StatePathTrouble
from holdfast.kafka.vocabulary import ProcessId
from holdfast.rollout.contract.actions import WriteProcessMetadata
from holdfast.rollout.disks.host_templates import HOST, Hosts
from holdfast.rollout.group.values import AnyPlan
from holdfast.rollout.kinds.registry import kind_of
from holdfast.rollout.text.format import printable

PODS, ORDINAL = "kubernetes://", "{ordinal}"
PodsOfTemplates = Callable[[str, str, int], bool]
"""Of a template, a URL, and how many pods more than its workload has may be meant: whether it stands for the URL's pod. Raises
HostTrouble."""


@dataclass(eq=False)
class Directories(Mapping[ProcessId, str]):
    """Where process IDs are written. A template of pods (`{ordinal}`) is resolved when it is asked for, and not before: its volumes
    say which pod is which client, and before a step is due they may not be readable. `resolved`: by a template, for each process
    ID; raises HoldfastError, and so does looking one up."""

    given: Mapping[ProcessId, str]
    resolved: Callable[[str], Mapping[ProcessId, str]]
    _known: dict[ProcessId, str] = field(default_factory=dict)

    def __getitem__(self, process_id: ProcessId) -> str:
        url = self.given[process_id]
        if not (url.startswith(PODS) and ORDINAL in url):
            return url
        if process_id not in self._known:
            self._known.update(self.resolved(url))
        if process_id not in self._known:
            raise InvalidInput(f"{printable(url, 200)}: no step of the plan writes the process ID {process_id}")
        return self._known[process_id]

    def __contains__(self, process_id: object) -> bool:
        return process_id in self.given

    def __iter__(self) -> Iterator[ProcessId]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


def as_given(directories: Mapping[ProcessId, str]) -> tuple[str, ...]:
    """Without asking where templates lead, and without the users who log in to hosts, whose names are no secrets."""
    given = directories.given if isinstance(directories, Directories) else directories
    return tuple(map(secrecy.without_user, given.values()))


def hosts_of(plan: AnyPlan) -> Hosts:
    """Those of the group when the plan was made, and those that its steps bring."""
    return Hosts.of(kind_of(plan).places(plan))


def writes_of(plan: AnyPlan) -> tuple[WriteProcessMetadata, ...]:
    """Its actions that write process IDs, in order."""
    actions = (getattr(step, "action", None) for step in plan.steps)
    return tuple(one for one in actions if isinstance(one, WriteProcessMetadata))


def placed(plan: AnyPlan, chosen: Mapping[ProcessId, str]) -> dict[ProcessId, str]:
    """`{host}` becomes the host of the step that writes the process ID. Raise InvalidInput where the plan does not name it."""
    at = {one.process_id: one.host for one in writes_of(plan)}
    return {process_id: _placed(process_id, url, at.get(process_id)) for process_id, url in chosen.items()}


def _placed(process_id: ProcessId, url: str, host: str | None) -> str:
    if HOST not in url:
        return url
    found = Hosts.of((host,))
    found.refuse_no_names(f"The plan has the process ID {process_id} for")
    if not found.names:
        raise InvalidInput(
            f"{printable(url, 200)}: the plan does not say on which host the client with the process ID {process_id} starts; give"
            " the directory with its host"
        )
    return found.expanded(url)[0]


def refuse_foreign(plan: AnyPlan, directory: str, allowed: Sequence[str], pods: PodsOfTemplates) -> None:
    """Raise InvalidInput for a directory that is none of those that an admin allowed, directly or by a template.

    `{host}` stands for the hosts of `hosts_of`, and for no others; `{ordinal}` for the pods of that StatefulSet, and as many more
    as the plan writes process IDs for. Raise StatePathTrouble where pods cannot be seen.
    """
    hosts, more = hosts_of(plan), len(kind_of(plan).writes(plan))
    every = [one for template in allowed for one in hosts.expanded(template)]
    if HOST not in directory and directory in every:
        return
    try:
        if directory.startswith(PODS) and any(pods(one, directory, more) for one in every if one.startswith(PODS)):
            return
    except HostTrouble as trouble:
        raise StatePathTrouble(f"whether {printable(directory, 200)} is a pod of the group is unknown: {trouble}") from None
    hosts.refuse_no_names(f"The plan for the group {printable(plan.basis.group_id)} names")
    raise InvalidInput(
        f"{printable(str(directory), 200)} is not one of the state directories that the connection of cluster"
        f" {printable(plan.basis.cluster)} names for the group {printable(plan.basis.group_id)} (`state_dirs`, {len(allowed)} of"
        f" them; {{host}} stands for the hosts that the plan names: {printable(', '.join(hosts.names) or 'none', 500)}): choose one"
        " of those, or have it added there"
    )
