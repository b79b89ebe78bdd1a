"""How an API server is reached: by a kubeconfig, an Airflow connection of type kubernetes, or from inside its cluster."""

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from holdfast.adapters.hosts.kubernetes.api import kind_of
from holdfast.adapters.urls import parts_of
from holdfast.errors import HostTrouble, InvalidInput

READER_IMAGE = "HOLDFAST_READER_IMAGE"
_PREFIX = "extra__kubernetes__"
"""Of the extras' names in connections that an older Airflow has made."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_LIBRARY = "the library for Kubernetes is not installed: pip install 'holdfast[kubernetes]'"


@dataclass(frozen=True)
class Access:
    """Where credentials come from. Where nothing is given: the service account of this pod if there is one, else the user's
    kubeconfig."""

    shown: str
    context: str = ""
    kube_config: Mapping[str, Any] | None = None
    kube_config_path: str = ""
    in_cluster: bool = False
    reader_image: str = ""
    """For containers of Holdfast's next to an application without a shell; "": none may be started."""

    @classmethod
    def of_context(cls, context: str) -> "Access":
        """A context of the user's kubeconfig; "": the cluster around, or the current context."""
        shown = f"cluster {context}" if context else "the cluster"
        return cls(shown, context, reader_image=os.environ.get(READER_IMAGE, ""))

    @classmethod
    def of_extras(cls, conn_id: str, extras: Mapping[str, Any]) -> "Access":
        """What an Airflow connection of type `kubernetes` says. Raise InvalidInput for a kubeconfig that is none."""
        given = {name.removeprefix(_PREFIX): value for name, value in extras.items() if value not in (None, "")}
        if _is_true(given.get("disable_verify_ssl")):
            raise InvalidInput(
                f"the connection {conn_id} disables the check of the API server's certificate (disable_verify_ssl), which"
                " shows its token to others. Put the cluster's CA into the kubeconfig (certificate-authority-data) instead"
            )
        config = given.get("kube_config")
        if isinstance(config, str):
            try:
                config = json.loads(config)
            except ValueError:
                config = "no JSON"
        if config is not None and not isinstance(config, dict):
            raise InvalidInput(f"kube_config of the connection {conn_id} is not a kubeconfig as JSON")
        return cls(
            f"cluster {conn_id}",
            str(given.get("cluster_context", "")),
            config,
            str(given.get("kube_config_path", "")),
            in_cluster=_is_true(given.get("in_cluster")),
            reader_image=str(given.get("reader_image") or os.environ.get(READER_IMAGE, "")),
        )


class Server:
    """An API server, reached with an `Access`. Credentials are loaded when they are first needed."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._only_one = threading.Lock()

    @property
    def shown(self) -> str:
        return self._access.shown

    @property
    def url(self) -> str:
        return str(self.configuration.host)

    @property
    def configuration(self) -> Any:
        """The library's value: address, certificates, and a token that renews itself."""
        with self._only_one:
            return self._configuration

    def authorization(self) -> str | None:
        configuration = self.configuration
        with self._only_one:  # renewing writes to it
            found = configuration.auth_settings().get("BearerToken")
        return str(found["value"]) if found and found["value"] else None

    def pool(self) -> Any:
        self.configuration  # noqa: B018 - loaded under the lock
        return self._pool

    @cached_property
    def _pool(self) -> Any:
        from kubernetes.client.rest import RESTClientObject

        return RESTClientObject(self._configuration).pool_manager

    @cached_property
    def _configuration(self) -> Any:
        try:
            from kubernetes import config
            from kubernetes.client import Configuration
        except ImportError:
            raise HostTrouble(f"{self.shown}: {_LIBRARY}", begun=False, lasting=True) from None
        found = Configuration()
        try:
            self._load(config, found)
        except Exception as error:  # noqa: BLE001 - files, YAML, helpers that issue tokens: texts may hold secrets
            raise HostTrouble(
                f"{self.shown}: the credentials cannot be loaded ({kind_of(error)}): name a context of the kubeconfig or an Airflow"
                " connection of type kubernetes; `kubectl config get-contexts` lists contexts",
                begun=False,
                lasting=True,
            ) from None
        found.retries = False
        self._refuse_unchecked(found)
        return found

    def _load(self, config: Any, into: Any) -> None:
        access = self._access
        of_file = {"context": access.context or None, "client_configuration": into, "persist_config": False}
        if access.in_cluster:
            config.load_incluster_config(client_configuration=into)
        elif access.kube_config is not None:
            config.load_kube_config_from_dict(dict(access.kube_config), **of_file)
        elif access.kube_config_path or access.context:
            config.load_kube_config(access.kube_config_path or os.environ.get("KUBECONFIG"), **of_file)
        else:
            try:
                config.load_incluster_config(client_configuration=into)
            except config.ConfigException:
                config.load_kube_config(os.environ.get("KUBECONFIG"), **of_file)

    def _refuse_unchecked(self, found: Any) -> None:
        """Before anything is sent: a token goes to a server whose certificate was checked, or to this machine (`kubectl proxy`)."""
        parts = parts_of(str(found.host))
        if parts is None:
            raise HostTrouble(f"{self.shown}: the URL of the API server is malformed", begun=False, lasting=True)
        if parts.scheme == "https" and found.verify_ssl:
            return
        if parts.scheme == "http" and parts.hostname in _LOOPBACK:
            return
        what = "without TLS" if parts.scheme != "https" else "without a check of its certificate (insecure-skip-tls-verify)"
        raise HostTrouble(
            f"{self.shown}: the API server would be reached {what}, and would be sent credentials. Put the cluster's CA into the"
            " kubeconfig: certificate-authority-data",
            begun=False,
            lasting=True,
        )


def _is_true(value: object) -> bool:
    return value is True or str(value).lower() == "true"
