"""What happens between two polls: their longest interval, blocked threads, requests and metadata."""

from math import ceil

from holdfast.kafka import java as jvm
from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import above, any_above, any_below, below, first, given_as, given_number
from holdfast.rollout.settings.rule import Fix, Hit, Releases, Rule, issue, java, kip, ms, page, seconds
from holdfast.rollout.settings.subject import Subject
from holdfast.rollout.settings.vocabulary import EVERY, STREAMS, Kind

POLL, RECORDS, BLOCKS = "max.poll.interval.ms", "max.poll.records", "poll.ms"
REQUEST, API = "request.timeout.ms", "default.api.timeout.ms"
FETCH_WAIT, METADATA, TASK_TIMEOUT = "fetch.max.wait.ms", "metadata.max.age.ms", "task.timeout.ms"
USUAL_POLL_MS = 300_000
_SHORT_POLL_MS, _LONG_POLL_MS = 60_000, 3_600_000
_JOIN_BUFFER_MS, _MINUTE_MS = 5_000, 60_000
_LONG_BLOCK_MS, _SHORT_REQUEST_MS = 30_000, 5_000
_OLD_METADATA_MS, _EAGER_METADATA_MS = 1_800_000, 5_000
_SHORT_TASK_TIMEOUT_MS, _LONG_IDLE_MS = 10_000, 60_000
_LONG_BACKOFF_MS, _LONG_RETRY_MS, _SHORT_IDLE_MS = 60_000, 10_000, 10_000


def _poll_short(subject: Subject) -> Hit | None:
    value = given_number(subject, subject.consumer, POLL)
    if value is None or value >= _SHORT_POLL_MS:
        return None
    return _of_poll(subject, value)


def _poll_below_restore(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.MAIN, POLL)
    if value is None or not _SHORT_POLL_MS <= value < USUAL_POLL_MS or subject.restore_s * 1000 <= value:
        return None
    return _of_poll(subject, value)


def _poll_long(subject: Subject) -> Hit | None:
    value = given_number(subject, subject.consumer, POLL)
    return None if value is None or value <= max(_LONG_POLL_MS, _restored_within_ms(subject)) else _of_poll(subject, value)


def _poll_overflows(subject: Subject) -> Hit | None:
    value = given_number(subject, subject.consumer, POLL)
    return None if value is None or value <= jvm.INT_MAX - _JOIN_BUFFER_MS else _of_poll(subject, value)


def _restored_within_ms(subject: Subject) -> int:
    """The largest state, in whole minutes; what is longer than Kafka takes is as long as that."""
    return min(_MINUTE_MS * ceil(subject.restore_s * 1000 / _MINUTE_MS), jvm.INT_MAX - _JOIN_BUFFER_MS)


def _of_poll(subject: Subject, value: int) -> Hit:
    """An interval that is too short for a restore becomes longer than one."""
    least = _restored_within_ms(subject) if value < USUAL_POLL_MS else 0
    fix = Fix(given_as(subject, subject.consumer, POLL), str(max(USUAL_POLL_MS, least)))
    return Hit(
        (subject.settings.shown(subject.consumer, POLL),), (fix,), (ms("interval", value), seconds("restore", subject.restore_s))
    )


def _blocked_over_interval(subject: Subject) -> Hit | None:
    value, interval = given_number(subject, Client.STREAMS, BLOCKS), subject.settings.assumed(Client.MAIN, POLL)
    if value is None or (value <= _LONG_BLOCK_MS and (interval is None or value < interval)):
        return None
    return Hit((subject.settings.shown(Client.STREAMS, BLOCKS),), (Fix(BLOCKS, "100"),), (ms("value", value),))


