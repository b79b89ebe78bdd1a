"""A run that is killed when the answer to its first change comes."""

from collections.abc import Callable
from unittest.mock import patch

from tests.harness.kubernetes.cluster import Cluster
from tests.harness.running_group import Killed

from holdfast.adapters.hosts.kubernetes.api import Api, Document


def after_its_change(cluster: Cluster, path_has: str, done: Callable[[], object]) -> None:
    """`path_has`: a part of the path of the object that is changed."""
    changes = Api.patch

    def dies(self: Api, path: str, body: Document, *kind: str) -> Document:
        answer = changes(cluster.api(), path, body, *kind)
        if path_has in path:
            raise Killed
        return answer

    with patch.object(Api, "patch", dies):
        try:
            done()
        except Killed:
            return
    raise AssertionError("nothing was changed")
