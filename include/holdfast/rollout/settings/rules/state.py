"""State directories, stores and what is kept of them."""

import re

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import above, first, given_number
from holdfast.rollout.settings.rule import (
    Fix,
    Hit,
    Measure,
    Question,
    Releases,
    Rule,
    Scenario,
    Unit,
    Where,
    World,
    Worth,
    issue,
    kip,
    ms,
    octets,
    page,
    text,
)
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.vocabulary import STREAMS, Kind, Shown

DIRECTORY, CLEANUP = "state.dir", "state.cleanup.delay.ms"
STORE, SUPPLIERS, SETTER = "default.dsl.store", "dsl.store.suppliers.class", "rocksdb.config.setter"
CACHES = ("cache.max.bytes.buffering", "statestore.cache.max.bytes")
_LASTING = "/var/lib/kafka-streams"
_TEMPORARY = re.compile(
    r"(?:file:(?://)?)?(?:/private)?/(?:var/)?tmp(?:/|\Z)|(?:file:(?://)?)?/(?:dev/shm|run|var/run)(?:/|\Z)"
    r"|.*(?:java\.io\.tmpdir|\$\{?TMPDIR|%TE?MP%)|[A-Za-z]:[\\/](?:(?:Windows|Users[\\/][^\\/]+[\\/]AppData[\\/]Local)[\\/])?Te?mp(?:[\\/]|\Z)"
    r"|(?:/private)?/var/folders/",
    re.IGNORECASE,
)
_EPHEMERAL = re.compile(r"kubernetes\.io~empty-dir|empty-?dir|/tmpfs(?:/|\Z)|/ramdisk(?:/|\Z)|/ephemeral(?:/|\Z)", re.IGNORECASE)
_SHARED = re.compile(
    r"(?:\A|[/\\_.-])(?:nfs\d?|efs|smb|cifs|s3fs|gcsfuse|fuse|azurefiles?|azure-files?|glusterfs|cephfs|filestore|shared|nas)"
    r"(?:[/\\_.-]|\Z)|\A(?:\\\\|//)[A-Za-z0-9]",
    re.IGNORECASE,
)
SHORT_CLEANUP_MS = 60_000
LONG_RESTORE_S, HOUR_S, NOTICED_S = 600, 3_600, 60
_RESTORED = (Measure.RESTORED, Worth(1, 1))
_STORE_BYTES = (50 + 3 * 16) * 2**20
"""Of each RocksDB: its block cache and three memtables (`RocksDBStore`)."""
_MOST_BYTES, _LARGE_CACHE = 32 * 2**30, 4 * 2**30


def _directory(subject: Subject) -> str | None:
    found = subject.settings.given(Client.STREAMS, DIRECTORY)
    return None if found is None else str(found.value)


def _temporary(subject: Subject) -> Hit | None:
    path = _directory(subject)
    if path is None or not _TEMPORARY.match(path) or not subject.has_state:
        return None
    return _lost(subject, (_RESTORED,))


def _temporary_by_default(subject: Subject) -> Hit | None:
    if not subject.settings.complete or subject.settings.says(DIRECTORY) or not subject.keeps_ids:
        return None
    much = Worth(HOUR_S * subject.policy.restore_records_per_second)
    return _lost(subject, ((Measure.RESTORING_S, Worth(LONG_RESTORE_S)), (Measure.RESTORED, much)))


def _ephemeral(subject: Subject) -> Hit | None:
    path = next((one for one in (_directory(subject), *subject.disks) if one and _EPHEMERAL.search(one)), None)
    if path is None or not subject.has_state:
        return None
    return _lost(subject, (_RESTORED,), Shown(DIRECTORY, path), Where.DEPLOYMENT)


def _shared(subject: Subject) -> Hit | None:
    path = _directory(subject)
    if path is None or not _SHARED.search(path):
        return None
    return Hit((Shown(DIRECTORY, path),), (Fix(DIRECTORY, _LASTING),), (text("path", path),))


def _lost(
    subject: Subject, costs: tuple[tuple[Measure, Worth], ...], seen: Shown | None = None, where: Where = Where.APPLICATION
) -> Hit:
    questions = tuple(
        Question(Scenario.RESTART, measure, worth, World(), World(loses_state=True))
        for measure, worth in costs
        if subject.kind is Kind.CLASSIC
    )
    better = "a volume that outlives the pod (a StatefulSet's volumeClaimTemplates)" if where is Where.DEPLOYMENT else _LASTING
    shown = seen or subject.settings.shown(Client.STREAMS, DIRECTORY)
    return Hit((shown,), (Fix(DIRECTORY, better, where),), (), questions)


def _cleaned_early(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, CLEANUP)
    if value is None or value >= SHORT_CLEANUP_MS:
        return None
    worth, fixed = Worth(1, 1), World(away=True)
    question = Question(Scenario.RESTART, Measure.RESTORED, worth, fixed, World(away=True, forgets=True))
    questions = (question,) if subject.kind is Kind.CLASSIC else ()
    return Hit((subject.settings.shown(Client.STREAMS, CLEANUP),), (Fix(CLEANUP, "600000"),), (ms("delay", value),), questions)