def _fetches_time_out(subject: Subject) -> Hit | None:
    for client in (Client.PLAIN,) if subject.kind is Kind.CONSUMERS else (Client.MAIN, Client.RESTORE, Client.GLOBAL):
        if all(subject.settings.given(client, key) is None for key in (FETCH_WAIT, REQUEST)):
            continue
        wait, request = (subject.settings.assumed(client, key) for key in (FETCH_WAIT, REQUEST))
        if wait is not None and request is not None and wait >= request:
            shown = tuple(subject.settings.shown(client, key) for key in (FETCH_WAIT, REQUEST))
            long = wait > 500
            fix = Fix(given_as(subject, client, FETCH_WAIT), "500") if long else Fix(given_as(subject, client, REQUEST), "30000")
            return Hit(shown, (fix,), (ms("wait", wait), ms("request", request)))
    return None


def _api_below_request(subject: Subject) -> Hit | None:
    api, request = given_number(subject, Client.ADMIN, API), subject.settings.assumed(Client.ADMIN, REQUEST)
    if api is None or request is None or api >= request:
        return None
    shown = tuple(subject.settings.shown(Client.ADMIN, key) for key in (API, REQUEST))
    return Hit(
        shown, (Fix(given_as(subject, Client.ADMIN, API), str(max(60_000, request))),), (ms("api", api), ms("request", request))
    )


def _reset_none(subject: Subject) -> Hit | None:
    found = subject.settings.given(Client.MAIN, "auto.offset.reset")
    if found is None or str(found.value) != "none":
        return None
    key = given_as(subject, Client.MAIN, "auto.offset.reset")
    return Hit((subject.settings.shown(Client.MAIN, "auto.offset.reset"),), (Fix(key, "earliest"),))


