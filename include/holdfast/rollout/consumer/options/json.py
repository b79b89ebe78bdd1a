"""The JSON of an option's forecast, as executors return it (internal, no contract), and of its summary in a plan."""

from holdfast.rollout.consumer.change.json import consumer_change_from_json, consumer_change_to_json
from holdfast.rollout.consumer.forecast.course import Course
from holdfast.rollout.consumer.forecast.outcomes import ConsumerSummary
from holdfast.rollout.consumer.forecast.positions import OffsetWarning
from holdfast.rollout.consumer.options.evaluation import EvaluatedConsumerOption
from holdfast.rollout.consumer.options.proposals import ConsumerOption
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import Act
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS
from holdfast.rollout.json import strict
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
        "summary": None if found.summary is None else codec_of(ConsumerSummary).write(found.summary),
        "refused": found.refused,
        "unsettled": found.unsettled,
        "warnings": items(codec_of(OffsetWarning)).write(found.warnings),
        "unknown": list(found.unknown),
        "offsets_unknown": found.offsets_unknown,
        "acts": [codec_of(Act).write(one) for one in found.acts],
        **({} if found.read_twice is None else {"records_read_twice_at_most": found.read_twice}),
        **({} if found.course is None else {"course": codec_of(Course).write(found.course)}),
    }


def evaluated_from_json(value: object) -> EvaluatedConsumerOption:
    fields = Fields(value)
    found = EvaluatedConsumerOption(
        option=fields.need("option", option_from_json),
        summary=fields.need("summary", nullable(codec_of(ConsumerSummary).read)),
        refused=fields.need("refused", nullable(strict.text)),
        unsettled=fields.need("unsettled", nullable(strict.text)),
        warnings=fields.need("warnings", items(codec_of(OffsetWarning)).read),
        unknown=fields.need("unknown", _texts),
        offsets_unknown=fields.need("offsets_unknown", strict.offset),
        read_twice=fields.optional("records_read_twice_at_most", strict.offset, None),
        course=fields.optional("course", codec_of(Course).read, None),
        acts=fields.optional("acts", lambda acts: strict.each(acts, codec_of(Act).read), ()),
    )
    fields.finish(closed=True)
    return found


def _texts(value: object) -> tuple[str, ...]:
    return strict.each(value, strict.text)
