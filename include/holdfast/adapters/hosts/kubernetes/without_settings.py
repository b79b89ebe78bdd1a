"""Settings of clients that are pods: a workload, a ConfigMap or a chart has them, and Holdfast changes none of these."""

from collections.abc import Collection, Mapping

from holdfast.adapters.hosts import client_settings
from holdfast.rollout.execution.acts import Act


class WithoutSettings:
    """What an actor on pods does with settings: it refuses each by name."""

    def lacks_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:  # noqa: ARG002 - of no pod
        return client_settings.NONE_OF_PODS

    def read_config(self, act: Act, keys: Collection[str]) -> Mapping[str, str | None] | None:  # noqa: ARG002 - of no pod
        return None

    def write_config(self, act: Act, settings: Mapping[str, str | None]) -> str | None:  # noqa: ARG002 - of no pod
        return client_settings.NONE_OF_PODS