_POLL_PAGE = page("Consumer Configs: max.poll.interval.ms")
_CONSUMERS = (Client.MAIN, Client.RESTORE, Client.PLAIN)
_EVERY_CLIENT = (Client.MAIN, Client.RESTORE, Client.PRODUCER, Client.ADMIN)
RULES = (
    Rule(
        "max-poll-interval-short",
        "A thread that does not poll for {interval} is removed from the group: one large batch, a slow call or the opening of its"
        " stores"
        " is enough. Its tasks move, and move back.",
        (POLL, RECORDS),
        (kip(62), _POLL_PAGE),
        _poll_short,
        EVERY,
    ),
    Rule(
        "max-poll-interval-below-restore",
        "The largest state takes {restore} to restore. Streams polls between the batches of a restore; a batch, or a store that is"
        " opened or flushed, for longer than {interval} removes the member, and the restore begins anew elsewhere.",
        (POLL,),
        (issue(6399), _POLL_PAGE),
        _poll_below_restore,
        STREAMS,
    ),
    Rule(
        "max-poll-interval-long",
        "It is also how long each rebalance waits for a member that hangs: up to {interval} in which no other member gets its"
        " tasks.",
        (POLL,),
        (kip(62), _POLL_PAGE),
        _poll_long,
        EVERY,
    ),
    Rule(
        "max-poll-interval-overflows",
        "The timeout of a JoinGroup is this and 5 s, which overflows: request.timeout.ms is used instead, and members drop out of"
        " rebalances that take longer.",
        (POLL,),
        (issue(13126),),
        _poll_overflows,
        EVERY,
        Releases(fixed_in="3.1.0"),
    ),
    Rule(
        "poll-blocks-long",
        "A thread without new records blocks for {value}: punctuations, commits and the work on restores wait as long.",
        (BLOCKS,),
        (page("Streams Configs: poll.ms"),),
        _blocked_over_interval,
        STREAMS,
    ),
    Rule(
        "fetches-time-out",
        "A broker may hold a fetch for {wait}, and the client gives up after {request}: fetches of quiet partitions always time"
        " out.",
        (FETCH_WAIT, REQUEST),
        (page("Consumer Configs: fetch.max.wait.ms"), page("Consumer Configs: request.timeout.ms")),
        _fetches_time_out,
        EVERY,
    ),
    Rule(
        "request-timeout-short",
        "A request, or a call, is given up after {value}: the election of a leader, or a busy broker, takes longer, and each retry"
        " adds load.",
        (REQUEST, API),
        (page("Consumer Configs: request.timeout.ms"), kip(266), kip(572)),
        first(
            any_below(_EVERY_CLIENT, REQUEST, _SHORT_REQUEST_MS, "30000"),
            any_below((*_CONSUMERS, Client.ADMIN), API, _SHORT_REQUEST_MS, "60000"),
        ),
        EVERY,
    ),
    Rule(
        "api-timeout-below-request",
        "The application does not start: of the admin client, default.api.timeout.ms ({api}) must not be lower than"
        " request.timeout.ms"
        " ({request}).",
        (API, REQUEST),
        (java("KafkaAdminClient"), kip(533)),
        _api_below_request,
        STREAMS,
    ),
    Rule(
        "metadata-old",
        "New partitions of source topics, and topics that match a pattern, are noticed up to {value} late: nothing reads them until"
        " then.",
        (METADATA,),
        (page("Consumer Configs: metadata.max.age.ms"),),
        any_above((Client.MAIN, Client.PRODUCER, Client.PLAIN), METADATA, _OLD_METADATA_MS, "300000"),
        EVERY,
    ),
    Rule(
        "metadata-eager",
        "Each client of each thread asks the brokers for all metadata each {value}.",
        (METADATA,),
        (page("Consumer Configs: metadata.max.age.ms"),),
        any_below((Client.MAIN, Client.PRODUCER, Client.PLAIN), METADATA, _EAGER_METADATA_MS, "300000"),
        EVERY,
    ),
    Rule(
        "task-timeout-short",
        "A task whose requests time out is retried for {value}, and then ends its thread: a broker that restarts takes longer.",
        (TASK_TIMEOUT,),
        (kip(572), page("Streams Configs: task.timeout.ms")),
        below(Client.STREAMS, TASK_TIMEOUT, _SHORT_TASK_TIMEOUT_MS, "300000"),
        releases=Releases("2.7"),
    ),
    Rule(
        "task-idles-long",
        "A task with an empty partition waits up to {value} for records there, with all that its other partitions have.",
        ("max.task.idle.ms",),
        (kip(695), page("Streams Configs: max.task.idle.ms")),
        above(Client.STREAMS, "max.task.idle.ms", _LONG_IDLE_MS, "0"),
        STREAMS,
    ),
    Rule(
        "reconnects-late",
        "After a broker was away, a client may wait {value} before it connects again.",
        ("reconnect.backoff.max.ms",),
        (page("Consumer Configs: reconnect.backoff.max.ms"),),
        any_above(_EVERY_CLIENT, "reconnect.backoff.max.ms", _LONG_BACKOFF_MS, "1000"),
        EVERY,
    ),
    Rule(
        "connections-closed-early",
        "A connection that is idle for {value} is closed: clients of quiet partitions connect, and authenticate, again and again.",
        ("connections.max.idle.ms",),
        (page("Consumer Configs: connections.max.idle.ms"),),
        any_below(_EVERY_CLIENT, "connections.max.idle.ms", _SHORT_IDLE_MS, "540000", unless=-1),
        EVERY,
    ),
    Rule(
        "retries-late",
        "A request that failed is repeated {value} later: each new leader of a partition costs that much.",
        ("retry.backoff.ms",),
        (page("Consumer Configs: retry.backoff.ms"),),
        any_above(_EVERY_CLIENT, "retry.backoff.ms", _LONG_RETRY_MS, "100"),
        EVERY,
    ),
    Rule(
        "no-offset-no-start",
        "Where a partition has no committed offset, a new one of a source topic too, the thread fails instead of reading it.",
        ("auto.offset.reset",),
        (page("Consumer Configs: auto.offset.reset"),),
        _reset_none,
        STREAMS,
    ),
)
