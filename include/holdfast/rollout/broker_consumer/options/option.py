"""One option for a change to a consumer group whose broker assigns: the value."""

from holdfast.rollout.broker_consumer.change.change import CHANGE, GroupChange
from holdfast.rollout.contract.assessment import BASELINE_NAME
from holdfast.rollout.contract.settings import SettingChange
from holdfast.rollout.contract.times import EffortCounts
from holdfast.rollout.facts.conditions import ASSUMPTIONS, INVALIDATIONS, Assumption, Invalidation
from holdfast.rollout.facts.refusals import REFUSAL, Refusal
from holdfast.rollout.json.codec import BOOLEAN, NAME, TEXT, items
from holdfast.rollout.json.record import codec_of, member, record
from holdfast.rollout.options.orders import OrdersTried

ONE_BY_ONE, OTHER_ORDER, WITHIN_INTERVAL, NEW_FIRST, OLD_FIRST, TOGETHER, MAKE_STATIC, OTHER_ASSIGNOR = (
    "one-by-one",
    "other-order",
    "within-interval",
    "new-consumer-first",
    "old-consumer-first",
    "all-together",
    "make-static",
    "other-assignor",
)
NAMES = (
    BASELINE_NAME,
    ONE_BY_ONE,
    OTHER_ORDER,
    WITHIN_INTERVAL,
    NEW_FIRST,
    OLD_FIRST,
    TOGETHER,
    MAKE_STATIC,
    OTHER_ASSIGNOR,
)


@record
class GroupOption:
    """One option for a change, as `options.option.Option`. `settings`: those for the time of the rollout; `refused`: why it does
    not apply to this group."""

    name: str = member(NAME)
    title: str = member(TEXT)
    change: GroupChange = member(CHANGE)
    assumptions: tuple[Assumption, ...] = member(ASSUMPTIONS, default=(), needed=True)
    invalid_if: tuple[Invalidation, ...] = member(INVALIDATIONS, default=(), needed=True)
    drawback: str = member(TEXT, default="", needed=True)
    settings: tuple[SettingChange, ...] = member(items(codec_of(SettingChange)), default=(), needed=True)
    if_allowed: bool = member(BOOLEAN, default=False, needed=True)
    refused: Refusal | None = member(REFUSAL, default=None, omit=True)
    orders: OrdersTried | None = member(codec_of(OrdersTried), default=None, omit=True)

    @property
    def effort(self) -> EffortCounts:
        """Everything is done by people."""
        events = self.change.statements()
        return EffortCounts(restarts=sum(one.restarts() for one in events), manual_steps=len(events), copies=0)
