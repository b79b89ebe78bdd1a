"""Warm-ups: how many at a time, what counts as caught up, how often it is looked at, and by which assignor."""

from holdfast.kafka.clients.configs import Client
from holdfast.rollout.settings.predicates import given_number
from holdfast.rollout.settings.rule import Figure, Fix, Hit, Measure, Question, Rule, Scenario, World, Worth, java, kip, page, text
from holdfast.rollout.settings.subject import Subject, shown

WARMUPS, LAG, PROBING = "max.warmup.replicas", "acceptable.recovery.lag", "probing.rebalance.interval.ms"
ASSIGNOR, PUBLIC = "internal.task.assignor.class", "task.assignor.class"
HIGH_AVAILABILITY, LAST_RESORT = "HighAvailabilityTaskAssignor", "FallbackPriorTaskAssignor"
MANY_PROBES = 6
"""An hour, at Kafka's own interval."""
LONG_S = 3_600
NOTICED_S = 60
"""A restore that is shorter is not worth a finding."""
AT_ONCE_S = 10
"""A state that is restored within this time needs no warm-up."""
PEAK_S = 600
WARMUPS_A_CLIENT = 4
_FEW = 20
MUCH_LONGER = 3
USUAL_PROBING = 600_000
USUAL_LAG, USUAL_WARMUPS = 10_000, 2
SMALL_STATE = 1_000_000
"""Records of all changelogs together: with less, Kafka's defaults are left alone."""
_PROBES_OF_SHORT = 30


def warms_up(subject: Subject) -> bool:
    """Whether the assignor is the one that moves tasks by warm-ups."""
    own = subject.settings.given(Client.STREAMS, PUBLIC)
    named = subject.settings.properties.get(ASSIGNOR)
    return own is None and (not named or str(named).endswith(HIGH_AVAILABILITY))


def _is_small(subject: Subject) -> bool:
    return sum(subject.logs or ()) < SMALL_STATE


def _too_few(subject: Subject) -> Hit | None:
    value = subject.settings.assumed(Client.STREAMS, WARMUPS)
    better = max(2, min(subject.stateful, WARMUPS_A_CLIENT * len(subject.members)))
    if value is None or not warms_up(subject) or better <= value or (value == USUAL_WARMUPS and _is_small(subject)):
        return None
    worth = Worth(2 if value == 1 else MANY_PROBES)
    fixed = World(((WARMUPS, better),))
    questions = tuple(
        Question(scenario, Measure.PROBING, worth, fixed, World(away=scenario is Scenario.RESTART))
        for scenario in (Scenario.SCALE_OUT, Scenario.LOSS)
    )
    return _hit(subject, WARMUPS, better, questions)


def _too_many(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, WARMUPS)
    enough = WARMUPS_A_CLIENT * max(1, len(subject.members))
    if value is None or not warms_up(subject) or value <= max(enough, _FEW):
        return None
    worth = Worth(PEAK_S * subject.policy.restore_records_per_second)
    return _hit(subject, WARMUPS, enough, (Question(Scenario.SCALE_OUT, Measure.AT_ONCE, worth, World(((WARMUPS, enough),))),))


def _lag_too_small(subject: Subject) -> Hit | None:
    value = subject.settings.assumed(Client.STREAMS, LAG)
    better = AT_ONCE_S * subject.policy.restore_records_per_second
    if not value or not warms_up(subject) or value >= min(better, subject.largest_log):
        return None
    if value == USUAL_LAG and _is_small(subject):
        return None
    least = 1 if value < USUAL_LAG else MANY_PROBES
    better = USUAL_LAG if value < USUAL_LAG and subject.largest_log <= USUAL_LAG else better
    questions = tuple(
        Question(scenario, Measure.PROBING, Worth(least), World(((LAG, better),)))
        for scenario in (Scenario.SCALE_OUT, Scenario.LOSS)
    )
    return _hit(subject, LAG, better, questions, Figure("log", subject.largest_log))


def _lag_zero(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, LAG)
    if value != 0 or not warms_up(subject) or subject.settings.exactly_once or not subject.stateful:
        return None
    questions = tuple(
        Question(scenario, Measure.PROBING, Worth(1), World(((LAG, USUAL_LAG),)))
        for scenario in (Scenario.SCALE_OUT, Scenario.LOSS)
    )
    return _hit(subject, LAG, USUAL_LAG, questions)


def _lag_below_markers(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, LAG)
    markers = 2 * subject.changelogs_of_a_task
    if value is None or not warms_up(subject) or not subject.settings.exactly_once or value >= markers:
        return None
    return _hit(subject, LAG, USUAL_LAG, (), Figure("markers", markers))


def _lag_too_large(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, LAG)
    if value is None or not warms_up(subject) or value <= USUAL_LAG:
        return None
    question = Question(Scenario.SCALE_OUT, Measure.RESTORING_S, Worth(NOTICED_S), World(((LAG, USUAL_LAG),)))
    return _hit(subject, LAG, USUAL_LAG, (question,), Figure("log", subject.largest_log))


def _probing_long(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, PROBING)
    if value is None or value <= USUAL_PROBING:
        return None
    fixed, worth = World(((PROBING, USUAL_PROBING),)), Worth(LONG_S, MUCH_LONGER)
    scenarios = (Scenario.SCALE_OUT, Scenario.LOSS)
    return _hit(subject, PROBING, USUAL_PROBING, tuple(Question(one, Measure.STABLE_S, worth, fixed) for one in scenarios))