def in_memory(subject: Subject) -> str | None:
    """The key by which the application keeps its stores in memory."""
    store = subject.settings.given(Client.STREAMS, STORE)
    suppliers = subject.settings.given(Client.STREAMS, SUPPLIERS)
    if suppliers is not None:
        return SUPPLIERS if str(suppliers.value).rpartition("$")[2] == "InMemoryDslStoreSuppliers" else None
    return STORE if store is not None and str(store.value) == "in_memory" else None


def _stores_in_memory(subject: Subject) -> Hit | None:
    key = in_memory(subject)
    if key is None:
        return None
    worth = Worth(NOTICED_S * subject.policy.restore_records_per_second)
    question = Question(Scenario.RESTART, Measure.RESTORED, worth, World(on_disk=True), World(loses_state=True, new_id=True))
    return Hit((subject.settings.shown(Client.STREAMS, key),), (Fix(key, None),), (), (question,))


def _cache_twice(subject: Subject) -> Hit | None:
    old, new = (given_number(subject, Client.STREAMS, key) for key in CACHES)
    if old is None or new is None or old == new:
        return None
    shown = tuple(subject.settings.shown(Client.STREAMS, key) for key in CACHES)
    return Hit(shown, (Fix(CACHES[0], None),), (octets("old", old), octets("new", new)))


def _unbounded(subject: Subject) -> Hit | None:
    if not subject.settings.complete or subject.settings.says(SETTER) or in_memory(subject) or not subject.members:
        return None
    standbys = subject.settings.assumed(Client.STREAMS, "num.standby.replicas") or 0
    stores = subject.stateful * subject.changelogs_of_a_task * (1 + standbys) // len(subject.members)
    if stores * _STORE_BYTES <= _MOST_BYTES:
        return None
    figures = (text("stores", f"{stores:,}"), octets("memory", stores * _STORE_BYTES))
    return Hit((subject.settings.shown(Client.STREAMS, SETTER),), (Fix(SETTER, "a class with one cache for all stores"),), figures)


_PAGE = page("Streams Configs: state.dir")
RULES = (
    Rule(
        "state-dir-temporary",
        "A temporary folder is emptied by a reboot, by systemd-tmpfiles or with its container: the client then restores all its"
        " state,"
        " and comes back under a new process ID, which reshuffles the group.",
        (DIRECTORY,),
        (_PAGE, issue(10716)),
        _temporary,
        STREAMS,
    ),
    Rule(
        "state-dir-left-to-default",
        "Unless it is set, the state is in the temporary folder of the machine, and is lost with it: a client restores all its"
        " state.",
        (DIRECTORY,),
        (_PAGE, issue(10604)),
        _temporary_by_default,
        cited=False,
    ),
    Rule(
        "state-dir-ephemeral",
        "The volume is deleted with its pod: each new pod restores all its state, and has a new process ID, which reshuffles the"
        " group.",
        (DIRECTORY,),
        (_PAGE, page("Kubernetes, Volumes: emptyDir")),
        _ephemeral,
        STREAMS,
    ),
    Rule(
        "state-dir-shared",
        "The directory must be another one for each client of a file system, and {path} is on one that hosts share: the second"
        " client"
        " to start finds it locked and fails.",
        (DIRECTORY,),
        (_PAGE, issue(10716)),
        _shared,
        STREAMS,
    ),
    Rule(
        "state-cleaned-early",
        "A copy that is not run is deleted after {delay}: a client that restarts, or that gets a task back, restores it anew.",
        (CLEANUP,),
        (page("Streams Configs: state.cleanup.delay.ms"),),
        _cleaned_early,
        STREAMS,
    ),
    Rule(
        "stores-in-memory",
        "A store in memory is lost with its process: each restart restores all of it, and generates a new process ID.",
        (STORE, SUPPLIERS),
        (kip(591), kip(954)),
        _stores_in_memory,
        releases=Releases("3.2"),
        cited=False,
    ),
    Rule(
        "cache-beyond-the-heap",
        "The cache of a client may take {value} of its heap: where the heap is smaller, the client ends with OutOfMemoryError once"
        " enough keys are written.",
        CACHES,
        (kip(770), page("Streams developer guide: memory management")),
        first(*(above(Client.STREAMS, key, _LARGE_CACHE, None, Unit.BYTES) for key in reversed(CACHES))),
        STREAMS,
    ),
    Rule(
        "cache-set-twice",
        "Both keys are set: the newer one counts ({new}), and {old} has no effect.",
        CACHES,
        (kip(770),),
        _cache_twice,
        STREAMS,
        Releases("3.4"),
    ),
    Rule(
        "rocksdb-memory-unbounded",
        "Each store has a block cache and memtables of its own: {stores} stores of a client may take {memory} outside of the heap.",
        (SETTER,),
        (page("Streams developer guide: memory management, RocksDB"),),
        _unbounded,
    ),
)
