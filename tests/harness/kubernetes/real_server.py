"""A real kube-apiserver next to etcd, without controllers."""

import shutil
import ssl
import subprocess
import time
import urllib.request
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from tests.harness.process import free_ports


class RealServer:
    """Serves from the first moment on. It ends with `close`. `tokens`: by user; `admin` may do everything."""

    def __init__(self, program: Path, folder: Path, certificate: Path, key: Path, tokens: dict[str, str]) -> None:
        etcd = shutil.which("etcd")
        assert etcd, "etcd is needed: apt-get install etcd-server"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._folder = folder
        client, peer, port = free_ports(3)
        rows = [f"{token},{user},{user}" + (",system:masters" if user == "admin" else "") for user, token in tokens.items()]
        (folder / "tokens.csv").write_text("\n".join(rows) + "\n")
        (folder / "sa.key").write_bytes(pem(rsa.generate_private_key(65_537, 2_048)))
        store = f"http://127.0.0.1:{client}"
        peers = f"--listen-peer-urls=http://127.0.0.1:{peer}"
        self._start(etcd, f"--data-dir={folder}/etcd --listen-client-urls={store} --advertise-client-urls={store} {peers}")
        self.url = f"https://127.0.0.1:{port}"
        self._start(
            str(program),
            f"--etcd-servers={store} --token-auth-file={folder}/tokens.csv --authorization-mode=RBAC"
            f" --service-account-key-file={folder}/sa.key --service-account-signing-key-file={folder}/sa.key"
            " --service-account-issuer=https://kubernetes.default.svc --disable-admission-plugins=ServiceAccount"
            f" --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port={port} --service-cluster-ip-range=10.0.0.0/24"
            f" --tls-cert-file={certificate} --tls-private-key-file={key} --cert-dir={folder}/certificates",
        )
        try:
            self._wait(certificate, tokens["admin"])
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, program: str, options: str) -> None:
        with (self._folder / f"{Path(program).name}.log").open("wb") as log:
            command = [program, *options.split()]
            self._processes.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder))

    def _wait(self, certificate: Path, token: str) -> None:
        trusting = ssl.create_default_context(cafile=certificate)
        limit = time.monotonic() + 120
        while True:
            try:
                asked = urllib.request.Request(f"{self.url}/readyz", headers={"Authorization": f"Bearer {token}"})
                with urllib.request.urlopen(asked, timeout=5, context=trusting):
                    return
            except OSError:
                gone = [process.args for process in self._processes if process.poll() is not None]
                log = (self._folder / "kube-apiserver.log").read_text()[-2000:]
                assert not gone, f"{gone} ended:\n{log}"
                assert time.monotonic() < limit, f"the API server does not get ready:\n{log}"
                time.sleep(0.2)


def pem(key: PrivateKeyTypes) -> bytes:
    """As servers read it from a file."""
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