def _probing_short(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, PROBING)
    if value is None or value >= USUAL_PROBING:
        return None
    fixed = World(((PROBING, USUAL_PROBING),), by_rate=True)
    question = Question(Scenario.SCALE_OUT, Measure.PROBING, Worth(_PROBES_OF_SHORT), fixed, World(by_rate=True))
    return _hit(subject, PROBING, USUAL_PROBING, (question,))


def _without_warm_ups(subject: Subject) -> Hit | None:
    if warms_up(subject):
        return None
    key = _assignor_key(subject)
    question = Question(Scenario.SCALE_OUT, Measure.RESTORING_S, Worth(NOTICED_S), World(((key, None),)))
    loss = Question(Scenario.LOSS, Measure.RESTORING_S, Worth(NOTICED_S), World(((key, None),)))
    return Hit((shown(key, subject.settings.properties[key]),), (Fix(key, None),), (), (question, loss))


def _assignor_key(subject: Subject) -> str:
    """By which the application names its assignor."""
    return PUBLIC if subject.settings.given(Client.STREAMS, PUBLIC) else ASSIGNOR


def _last_resort(subject: Subject) -> Hit | None:
    named = str(subject.settings.properties.get(ASSIGNOR, ""))
    return Hit((shown(ASSIGNOR, named),), (Fix(ASSIGNOR, None),)) if named.endswith(LAST_RESORT) else None


def _ignored(subject: Subject) -> Hit | None:
    given = [key for key in (WARMUPS, LAG, PROBING) if _is_set(subject, key)]
    if warms_up(subject) or not given:
        return None
    seen = tuple(subject.settings.shown(Client.STREAMS, key) for key in given)
    return Hit(seen, (Fix(_assignor_key(subject), None),), (text("keys", ", ".join(given)),))


def _is_set(subject: Subject, key: str) -> bool:
    value = given_number(subject, Client.STREAMS, key)
    return value is not None and value != subject.settings.default(Client.STREAMS, key)


def _hit(subject: Subject, key: str, better: int, questions: tuple[Question, ...], *figures: Figure) -> Hit:
    return Hit((subject.settings.shown(Client.STREAMS, key),), (Fix(key, str(better)),), figures, questions)


_KIP = kip(441)
RULES = (
    Rule(
        "warm-ups-too-few",
        "So few copies are warmed up until the next probing rebalance: a change that moves more tasks takes several of them.",
        (WARMUPS,),
        (_KIP, page("Streams Configs: max.warmup.replicas")),
        _too_few,
        cited=False,
    ),
    Rule(
        "warm-ups-too-many",
        "All these copies are restored at the same time, from the same brokers and onto the same disks.",
        (WARMUPS,),
        (_KIP, page("Streams Configs: max.warmup.replicas")),
        _too_many,
        cited=False,
    ),
    Rule(
        "recovery-lag-too-small",
        "A task whose state is restored within seconds (the largest has {log} records) waits for probing rebalances, because its"
        " copy"
        " does not count as caught up.",
        (LAG,),
        (_KIP, page("Streams Configs: acceptable.recovery.lag")),
        _lag_too_small,
        cited=False,
    ),
    Rule(
        "recovery-lag-zero",
        "Of a changelog that is written to, a copy lacks the newest records nearly always, and so never counts as caught up: tasks"
        " wait for probing rebalances without end. Kafka asks for what is restored in well under a minute.",
        (LAG,),
        (_KIP, page("Streams Configs: acceptable.recovery.lag")),
        _lag_zero,
    ),
    Rule(
        "recovery-lag-below-markers",
        "With exactly-once the end of a changelog counts the markers of transactions, {markers} for a task here. A copy that is"
        " complete stays behind by them and never counts as caught up: probing rebalances go on without end.",
        (LAG,),
        (kip(98), _KIP, java("StreamsPartitionAssignor")),
        _lag_below_markers,
    ),
    Rule(
        "recovery-lag-too-large",
        "A client that lacks that many records counts as caught up and is given the task, which then restores before it runs"
        " (the largest state has {log} records).",
        (LAG,),
        (_KIP, page("Streams Configs: acceptable.recovery.lag")),
        _lag_too_large,
        cited=False,
    ),
    Rule(
        "probing-interval-long",
        "A warm-up that has caught up waits for the next probing rebalance.",
        (PROBING,),
        (_KIP, page("Streams Configs: probing.rebalance.interval.ms")),
        _probing_long,
        cited=False,
    ),
    Rule(
        "probing-interval-short",
        "The group rebalances again and again while copies are still restored.",
        (PROBING,),
        (_KIP, page("Streams Configs: probing.rebalance.interval.ms")),
        _probing_short,
        cited=False,
    ),
    Rule(
        "assignor-without-warm-ups",
        "This assignor gives a task to a client that has no copy of it, and the task restores before it runs.",
        (ASSIGNOR, PUBLIC),
        (_KIP, kip(924)),
        _without_warm_ups,
        cited=False,
    ),
    Rule(
        "assignor-of-last-resort",
        "Streams uses this assignor where end offsets are unknown: it leaves tasks where they are and asks for another rebalance"
        " each time, so that the group never becomes stable.",
        (ASSIGNOR,),
        (java("FallbackPriorTaskAssignor"),),
        _last_resort,
    ),
    Rule(
        "warm-up-settings-ignored",
        "This assignor has no warm-ups: {keys} have no effect.",
        (WARMUPS, LAG, PROBING, ASSIGNOR, PUBLIC),
        (_KIP, java("StickyTaskAssignor")),
        _ignored,
    ),
)
