"""`{host}` in the URLs of state directories: which hosts it stands for.

Names of hosts come from brokers and from documents. One that is neither a name nor an address is never part of a URL or a path.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.errors import InvalidInput
from holdfast.rollout.text.format import listed, many, printable

HOST = "{host}"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}", re.ASCII)
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Hosts:
    """`names`: each once, sorted, without what Java puts before an address (`/10.0.0.1`). `no_names`: those that cannot be one."""

    names: tuple[str, ...]
    no_names: tuple[str, ...] = ()

    @staticmethod
    def of(found: Iterable[str | None]) -> "Hosts":
        """Hosts as a broker or a document names them."""
        every = sorted({_without_slash(one) for one in found if one})
        return Hosts(tuple(one for one in every if is_host(one)), tuple(one for one in every if not is_host(one)))

    def expanded(self, url: str) -> tuple[str, ...]:
        """The URL itself, or with each host in the place of `{host}`."""
        return tuple(url.replace(HOST, _in_a_url(one)) for one in self.names) if HOST in url else (url,)

    def refuse_no_names(self, whose: str) -> None:
        """Raise InvalidInput where one cannot be a host's name."""
        if self.no_names:
            shown = [f"'{printable(one, 100)}'" for one in self.no_names[:_SHOWN]]
            raise InvalidInput(
                f"{whose} {many(len(self.no_names), 'host')} that cannot be part of a URL:"
                f" {listed(shown)}; a name (letters, digits and ._-) or an"
                " address is needed"
            )


def is_host(name: str) -> bool:
    """Whether a host can be called so: a name of letters, digits and `._-` that begins with one of the first two, or an address."""
    return _NAME.fullmatch(name) is not None or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        return "%" not in str(ipaddress.ip_address(name))
    except ValueError:
        return False


def _without_slash(host: str) -> str:
    """Java writes an address as `NAME/ADDRESS`; the name may be missing."""
    after = host.rpartition("/")[2]
    return after if _is_address(after) else host


def _in_a_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
