"""The port `StateDirectoryReader` for every kind of URL: on hosts by scripts, many side by side; all others through fsspec.

Directories of one host are read in few answers over one connection. A host that does not answer costs its own directories only.
"""

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from holdfast.adapters.deadline import Deadline
from holdfast.adapters.hosts import listing
from holdfast.adapters.hosts.listing import Listing
from holdfast.adapters.hosts.remote_tree import CopiedStores, RemoteTree
from holdfast.adapters.hosts.shell import Shell
from holdfast.adapters.state_dirs import state_files
from holdfast.errors import HoldfastError, HostTrouble, InvalidInput, StatePathTrouble
from holdfast.ports import ReadDirectory
from holdfast.rollout.contract.unknown_inputs import Unknown

AT_ONCE = 48
"""Hosts that are read side by side."""
HOST_S = 45.0
"""What one answer of a host may take."""
_IN_ONE_ANSWER = 5
_FOR_STORES = 0.5


@dataclass(frozen=True, slots=True)
class Place:
    """A directory on a host. `shown`: its URL without a user. `host`: equal for places that share one.

    `sees_locks`: whether the scripts ran where the application runs (its own container), so that no lock was hidden from them.
    """

    shell: Shell
    path: str
    shown: str
    host: str
    sees_locks: Callable[[], bool] = lambda: False


Reach = Callable[[str], Place]
"""From a URL to where it is. Raise HoldfastError for a URL that cannot be right; no host is asked yet."""
Expand = Callable[[str], tuple[str, ...]]
"""From a URL that may stand for several directories to theirs. Raise HoldfastError where that cannot be seen."""


class StateDirectories:
    """Reads state directories within a time limit. `reaches`: by the scheme of a URL, how its host is reached; `expands`: what one
    with a template stands for.

    `answer_s`: what one answer of a host, or one directory of another kind, may take at most.
    """

    def __init__(
        self,
        deadline: Deadline,
        reaches: Mapping[str, Reach],
        expands: Mapping[str, Expand] | None = None,
        *,
        at_once: int = AT_ONCE,
        answer_s: float | None = None,
    ) -> None:
        self._deadline = deadline
        self._reaches = reaches
        self._expands = expands or {}
        self._at_once = at_once
        self._answer_s = answer_s

    def read(self, url: str) -> ReadDirectory:
        answers = self.read_many((url,))
        if len(answers) != 1:
            raise InvalidInput(f"{url} stands for {len(answers)} directories; one is needed")
        [found] = answers.values()
        if isinstance(found, HoldfastError):
            raise found
        return found

    def read_many(self, urls: Collection[str]) -> dict[str, ReadDirectory | HoldfastError]:
        found: dict[str, ReadDirectory | HoldfastError] = {}
        by_host: dict[str, list[tuple[str, Place]]] = {}
        local: list[str] = []
        ordered: list[str] = []
        for url in dict.fromkeys(urls):
            try:
                ordered += self._expands.get(_scheme(url), _itself)(url)
            except HoldfastError as refusal:
                ordered.append(url)
                found[url] = refusal if isinstance(refusal, InvalidInput) else StatePathTrouble(f"not read. {refusal}")
        for url in dict.fromkeys(one for one in ordered if one not in found):
            reach = self._reaches.get(_scheme(url))
            if reach is None:
                local.append(url)
                continue
            try:
                place = reach(url)
                listing.refuse_path(place.path, place.shown)
                by_host.setdefault(place.host, []).append((url, place))
            except HoldfastError as refusal:
                found[url] = refusal
        with (
            CopiedStores(max(1.0, self._deadline.remaining_s() * _FOR_STORES)) as stores,
            ThreadPoolExecutor(max(1, min(self._at_once, len(by_host))), thread_name_prefix="holdfast-hosts") as threads,
        ):
            answers = [threads.submit(self._host, places, stores) for places in by_host.values()]
            for url in local:
                found |= self._other(url)
            for answer in answers:
                found |= answer.result()
        return {url: found[url] for url in ordered}

    def _other(self, url: str) -> Mapping[str, ReadDirectory | HoldfastError]:
        limit_s = self._answer_s and min(self._answer_s, self._deadline.remaining_s())
        return state_files.FsspecStateDirectories(Deadline(limit_s) if limit_s else self._deadline).read_many((url,))

    def _host(self, places: list[tuple[str, Place]], stores: CopiedStores) -> dict[str, ReadDirectory | HoldfastError]:
        found: dict[str, ReadDirectory | HoldfastError] = {}
        for start in range(0, len(places), _IN_ONE_ANSWER):
            few = places[start : start + _IN_ONE_ANSWER]
            answers = self._answers(tuple(place for _, place in few))
            silent = next((each for each in answers if isinstance(each, HostTrouble)), None)
            for (url, place), answer in zip(few, answers, strict=True):
                found[url] = (
                    _as_promised(place, answer) if isinstance(answer, Exception) else self._directory(place, answer, stores)
                )
            if silent is not None and not silent.begun:  # it is not reached: its other directories would wait in vain
                return found | {url: _as_promised(place, silent) for url, place in places if url not in found}
        return found

    def _answers(self, places: tuple[Place, ...]) -> tuple[Listing | HoldfastError, ...]:
        limit_s = min(self._answer_s or HOST_S, self._deadline.remaining_s())
        if limit_s <= 0:
            return tuple(StatePathTrouble(f"{place.shown}: not read within {self._deadline.limit_s:g} s") for place in places)
        try:
            return listing.fetch(places[0].shell, tuple((place.path, place.shown) for place in places), limit_s)
        except HostTrouble as trouble:
            if len(places) == 1 or not trouble.begun:
                return (trouble,) * len(places)
        # What was too much, or too slow, may be one directory.
        return tuple(self._answers((place,))[0] for place in places)

    @staticmethod
    def _directory(place: Place, found: Listing, stores: CopiedStores) -> ReadDirectory | HoldfastError:
        try:
            directory, unknown = state_files.read_tree(RemoteTree(found, stores, host_sees=place.sees_locks()), place.shown)
        except HoldfastError as refusal:
            return refusal
        notes = [Unknown(f"state_directories.{place.shown}", f"the host could not list all of it: {each}") for each in found.errors]
        if found.strange_names:
            reason = f"has names with a line end in them, which were not read: {found.strange_names:,}"
            notes.append(Unknown(f"state_directories.{place.shown}", reason))
        return directory, (*unknown, *notes)


def _scheme(url: str) -> str:
    return url.partition("://")[0] if "://" in url else ""


def _itself(url: str) -> tuple[str, ...]:
    return (url,)


def _as_promised(place: Place, trouble: HoldfastError) -> HoldfastError:
    return StatePathTrouble(f"{place.shown}: not read. {trouble}") if isinstance(trouble, HostTrouble) else trouble
