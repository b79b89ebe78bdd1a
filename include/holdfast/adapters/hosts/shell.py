"""The seam to a host: a script that runs there. Over SSH, inside a container, or on this machine (`local_shell`).

Scripts are POSIX sh and use nothing that coreutils and busybox do not both have: images of JREs have no Python. Whatever a host
says (output, errors, banners) is foreign: its size is bounded here, and who shows it makes it printable.
"""

from dataclasses import dataclass
from typing import Protocol

from holdfast.errors import HostTrouble
from holdfast.rollout.text.format import printable

MOST_STDERR = 4_096
"""Bytes of standard error that are kept; what follows is read and dropped."""
LONGEST_SCRIPT = 65_536
MOST_ARGUMENTS = 65_536
"""Bytes of all arguments together: less than any host allows."""
_LONGEST_SHOWN = 400


@dataclass(frozen=True, slots=True)
class ScriptEnd:
    """How a script ended. `status`: its exit status, or 128 and the number of the signal that ended it. `stderr`: its beginning."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def said(self) -> str:
        """Its standard error as one printable line, or how it ended where it printed no error."""
        text = " ".join(self.stderr.decode("utf-8", "replace").split())
        return printable(text, _LONGEST_SHOWN) if text else f"status {self.status}, without a message"


class Shell(Protocol):
    """Runs scripts on one host. May be used by several threads at once."""

    @property
    def shown(self) -> str:
        """The host in messages: no user, no secret."""
        ...

    def run(
        self, script: str, arguments: tuple[str, ...] = (), *, stdin: bytes = b"", limit_s: float, most_bytes: int
    ) -> ScriptEnd:
        """Run `script` with `sh`; `$1` and so on are `arguments`, byte for byte (`os.fsencode`), never part of the script's text.

        The script sees `stdin` and then its end, LC_ALL=C, and no terminal. It need not read its input.
        Raise HostTrouble where there is no answer: the host is not reached or refuses (`begun` is False: nothing of the script was
        run); the connection breaks, `limit_s` seconds pass, or it prints more than `most_bytes` (`begun` is True: it may have done
        anything). After the time limit the script and what it has started are ended, if the host can still be reached.
        """
        ...


def refuse_unsendable(script: str, arguments: tuple[str, ...], shown: str) -> None:
    """Raise HostTrouble for what cannot be handed to a process: for every implementation to call first."""
    size = sum(len(each.encode("utf-8", "surrogateescape")) + 1 for each in arguments)
    if any("\0" in each for each in (script, *arguments)):
        raise HostTrouble(f"{shown}: a name has a zero byte in it, which no path can have. Nothing was run", begun=False)
    if len(script) > LONGEST_SCRIPT or size > MOST_ARGUMENTS:
        raise HostTrouble(
            f"{shown}: {size:,} bytes of arguments are more than fit into one command ({MOST_ARGUMENTS:,}). Nothing was run",
            begun=False,
        )


def too_late(shown: str, limit_s: float) -> HostTrouble:
    return HostTrouble(f"{shown}: the command was not done within {limit_s:.3g} s, and was ended", begun=True)


def too_much(shown: str, most_bytes: int) -> HostTrouble:
    return HostTrouble(f"{shown}: the command printed more than {most_bytes:,} bytes, and was ended", begun=True)
