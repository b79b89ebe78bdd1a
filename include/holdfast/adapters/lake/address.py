"""Where a lake is, and with what it is opened: a URL, which is shown, and settings, which are secret."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import fsspec

from holdfast import secrecy
from holdfast.adapters.state_dirs import state_trees
from holdfast.adapters.urls import parts_of
from holdfast.errors import InvalidInput, StatePathTrouble


@dataclass(frozen=True, slots=True)
class LakeAddress:
    """`url`: a folder, or any URL that fsspec understands. `settings`: what its library is opened with, such as keys and an
    endpoint; none: what it finds by itself (the environment, a file, the machine's role)."""

    url: str
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)

    def __post_init__(self) -> None:
        if ("://" in self.url and _names_a_user(self.url)) or secrecy.holds_secret(self.url):
            raise InvalidInput(
                "a lake URL with a user, a password or a token in it is refused: give credentials in Airflow's connection"
                " holdfast_lake, or where fsspec's library reads them"
            )

    def opened(self) -> tuple[Any, str]:
        """The file system, and where in it the lake is. Raise StatePathTrouble.

        Listings are never kept: another process may have written meanwhile.
        """
        try:
            files, root = fsspec.core.url_to_fs(self.url, **self.settings)
        except ImportError as error:
            needed = state_trees.extra_for(self.url) or "A folder or an fsspec URL is needed."
            raise StatePathTrouble(f"The lake {self.url!r} cannot be opened: {error}. {needed}") from None
        except (OSError, ValueError, TypeError) as error:
            raise StatePathTrouble(
                f"The lake {self.url!r} cannot be opened: {error}. A folder or an fsspec URL is needed."
            ) from None
        return files, str(root).rstrip("/") or "/"


def _names_a_user(url: str) -> bool:
    parts = parts_of(url)
    return "@" in url if parts is None else bool(parts.username or parts.password)
