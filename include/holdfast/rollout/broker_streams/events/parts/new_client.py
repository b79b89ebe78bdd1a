"""A client that joins, or comes back: its process ID, and a member ID for each of its stream threads. None: random ones."""

from holdfast.errors import InvalidInput
from holdfast.rollout.json import shapes
from holdfast.rollout.json.codec import BOOLEAN, NAME, NAMES, TEXT, nullable
from holdfast.rollout.json.kafka_codecs import STRING_MAP, THREADS
from holdfast.rollout.json.record import member, record, variant


def _one_a_thread(named: tuple[str, ...]) -> None:
    if not named:
        raise InvalidInput("one member ID a thread is needed, none was found")
    if len(dict.fromkeys(named)) < len(named):
        raise InvalidInput("a member ID is given twice")


MEMBER_IDS = nullable(NAMES.checked(_one_a_thread).shaped(shapes.items(shapes.name(), at_least=1))).described(
    "One a thread, in the order in which they join. Null: random ones, as every start makes them."
)
NEW_PROCESS_ID = nullable(NAME).described("Null: a new random one.")


FIRST_ALONE = BOOLEAN.described(
    "True: the heartbeat with which its first thread joins computes a target, as in a group whose assignment interval is over; the"
    " other threads are in the next target (up to 4.2: each in one of its own). Left out: a Forecast has all threads in one target,"
    " a Plan has what is usual."
)


def threads_fit(client: "NewClient") -> None:
    if client.member_ids is not None and client.threads is not None and len(client.member_ids) != client.threads:
        raise InvalidInput(
            f"one member ID a thread is needed ({client.threads}), {len(client.member_ids)} were found", "member_ids"
        )


@record(check=threads_fit, defaults=True)
class NewClient:
    """`threads` None: one for each member ID, or as many as the client had in whose place it comes.

    Racks, tags and endpoints describe it: no covered release assigns by them. `first_thread_alone` None: not given.
    """

    process_id: str | None = member(NEW_PROCESS_ID, default=None)
    threads: int | None = member(nullable(THREADS), default=None, omit=True)
    host: str | None = member(nullable(TEXT), default=None, omit=True)
    rack: str | None = member(nullable(TEXT), default=None, omit=True)
    client_tags: tuple[tuple[str, str], ...] = member(STRING_MAP, default=(), omit=True)
    user_endpoint: str | None = member(nullable(TEXT), default=None, omit=True)
    member_ids: tuple[str, ...] | None = member(MEMBER_IDS, default=None, omit=True)
    first_thread_alone: bool | None = member(FIRST_ALONE, default=None, omit=True, unsaid=True)


def _has_threads(client: NewClient) -> None:
    if client.threads is None and client.member_ids is None:
        raise InvalidInput("a number is needed where no member IDs are given, null was found", "threads")
    threads_fit(client)


ADDED = variant(NewClient, check=_has_threads, either=("threads", "member_ids"), defaults=True)
"""A client that is added takes nothing from another client."""


def ids(client: NewClient) -> tuple[str, tuple[str, ...]]:
    """Its process ID and member IDs."""
    assert client.process_id is not None, "random IDs are drawn before"
    assert client.member_ids is not None, "random IDs are drawn before"
    return client.process_id, client.member_ids
