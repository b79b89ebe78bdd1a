"""A real kube-apiserver next to etcd; where they are asked for, with Kubernetes' own controllers of workloads."""

import json
import shutil
import ssl
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from tests.harness.process import free_ports

API_SERVER, ETCD, CONTROLLERS = "kube-apiserver", "etcd", "kube-controller-manager"


class RealServer:
    """Serves from the first moment on. It ends with `close`. `tokens`: by user; `admin` may do everything.

    `controllers`: a kube-controller-manager, for StatefulSets, Deployments and ReplicaSets; None: there are none.
    """

    def __init__(
        self, program: Path, folder: Path, certificate: Path, key: Path, tokens: dict[str, str], controllers: Path | None = None
    ) -> None:
        etcd = shutil.which("etcd")
        assert etcd, "etcd is needed: apt-get install etcd-server"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._commands: dict[str, list[str]] = {}
        self._only_one = threading.RLock()
        self._folder, self._certificate, self._token = folder, certificate, tokens["admin"]
        client, peer, port = free_ports(3)
        rows = [f"{token},{user},{user}" + (",system:masters" if user == "admin" else "") for user, token in tokens.items()]
        (folder / "tokens.csv").write_text("\n".join(rows) + "\n")
        (folder / "sa.key").write_bytes(pem(rsa.generate_private_key(65_537, 2_048)))
        store = f"http://127.0.0.1:{client}"
        peers = f"--listen-peer-urls=http://127.0.0.1:{peer}"
        self._start(ETCD, etcd, f"--data-dir={folder}/etcd --listen-client-urls={store} --advertise-client-urls={store} {peers}")
        self.url = f"https://127.0.0.1:{port}"
        self._start(
            API_SERVER,
            str(program),
            f"--etcd-servers={store} --token-auth-file={folder}/tokens.csv --authorization-mode=RBAC"
            f" --service-account-key-file={folder}/sa.key --service-account-signing-key-file={folder}/sa.key"
            " --service-account-issuer=https://kubernetes.default.svc --disable-admission-plugins=ServiceAccount"
            f" --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port={port} --service-cluster-ip-range=10.0.0.0/24"
            f" --tls-cert-file={certificate} --tls-private-key-file={key} --cert-dir={folder}/certificates",
        )
        try:
            self.wait()
            if controllers is not None:
                self._control(controllers)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with self._only_one:
            for process in reversed(self._processes.values()):
                process.terminate()
            for process in reversed(self._processes.values()):
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def kill(self, name: str) -> None:
        """With SIGKILL, and start it again with what it has kept; it is not waited for."""
        with self._only_one:
            self._processes[name].kill()
            self._processes[name].wait()
            self._begin(name)

    def wait(self) -> None:
        """Until it serves."""
        trusting = ssl.create_default_context(cafile=self._certificate)
        limit = time.monotonic() + 180
        while True:
            try:
                asked = urllib.request.Request(f"{self.url}/readyz", headers={"Authorization": f"Bearer {self._token}"})
                with urllib.request.urlopen(asked, timeout=5, context=trusting):
                    return
            except OSError:
                with self._only_one:
                    gone = [name for name, process in self._processes.items() if process.poll() is not None]
                log = (self._folder / f"{API_SERVER}.log").read_text(errors="replace")[-2000:]
                assert not gone, f"{gone} ended:\n{log}"
                assert time.monotonic() < limit, f"the API server does not get ready:\n{log}"
                time.sleep(0.1)

    def _control(self, program: Path) -> None:
        cluster = {"server": self.url, "certificate-authority": str(self._certificate)}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "c",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": {"token": self._token}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        }
        path = self._folder / "controllers.json"
        path.write_text(json.dumps(config))
        (port,) = free_ports(1)
        names = ",".join(f"{one}-controller" for one in ("statefulset", "deployment", "replicaset"))
        self._start(
            CONTROLLERS,
            str(program),
            f"--kubeconfig={path} --controllers={names} --leader-elect=false --bind-address=127.0.0.1 --secure-port={port}"
            f" --cert-dir={self._folder}/certificates --kube-api-qps=200 --kube-api-burst=400",
        )

    def _start(self, name: str, program: str, options: str) -> None:
        self._commands[name] = [program, *options.split()]
        self._begin(name)

    def _begin(self, name: str) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(self._commands[name], stdout=log, stderr=log, cwd=self._folder)


def pem(key: PrivateKeyTypes) -> bytes:
    """As servers read it from a file."""
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
