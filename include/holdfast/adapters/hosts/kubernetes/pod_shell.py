"""The seam `Shell` in a container of a running pod.

Script, arguments and standard input go through the standard input of one small command: the arguments of a command in a container
are part of a URL, which proxies bound and which is UTF-8. A connection that ends ends the script and what it has started:
runtimes would leave it running. A pod that is replaced meanwhile is noticed by its UID, a restarted container by its runtime's ID.
"""

import time
from dataclasses import dataclass

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts.kubernetes import exec_stream, pods
from holdfast.adapters.hosts.kubernetes.address import Address
from holdfast.adapters.hosts.kubernetes.api import Api
from holdfast.adapters.hosts.kubernetes.connection import Server
from holdfast.adapters.hosts.kubernetes.pods import Pod
from holdfast.adapters.hosts.shell import ScriptEnd, refuse_unsendable, too_late
from holdfast.errors import ClusterTrouble, HostTrouble
from holdfast.rollout.text.format import printable

_WHOLE = "#whole"
"""Ends what is sent: a connection that breaks off in the middle must not run half of a script."""
_CUT = 125
BOOT = f"""LC_ALL=C; export LC_ALL
exec 3<&0
sent=$(dd bs=1 count="$1" <&3 2>/dev/null)
case $sent in *"{_WHOLE}") eval "$sent" ;; *) exit {_CUT} ;; esac"""
"""Reads exactly `$1` bytes, and runs them as a script: `dd` takes no byte of what follows."""
_FEED = """exec 4>&2 2>/dev/null
sh -c 'echo $$; head -c "$1" <&3; exec >/dev/null; while read -r rest <&3; do :; done; kill -9 "-$2"' holdfast %d $$ 4>&- | {
read -r feeder; exec 3<&-; sh -c """
_END = """ 2>&4 4>&-; ended=$?; kill "$feeder"; exit $ended
}
"""
"""The feeder hands on standard input and then waits for the end of the connection, past what the script left unread; it then ends
the whole session ($2 is its leader)."""


@dataclass(frozen=True, slots=True)
class PodShell:
    """`uid`: of the pod that is meant; "": whichever has the name now."""

    server: Server
    where: Address
    uid: str = ""

    @property
    def shown(self) -> str:
        where = self.where
        return f"pod {where.namespace}/{where.pod}, container {where.container}"

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        refuse_unsendable(script, arguments, self.shown)
        ends_at = time.monotonic() + limit_s
        api = Api(self.server, limit_s)
        before = self._pod(api)
        self._refuse_unless_running(before)
        payload = _payload(script, arguments, len(stdin))
        command = exec_stream.Command(
            self.where.namespace, self.where.pod, self.where.container, ("sh", "-c", BOOT, "holdfast", str(len(payload)))
        )
        answer = self._bounded(command, payload + stdin, ends_at, limit_s, most_bytes)
        if answer.status == _CUT and not answer.stdout:
            raise HostTrouble(f"{self.shown}: the script did not arrive whole, and was not run", begun=False)
        self._refuse_other(before, self._pod(api))
        return answer

    def _bounded(self, command: exec_stream.Command, stdin: bytes, ends_at: float, limit_s: float, most_bytes: int) -> ScriptEnd:
        """What no setting bounds: a resolver, a helper that issues tokens, a handshake that comes byte by byte."""
        deadline = Deadline(max(0.0, ends_at - time.monotonic()))
        try:
            return deadline.within(
                self.shown,
                lambda: exec_stream.run(
                    self.server, command, stdin, shown=self.shown, ends_at=ends_at, limit_s=limit_s, most_bytes=most_bytes
                ),
            )
        except ClusterTrouble:
            raise too_late(self.shown, limit_s) from None

    def _pod(self, api: Api) -> Pod:
        return pods.read(api, self.where.namespace, self.where.pod)

    def _refuse_unless_running(self, pod: Pod) -> None:
        if self.uid and pod.uid != self.uid:
            raise HostTrouble(f"{self.shown}: the pod was replaced meanwhile (another UID). Nothing was run", begun=False)
        container = pod.container(self.where.container)
        if container is None:
            names = printable(", ".join(one.name for one in pod.containers), 400)
            raise HostTrouble(f"{self.shown}: the pod has no such container; it has {names}", begun=False, lasting=True)
        if not container.run:
            raise HostTrouble(
                f"{self.shown}: the container is not running (pod {printable(pod.phase, 60) or 'without a phase'})", begun=False
            )

    def _refuse_other(self, before: Pod, after: Pod) -> None:
        was, now = before.container(self.where.container), after.container(self.where.container)
        if before.uid != after.uid or was is None or now is None or was.run != now.run:
            raise HostTrouble(f"{self.shown}: the pod was replaced or its container restarted while the command ran", begun=True)


def _payload(script: str, arguments: tuple[str, ...], size: int) -> bytes:
    """What `BOOT` reads. `size`: of the standard input that follows."""
    quoted = b" ".join(_quoted(each) for each in (script, "holdfast", *arguments))
    return (_FEED % size).encode() + quoted + _END.encode() + _WHOLE.encode()


def _quoted(value: str) -> bytes:
    """For sh, byte for byte."""
    return b"'" + value.encode("utf-8", "surrogateescape").replace(b"'", b"'\\''") + b"'"
