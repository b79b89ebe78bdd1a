"""State directories in pods for the reader of directories on hosts: URLs to places, templates to the pods that there are."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.kubernetes import address, pods, rights, seed_files
from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.adapters.hosts.kubernetes.api import LIMIT_S, Api
from holdfast.adapters.hosts.kubernetes.connection import Access, Server
from holdfast.adapters.hosts.kubernetes.readers import PodHost
from holdfast.adapters.hosts.state_directories import Place
from holdfast.errors import HoldfastError, InvalidInput
from holdfast.kafka.vocabulary import ProcessId
from holdfast.ports import HostRights
from holdfast.rollout.contract.actions import WriteProcessMetadata

SCHEME = address.SCHEME.removesuffix("://")


@dataclass
class Clusters:
    """`access_of`: how a cluster is reached, by the first part of a URL. Credentials are loaded once for each."""

    access_of: Callable[[str], Access]
    deadline: Deadline
    _servers: dict[str, tuple[Access, Server]] = field(default_factory=dict)
    _only_one: threading.Lock = field(default_factory=threading.Lock)

    def place(self, url: str) -> Place:
        """Where a directory is: in a pod, or on the claim of a Deployment without pods. Raise InvalidInput for a URL that cannot be
        right."""
        where = address.parse(url)
        if where.stateful_set is not None or (where.deployment is not None and where.depends_on_pod):
            raise InvalidInput(f"{url} stands for several pods; name one of them")
        access, server = self._reached(where.cluster)
        host = PodHost(server, where, access.reader_image)
        return Place(
            host,
            where.path,
            str(where),
            f"{where.cluster}/{where.namespace}/{where.pod}/{where.container}",
            lambda: host.is_where_it_runs,
        )

    def expanded(self, url: str) -> tuple[str, ...]:
        """The URLs of all pods that a template stands for. Raise HostTrouble where that cannot be seen."""
        where = address.parse(url)
        if where.is_one:
            return (url,)
        _, server = self._reached(where.cluster)
        return tuple(str(one) for one in pods.named(Api(server, min(LIMIT_S, self.deadline.remaining_s())), where))

    def stands_for(self, template: str, url: str, more: int) -> bool:
        """Whether the template stands for the pod of the URL: one that its workload controls now, or one that its StatefulSet has
        by its replicas, and by `more` of them. Raise InvalidInput for URLs that cannot be right, HostTrouble."""
        where, wanted = address.parse(template), address.parse(url)
        if where.is_one or not wanted.is_one or where.of(wanted.pod) != wanted:
            return where == wanted
        _, server = self._reached(where.cluster)
        return pods.is_one_of(Api(server, min(LIMIT_S, self.deadline.remaining_s())), where, wanted.pod, more)

    def seed_files(self, url: str, writes: Iterable[WriteProcessMetadata], known: Mapping[ProcessId, str]) -> dict[str, str]:
        """The ConfigMap and the patch for the StatefulSet of a template. Raise InvalidInput, HostTrouble."""
        where = address.parse(url)
        access, server = self._reached(where.cluster)
        api = Api(server, min(LIMIT_S, self.deadline.remaining_s()))
        workload = seed_files.workload_of(api, where)
        seeds = seed_files.by_ordinal(writes, known, where, workload)
        return seed_files.files(api, where, workload, seeds, access.reader_image)

    def directories(self, url: str, writes: Iterable[WriteProcessMetadata], known: Mapping[ProcessId, str]) -> dict[ProcessId, str]:
        """The URL of the directory that gets each process ID, in the pods of a template's StatefulSet. Raise as `seed_files`."""
        where = address.parse(url)
        _, server = self._reached(where.cluster)
        workload = seed_files.workload_of(Api(server, min(LIMIT_S, self.deadline.remaining_s())), where)
        seeds = seed_files.by_ordinal(writes, known, where, workload)
        return {seed.process_id: str(where.of(f"{where.stateful_set}-{ordinal}")) for ordinal, seed in seeds.items()}

    def rights(self, urls: Sequence[str]) -> tuple[HostRights, ...]:
        """Of each namespace that the URLs name: what reading needs, and acting on workloads; and which of it this user lacks."""
        places: dict[tuple[str, str], list[Address]] = {}
        for url in urls:
            with suppress(InvalidInput):  # reading says so
                where = address.parse(url)
                places.setdefault((where.cluster, where.namespace), []).append(where)
        return tuple(one for (cluster, namespace), found in places.items() for one in self._rights(cluster, namespace, found))

    def _rights(self, cluster: str, namespace: str, found: list[Address]) -> Iterator[HostRights]:
        shown = f"namespace {namespace}" + (f" of {cluster}" if cluster else "")
        try:
            access, server = self._reached(cluster)
            api = Api(server, min(LIMIT_S, self.deadline.remaining_s()))
            rules = rights.reading(found, starts_readers=bool(access.reader_image))
            yield HostRights(
                f"read in {shown}", rights.lacking(api, namespace, rules), rights.role("holdfast-read", namespace, rules)
            )
            for role, how, needed in rights.acting(found):
                lacking = rights.lacking(api, namespace, needed)
                yield HostRights(f"act in {shown} ({how}optional)", lacking, rights.role(role, namespace, needed))
        except HoldfastError as trouble:
            yield HostRights(f"read in {shown}", (), "see the message", str(trouble))

    def _reached(self, cluster: str) -> tuple[Access, Server]:
        with self._only_one:
            if cluster not in self._servers:
                access = self.access_of(cluster)
                self._servers[cluster] = (access, Server(access))
            return self._servers[cluster]
