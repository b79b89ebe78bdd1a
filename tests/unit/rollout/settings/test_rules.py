"""Each rule finds what it is for, and nothing in the configuration next to it."""

from functools import cache

import pytest
from tests.harness.groups_at_rest import Shape, streams
from tests.unit.rollout.settings.examples_of_rules import PAIRS, PRICED, Pair

from holdfast.rollout.kinds.settings import examined
from holdfast.rollout.settings import words
from holdfast.rollout.settings.findings import Report
from holdfast.rollout.settings.json import report_to_json
from holdfast.rollout.settings.table import RULES


@cache
def harmed(name: str) -> Report:
    return examined(PAIRS[name].group(), dict(PAIRS[name].bad))


def test_each_rule_has_an_example_and_each_example_a_rule() -> None:
    assert sorted(PAIRS) == sorted(rule.name for rule in RULES)


def test_the_names_are_unique_and_enough() -> None:
    names = [rule.name for rule in RULES]

    assert len(set(names)) == len(names) >= 40


@pytest.mark.parametrize(("name", "pair"), PAIRS.items(), ids=list(PAIRS))
def test_a_rule_finds_the_harm_and_nothing_next_to_it(name: str, pair: Pair) -> None:
    bad = harmed(name)
    good = examined((pair.healthy or pair.group)(), dict(pair.good))

    assert name in [one.rule.name for one in bad.findings], (words.title(bad), bad.not_judged)
    assert name not in [one.rule.name for one in good.findings]


@pytest.mark.parametrize("name", PAIRS)
def test_a_finding_has_a_price_or_a_source_and_a_fix_and_reads_well(name: str) -> None:
    report = harmed(name)
    found = next(one for one in report.findings if one.rule.name == name)
    text = words.says(found.rule, found.hit.figures)

    assert found.rule.sources
    assert found.hit.fixes
    assert (found.price is not None) == (name in PRICED)
    assert found.price is not None or found.rule.cited
    assert "{" not in text
    assert text.endswith(".")
    assert all(words.fix(one) for one in found.hit.fixes)
    assert report_to_json(report)["findings"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/tmp", "state-dir-temporary"),
        ("/var/tmp/x", "state-dir-temporary"),
        ("file:///tmp/x", "state-dir-temporary"),
        ("/dev/shm/state", "state-dir-temporary"),
        ("${java.io.tmpdir}/state", "state-dir-temporary"),
        ("C:\\Temp\\state", "state-dir-temporary"),
        ("/mnt/tmpfs/state", "state-dir-ephemeral"),
        ("/mnt/emptydir", "state-dir-ephemeral"),
        ("/mnt/efs/state", "state-dir-shared"),
        ("/shared/state", "state-dir-shared"),
        ("//server/share", "state-dir-shared"),
        ("/usr/share/app/state", None),
        ("/tmpl/state", None),
        ("/data/tmp-app", None),
        ("/runtime/state", None),
        ("/srv/nastya/state", None),
        ("state", None),
    ],
)
def test_folders_that_do_not_last_are_known_by_their_paths(path: str, found: str | None) -> None:
    names = [one.rule.name for one in examined(streams(), {"state.dir": path}).findings]

    assert names == ([] if found is None else [found])


@pytest.mark.parametrize("key", ["retries", "producer.retries", "group.protocol", "client.tag.zone", "topic.segment.jitter.ms"])
@pytest.mark.parametrize("release", ["3.9.1", "4.1.1"])
def test_a_key_that_some_client_of_the_release_has_is_no_key_of_another(key: str, release: str) -> None:
    value = "classic" if key == "group.protocol" else "7"
    report = examined(streams(Shape(release=release)), {key: value})

    assert report.findings == ()
    assert report.unknown_keys == ()
