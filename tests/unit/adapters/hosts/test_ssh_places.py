"""What `holdfast doctor` shows of hosts over SSH: what a login lacks, and the lines that grant it."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.sshd import Sshd

from holdfast import wiring
from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.ssh_places import SshPlaces
from holdfast.rollout.disks.state_directory import Lock


@pytest.mark.thorough
def test_rights_of_a_login(tmp_path: Path) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    if os.geteuid() == 0:
        os.chown(folder, 65534, -1)
    with Sshd(tmp_path / "sshd") as host:
        places = SshPlaces(host.settings)
        read, write = places.rights((f"ssh://127.0.0.1{folder}", f"ssh://127.0.0.1{folder}", "/local", "ssh://a:b@c/d"))
        closed = SshPlaces(host.settings).rights(("ssh://127.0.0.1:1/x",))

    assert (read.lacking, write.lacking, read.trouble) == ((), (), None)
    owner = folder.owner()
    assert f"{host.user} ALL=({owner}) NOPASSWD: /bin/sh" in read.remedy
    assert "restrict ssh-ed25519" in write.remedy
    assert "cannot be reached" in str(closed[0].trouble)


@pytest.mark.thorough
def test_what_a_host_says_of_its_users_grants_nothing_more(tmp_path: Path) -> None:
    """The lines are pasted into sudoers."""
    says = r"s/^\(user\|owner\) .*/\1 x ALL=(ALL) NOPASSWD: ALL #/"
    with Sshd(tmp_path / "sshd", f'ForceCommand eval "$SSH_ORIGINAL_COMMAND" | sed "{says}"') as host:
        nameless = replace(host.settings, user=None)
        (read, _) = SshPlaces(nameless).rights((f"ssh://127.0.0.1:{host.port}{tmp_path}",))

    assert "\nUSER ALL=(APPLICATION_USER) NOPASSWD: /bin/sh" in read.remedy
    assert "(ALL)" not in read.remedy


@pytest.mark.thorough
def test_many_addresses_of_one_sshd_are_many_hosts(tmp_path: Path) -> None:
    """Each with its own connection; one that there is not costs itself only."""
    for number in range(6):
        (tmp_path / f"app-{number}").mkdir()
        (tmp_path / f"app-{number}/.lock").touch()
    with Sshd(tmp_path / "sshd") as host:
        urls = [f"ssh://127.0.0.{number % 3 + 1}{tmp_path}/app-{number}" for number in range(6)]
        reader = wiring.state_directories(Deadline(60), hosts=wiring.HostAccess(ssh=host.settings))
        answers = reader.read_many([*urls, "ssh://127.0.0.1:1/x"])

    assert [answers[url][0].lock for url in urls] == [Lock(held=False)] * 6  # type: ignore[index]
    assert "cannot be reached" in str(answers["ssh://127.0.0.1:1/x"])
