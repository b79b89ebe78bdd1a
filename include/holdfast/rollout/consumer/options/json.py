"""The JSON of an option's forecast, as executors return it (internal, no contract), and of its summary in a plan."""

from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.consumer.events.timing import Span
from holdfast.rollout.consumer.forecast.course import Course, CourseRound, Share
from holdfast.rollout.consumer.forecast.json import consumer_summary_to_json
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.forecast.warnings_json import offset_warning_from_json, offset_warning_to_json
from holdfast.rollout.consumer.options.evaluation import EvaluatedConsumerOption
from holdfast.rollout.consumer.options.proposals import ConsumerOption
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import Act
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS
from holdfast.rollout.json import kafka, strict
from holdfast.rollout.json.codec import items
from holdfast.rollout.json.record import codec_of
from holdfast.rollout.json.strict import Fields, nullable


def option_to_json(option: ConsumerOption) -> dict[str, object]:
    return {
        "name": option.name,
        "title": option.title,
        "change": consumer_change_to_json(option.change),
        "assumptions": ASSUMPTIONS.write(option.assumptions),
        "invalid_if": INVALIDATIONS.write(option.invalid_if),
        "drawback": option.drawback,
        "if_allowed": option.if_allowed,
        "settings": items(codec_of(SettingChange)).write(option.settings),
    }


def option_from_json(value: object) -> ConsumerOption:
    fields = Fields(value)
    option = ConsumerOption(
        name=fields.need("name", strict.name),
        title=fields.need("title", strict.text),
        change=fields.need("change", consumer_change_from_json),
        assumptions=fields.need("assumptions", ASSUMPTIONS.read),
        invalid_if=fields.need("invalid_if", INVALIDATIONS.read),
        drawback=fields.need("drawback", strict.text),
        if_allowed=fields.need("if_allowed", strict.boolean),
        settings=fields.need("settings", items(codec_of(SettingChange)).read),
    )
    fields.finish(closed=True)
    return option


def evaluated_to_json(found: EvaluatedConsumerOption) -> dict[str, object]:
    return {
        "option": option_to_json(found.option),
        "summary": None if found.summary is None else consumer_summary_to_json(found.summary),
        "refused": found.refused,
        "unsettled": found.unsettled,
        "warnings": [offset_warning_to_json(one) for one in found.warnings],
        "unknown": list(found.unknown),
        "offsets_unknown": found.offsets_unknown,
        "acts": [codec_of(Act).write(one) for one in found.acts],
        **course_to_json(found.read_twice, found.course),
    }


def evaluated_from_json(value: object) -> EvaluatedConsumerOption:
    fields = Fields(value)
    found = EvaluatedConsumerOption(
        option=fields.need("option", option_from_json),
        summary=fields.need("summary", nullable(summary_from_json)),
        refused=fields.need("refused", nullable(strict.text)),
        unsettled=fields.need("unsettled", nullable(strict.text)),
        warnings=fields.need("warnings", lambda found: strict.each(found, offset_warning_from_json)),
        unknown=fields.need("unknown", _texts),
        offsets_unknown=fields.need("offsets_unknown", strict.offset),
        read_twice=fields.optional("records_read_twice_at_most", strict.offset, None),
        course=fields.optional("course", course_from_json, None),
        acts=fields.optional("acts", lambda acts: strict.each(acts, codec_of(Act).read), ()),
    )
    fields.finish(closed=True)
    return found


def _texts(value: object) -> tuple[str, ...]:
    return strict.each(value, strict.text)


def summary_from_json(value: object) -> ConsumerSummary:
    fields = Fields(value)
    summary = ConsumerSummary(
        partitions=fields.need("partitions", strict.offset),
        moved=fields.need("moved", nullable(strict.offset)),
        needless=fields.need("needless", nullable(strict.offset)),
        rebalances=fields.need("rebalances", strict.offset),
        stops=fields.need("stops", nullable(strict.offset)),
        seconds_to_stable=fields.need("seconds_to_stable", nullable(_seconds)),
        longest_stop=fields.need("longest_stop_seconds", nullable(_span)),
        partition_seconds=fields.need("stopped_partition_seconds", nullable(_span)),
    )
    fields.finish(closed=True)
    return summary


def course_to_json(read_twice: int | None, found: Course | None) -> dict[str, object]:
    """Fields of a way. Those of which nothing is known are left out, as in plans of releases that did not have them."""
    written: dict[str, object] = {} if read_twice is None else {"records_read_twice_at_most": read_twice}
    if found is not None:
        written["course"] = {
            "rounds": [
                {
                    "trigger": one.trigger,
                    "at_seconds": one.at_seconds,
                    "handed_over": one.handed_over,
                    "stopped": one.stopped,
                    "unread": one.unread,
                    "lasts_seconds": [one.lasts.usual, one.lasts.most],
                }
                for one in found.rounds
            ],
            "members": [
                {
                    "member_id": one.member_id,
                    "host": one.host,
                    "was": one.was,
                    "now": None if one.now is None else kafka.topic_partitions_to_json(one.now),
                    "then": None if one.then is None else kafka.topic_partitions_to_json(one.then),
                }
                for one in found.shares
            ],
        }
    return written


def course_from_json(value: object) -> Course:
    fields = Fields(value)
    found = Course(
        rounds=fields.need("rounds", lambda rounds: strict.each(rounds, _round)),
        shares=fields.need("members", lambda members: strict.each(members, _share)),
    )
    fields.finish(closed=True)
    return found


def _round(value: object) -> CourseRound:
    fields = Fields(value)
    found = CourseRound(
        trigger=fields.need("trigger", strict.name),
        at_seconds=fields.need("at_seconds", _seconds),
        handed_over=fields.need("handed_over", strict.offset),
        stopped=fields.need("stopped", nullable(strict.offset)),
        unread=fields.need("unread", strict.offset),
        lasts=fields.need("lasts_seconds", _span),
    )
    fields.finish(closed=True)
    return found


def _share(value: object) -> Share:
    fields = Fields(value)
    found = Share(
        member_id=fields.need("member_id", strict.name),
        host=fields.need("host", nullable(strict.text)),
        was=fields.need("was", nullable(strict.name)),
        now=fields.need("now", nullable(kafka.topic_partitions)),
        then=fields.need("then", nullable(kafka.topic_partitions)),
    )
    fields.finish(closed=True)
    return found


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise strict.mismatch("a number of seconds, 0 or more", value)
    return value


def _span(value: object) -> Span:
    found = strict.each(value, _seconds)
    if len(found) != 2:
        raise strict.mismatch("two numbers of seconds: usual, and at most", value)
    return Span(*found)
