"""What all actors on pods do alike.

Settings of clients that are pods are in a workload, a ConfigMap or a chart, and Holdfast changes none of these.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping

from holdfast.adapters.hosts import client_settings
from holdfast.adapters.hosts.kubernetes.api import Api
from holdfast.errors import HostTrouble
from holdfast.rollout.execution.acts import Act


class PodActor:
    """`act_s`: how long one act may take."""

    def __init__(self, api: Api, act_s: float) -> None:
        self._api = api
        self._act_s = act_s

    @property
    def limit_s(self) -> float:
        return self._act_s + 2 * self._api.limit_s

    unseen_s = unseen_write_s = limit_s

    def was_given(self, act: Act) -> bool | None:  # noqa: ARG002 - the pod shows what was done
        return None

    def outcome(self, act: Act) -> str | None:  # noqa: ARG002 - Kubernetes shows it by the pod
        return None

    def lacks_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:  # noqa: ARG002 - of no pod
        return client_settings.NONE_OF_PODS

    def read_config(self, act: Act, keys: Collection[str]) -> Mapping[str, str | None] | None:  # noqa: ARG002 - of no pod
        return None

    def is_writing(self, act: Act) -> bool:  # noqa: ARG002 - of no pod
        return False

    def write_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:  # noqa: ARG002 - of no pod
        return client_settings.NONE_OF_PODS


class NamedPodActor(PodActor, ABC):
    """Of clients that have a name of their own in Kubernetes."""

    @abstractmethod
    def _named(self, act: Act) -> str:
        """What the client is called in Kubernetes. Raise HostTrouble where that is unknown."""

    def cannot_look(self, act: Act) -> str | None:
        try:
            self._named(act)
        except HostTrouble as trouble:
            return str(trouble) if trouble.lasting else None  # what passes is waited for when the process is looked at
        return None
