"""The file `kafka-streams-process-metadata` written over a real sshd whose connections break."""

import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.sshd import Sshd
from tests.unit.adapters.hosts.test_seeding_on_hosts import FILE_NAME, OURS, holds, names

from holdfast.adapters.hosts.process_metadata import HostProcessMetadataFiles
from holdfast.adapters.hosts.ssh import SshHosts
from holdfast.adapters.hosts.ssh_settings import target
from holdfast.adapters.hosts.state_directories import Place
from holdfast.errors import StatePathTrouble

pytestmark = pytest.mark.starts


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Sshd]:
    with Sshd(tmp_path / "sshd") as running:
        yield running


def test_dropped_connections_leave_a_whole_file_or_none(host: Sshd, tmp_path: Path) -> None:
    """The sshd of the connection is killed at a random moment of the write; what a write reports is what is there."""
    moments = random.Random(19)
    with SshHosts(host.settings) as hosts:
        over_ssh = HostProcessMetadataFiles({"ssh": lambda url: Place(hosts.shell(target(url)), target(url).path, url, "host")})
        for number in range(int(os.environ.get("HOLDFAST_DROPPED_CONNECTIONS", "5"))):
            folder = tmp_path / f"app-{number}"
            folder.mkdir()
            drop = threading.Timer(moments.uniform(0, 0.4), host.drop_connections)
            drop.start()
            said = refusal(over_ssh, folder)
            drop.join()
            if said is None:
                assert holds(folder) == str(OURS)
            elif "unknown whether" not in said:
                time.sleep(0.2)
                assert not (folder / FILE_NAME).exists(), said
            over_ssh.write(f"ssh://127.0.0.1{folder}", OURS)
            assert holds(folder) == str(OURS)
            assert names(folder) == {FILE_NAME}


def refusal(over_ssh: HostProcessMetadataFiles, folder: Path) -> str | None:
    try:
        over_ssh.write(f"ssh://127.0.0.1{folder}", OURS)
    except StatePathTrouble as trouble:
        return str(trouble)
    return None
