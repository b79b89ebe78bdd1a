"""Standby replicas: too many for the clients, too few for the state."""

from holdfast.kafka.clients.configs import Client
from holdfast.kafka.coordinator.config_keys import MOST_STANDBYS, number_of
from holdfast.kafka.coordinator.config_keys import STANDBYS as OF_GROUP
from holdfast.rollout.settings.predicates import given_number
from holdfast.rollout.settings.rule import (
    Figure,
    Fix,
    Hit,
    Measure,
    Question,
    Rule,
    Scenario,
    Where,
    World,
    Worth,
    java,
    kip,
    page,
    seconds,
)
from holdfast.rollout.settings.rules.warm_ups import warms_up
from holdfast.rollout.settings.subject import Subject, shown
from holdfast.rollout.settings.vocabulary import STREAMS, Kind

STANDBYS = "num.standby.replicas"


def standbys(subject: Subject) -> int | None:
    """How many the group has; None: unknown."""
    if subject.kind is Kind.BY_BROKER:
        return number_of(subject.group_config, OF_GROUP)
    return subject.settings.assumed(Client.STREAMS, STANDBYS)


def _more_than_clients(subject: Subject) -> Hit | None:
    value = given_number(subject, Client.STREAMS, STANDBYS) if subject.kind is Kind.CLASSIC else standbys(subject)
    most = len(subject.members) - 1
    if not value or not subject.members or value <= most or not subject.stateful:
        return None
    return _hit(subject, str(most), Figure("clients", len(subject.members)), Figure("most", most))


def _none(subject: Subject) -> Hit | None:
    if standbys(subject) != 0 or len(subject.members) < 2 or not warms_up(subject):
        return None
    worth = Worth(subject.policy.without_caught_up_copy_s_most)
    question = Question(Scenario.LOSS, Measure.RESTORING_S, worth, World(((STANDBYS, 1),)))
    return _hit(subject, "1", questions=(question,))


def _none_in_group(subject: Subject) -> Hit | None:
    too_long = subject.restore_s >= subject.policy.without_caught_up_copy_s_most
    if standbys(subject) != 0 or len(subject.members) < 2 or not too_long:
        return None
    return _hit(subject, "1", seconds("restore", subject.restore_s))


def _over_the_brokers_limit(subject: Subject) -> Hit | None:
    value = standbys(subject)
    if value is None or value <= MOST_STANDBYS:
        return None
    return _hit(subject, str(MOST_STANDBYS), Figure("most", MOST_STANDBYS))


def _hit(subject: Subject, better: str, *figures: Figure, questions: tuple[Question, ...] = ()) -> Hit:
    if subject.kind is Kind.BY_BROKER:
        seen = shown(OF_GROUP, subject.group_config.get(OF_GROUP, 0))
        return Hit((seen,), (Fix(OF_GROUP, better, Where.GROUP),), figures, questions)
    return Hit((subject.settings.shown(Client.STREAMS, STANDBYS),), (Fix(STANDBYS, better),), figures, questions)


RULES = (
    Rule(
        "standbys-more-than-clients",
        "A copy needs a client of its own, in addition to that of the active task: {clients} clients have room for {most}. Kafka"
        " warns"
        " at each rebalance and leaves the others out.",
        (STANDBYS, OF_GROUP),
        (page("Streams Configs: num.standby.replicas"), java("StandbyTaskAssignmentUtils")),
        _more_than_clients,
        STREAMS,
    ),
    Rule(
        "no-standbys",
        "Without a standby, the tasks of a client that is lost restore their whole state before they run again.",
        (STANDBYS,),
        (page("Streams developer guide: recommended configuration parameters for resiliency"), kip(441)),
        _none,
        cited=False,
    ),
    Rule(
        "group-without-standbys",
        "Without a standby, the tasks of a client that is lost restore before they run again, the largest for {restore} at the"
        " policy's"
        " restore speed.",
        (OF_GROUP,),
        (page("Streams developer guide: recommended configuration parameters for resiliency"), kip(1071)),
        _none_in_group,
        (Kind.BY_BROKER,),
    ),
    Rule(
        "standbys-over-the-limit-of-the-brokers",
        "Brokers allow {most} standbys for a group unless group.streams.max.standby.replicas says otherwise; what is more has no"
        " effect.",
        (OF_GROUP,),
        (kip(1071), page("Broker Configs: group.streams.max.standby.replicas")),
        _over_the_brokers_limit,
        (Kind.BY_BROKER,),
    ),
)
