"""One cluster for the tests of Kubernetes: the contract server in every run, a real kube-apiserver in `bin/test-kubernetes`."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.harness.kubernetes.cluster import Cluster, running


@pytest.fixture(scope="package")
def cluster() -> Iterator[Cluster]:
    with TemporaryDirectory(prefix="holdfast-kubernetes-") as folder, running(Path(folder)) as found:
        yield found


@pytest.fixture(scope="package")
def contract(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster whose server can be made to fail."""
    if cluster.contract is not None:
        yield cluster
        return
    with TemporaryDirectory(prefix="holdfast-kubernetes-") as folder, running(Path(folder), None) as found:
        yield found


@pytest.fixture(scope="package")
def driven(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster with controllers: played ones, or Kubernetes' own where the server is (`controller.settle`)."""
    if cluster.contract is not None:
        yield cluster
        return
    with TemporaryDirectory(prefix="holdfast-kubernetes-") as folder, running(Path(folder), controllers=True) as found:
        yield found
