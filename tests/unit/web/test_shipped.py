"""What others made and is shipped or used as a file: it is exactly what they published, and their licence is next to it."""

import hashlib
from pathlib import Path

import pytest

from holdfast.web.templating import environment

ROOT = Path(__file__).resolve().parents[3]
STATIC = ROOT / "include" / "holdfast" / "web" / "static"
PUBLISHED = {
    STATIC / "echarts.min.js": (
        "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0",  # dist/echarts.min.js of echarts 6.1.0
        ("echarts.LICENSE.txt", "echarts.NOTICE.txt", "echarts.LICENSE-d3.txt"),
    ),
    ROOT / "tests" / "harness" / "pages" / "axe.min.js": (
        "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c",  # axe.min.js of axe-core 4.14.1
        ("axe.LICENSE.txt",),
    ),
}


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.name)
def test_it_is_as_published(file: Path) -> None:
    digest, licences = PUBLISHED[file]

    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest
    assert all((file.parent / name).stat().st_size > 100 for name in licences)


def test_our_own_pages_reach_for_nothing_elsewhere() -> None:
    """Text that a browser would load something for: only `/` and relative addresses."""
    own = [*STATIC.glob("*.css"), *STATIC.glob("*.svg"), *(STATIC / name for name in ("charts.js", "page.js", "theme.js"))]
    own += list((STATIC.parent / "templates").rglob("*.html"))
    loaded = [
        (one.name, mark) for one in own for mark in ("url(", "@import", "//cdn", "eval(", "innerHTML") if mark in one.read_text()
    ]

    assert len(own) > 12
    assert loaded == []


def test_every_template_compiles() -> None:
    names = [name for name in environment().list_templates() if name.endswith(".html")]

    assert len(names) > 15
    for name in names:
        environment().get_template(name)
