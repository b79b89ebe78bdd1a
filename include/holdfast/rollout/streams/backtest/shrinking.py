"""A mismatch made smaller: what members reported, and settings, are left out where neither decision depends on it.

Members and tasks stay: the recorded decision is about all of them, and no leader can be asked about fewer.
"""

from collections.abc import Iterator
from dataclasses import replace

from holdfast.errors import HoldfastError
from holdfast.kafka.wire import consumer_protocol, subscription_info
from holdfast.kafka.wire.tasks import WireTask
from holdfast.rollout.backtest.generation import Generation
from holdfast.rollout.backtest.judged import Judged, RebalanceResult, TaskDifference
from holdfast.rollout.streams.backtest.judge import judge
from holdfast.rollout.streams.backtest.question import StreamsQuestion

MOST_TRIES = 200


def shrunk(question: StreamsQuestion, most_tries: int = MOST_TRIES) -> StreamsQuestion:
    """The same mismatch, task for task, with less in it."""
    wanted = judge(question).result
    if wanted.judged is not Judged.DIFFERENT:
        return question
    tries = most_tries
    progress = True
    while progress and tries > 0:
        progress = False
        for smaller in _smaller(question):
            tries -= 1
            if _same(judge(smaller).result, wanted):
                question, progress = smaller, True
                break
            if tries <= 0:
                break
    return question


def _same(found: RebalanceResult, wanted: RebalanceResult) -> bool:
    return found.judged is wanted.judged and _by_task(found.differences) == _by_task(wanted.differences)


def _by_task(differences: tuple[TaskDifference, ...]) -> dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]]:
    return {(one.what, one.role): (one.holdfast, one.recorded) for one in differences}


def _smaller(question: StreamsQuestion) -> Iterator[StreamsQuestion]:
    """Each of these has one part less, large parts first."""
    if len(question.releases) > 1:
        yield replace(question, releases=question.releases[-1:])
    if question.alternatives:
        yield replace(question, alternatives=())
    for name, _ in question.config:
        yield replace(question, config=tuple(pair for pair in question.config if pair[0] != name))
    for index, member in enumerate(question.generation.members):
        try:
            info = _info(member.subscription)
        except HoldfastError:
            continue
        sums = info.task_offset_sums
        dormant = tuple(pair for pair in sums if pair[1] < 0)
        if len(dormant) < len(sums):
            yield replace(question, generation=_with_sums(question.generation, index, dormant))
            for left_out in range(len(sums)):
                if sums[left_out][1] >= 0:
                    fewer = (*sums[:left_out], *sums[left_out + 1 :])
                    yield replace(question, generation=_with_sums(question.generation, index, fewer))


def _info(subscription: bytes) -> subscription_info.SubscriptionInfo:
    info = subscription_info.decode(consumer_protocol.decode_subscription(subscription).user_data or b"")
    assert isinstance(info, subscription_info.SubscriptionInfo), "it was judged"
    return info


def _with_sums(generation: Generation, index: int, sums: tuple[tuple[WireTask, int], ...]) -> Generation:
    member = generation.members[index]
    envelope = consumer_protocol.decode_subscription(member.subscription)
    info = replace(_info(member.subscription), task_offset_sums=sums)
    sent = consumer_protocol.encode_subscription(replace(envelope, user_data=subscription_info.encode(info)))
    members = [*generation.members[:index], replace(member, subscription=sent), *generation.members[index + 1 :]]
    return replace(generation, members=tuple(members))
