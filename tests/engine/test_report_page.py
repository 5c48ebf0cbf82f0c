"""The report as a page: whole without a network or a script, foreign text as text, the same bytes every time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from coverage_maps import COVERED, HARMFUL, WHOLE, coverage, rule, seen
from fakes import terms
from histories import FOREIGN, begun, ended, state_of, tried
from world import World, helps

from ceopt_tui.core.charts import MOST_DOTS
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import said
from ceopt_tui.engine.files import PAGE_NAME
from ceopt_tui.engine.report import report_markdown, report_page
from ceopt_tui.engine.reporting.content import MOST_LISTED, report_document
from ceopt_tui.engine.reporting.document import Figure
from schemas import records as r

EVIL = '<script>alert(1)</script><img src="http://x.test/p.png" onerror=alert(1)> & </style></svg></title> "\''
HOSTILE = [*FOREIGN, EVIL, "![p](http://x.test/p.png) [l](http://x.test) # no heading\n# nor this | cell"]
TAGS = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "nav", "ul", "li", "a", "section",
    "figure", "figcaption", "svg", "desc", "text", "line", "rect", "circle", "path", "details", "summary", "div",
    "table", "thead", "tbody", "tr", "th", "td", "code", "span", "ins", "del", "small",
}  # fmt: skip


class Page(HTMLParser):
    """What a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.shown: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown.append(data)

    def every(self, tag: str) -> Iterator[dict[str, str | None]]:
        return (attributes for name, attributes in self.tags if name == tag)

    @property
    def text(self) -> str:
        return "".join(self.shown)


def hostile() -> RunState:
    """Every idea, reason, text and case is a string that something acts on; the last is kept."""
    groups = [tried(place, text, "reverted", text, f"Answer.\n{text}\n") for place, text in enumerate(HOSTILE, 1)]
    number = len(HOSTILE) + 1
    kept = tried(number, EVIL, "kept", EVIL, f"Answer well.\n{EVIL}\n")
    runs = [
        r.CaseRun(text_digest=text, case_id=case, sample=0, step="report", output="x", score=score, passed=bool(score))
        for case in HOSTILE
        for text, score in (("original", 0.0), (f"t{number}", 1.0))
    ]
    return state_of(begun(), *groups, kept, runs, ended("improved"))  # type: ignore[arg-type]


def hostile_map() -> Any:
    cases = tuple(HOSTILE)
    cells = {case: seen("loses", -1.0) for case in cases[:-1]}
    return coverage(rule(1, "covered", text=EVIL, file=EVIL, why=EVIL, cases=cells, idea=EVIL), cases=cases)


@pytest.fixture(scope="module")
def evil_page() -> str:
    return report_page(hostile(), terms(), hostile_map())


def test_foreign_text_is_shown_letter_by_letter_and_does_nothing(evil_page: str) -> None:
    page = Page(evil_page)
    assert {tag for tag, _ in page.tags} <= TAGS and not page.open
    for text in HOSTILE:
        assert said(text) in page.text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", evil_page)


def test_nothing_is_loaded_and_nothing_runs(evil_page: str) -> None:
    page = Page(evil_page)
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") or name in {"src", "srcset", "style", "data"} for name in attributes), tag
        assert not attributes.get("href") or re.fullmatch(r"#part-\d+", attributes["href"] or "")
    (policy,) = (one["content"] for one in page.every("meta") if one.get("http-equiv"))
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[\w+/=]{44}'", policy or "")
    assert "url(" not in evil_page and "@import" not in evil_page


def test_the_markdown_makes_no_markup_of_foreign_text_either() -> None:
    report = report_markdown(hostile(), terms(), hostile_map())
    prose = re.sub(r"(?ms)^(~{8,})diff$.*?^\1$", "", report)
    assert not re.search(r"(?<!\\)<[a-z/!]", prose) and "](" not in prose
    headings = re.findall(r"(?m)^#+ .*", prose)
    assert not any(heading.startswith(("# no", "# nor")) for heading in headings)
    assert "\x1b" not in report and "\x07" not in report


def test_the_same_journal_gives_the_same_bytes() -> None:
    first, second = (report_page(hostile(), terms(), hostile_map()) for _ in range(2))
    assert first == second


def test_every_chart_says_what_it_shows_in_words_and_in_figures() -> None:
    state, page = hostile(), Page(report_page(hostile(), terms(), hostile_map()))
    charts = [one for one in page.every("svg") if one.get("role")]
    document = report_document(state, terms(), hostile_map())
    figures = [block for section in document.sections for block in section.blocks if isinstance(block, Figure)]
    assert len(charts) == len(figures) >= 3 and all(figure.values.rows for figure in figures)
    names = {one["id"] for tag in ("title", "desc") for one in page.every(tag) if "id" in one}
    for chart in charts:
        assert set((chart["aria-labelledby"] or "").split()) <= names
    ids = [attributes["id"] for _, attributes in page.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))


def test_the_drawings_are_well_formed_and_stay_within_their_width(evil_page: str) -> None:
    drawings = re.findall(r'<svg role="img".*?</svg>(?=<figcaption|</figure)', evil_page, re.DOTALL)
    assert len(drawings) >= 3
    for drawing in drawings:
        for shape in ElementTree.fromstring(drawing).iter():
            for name in ("x", "x1", "x2", "cx"):
                if (value := shape.get(name, "")).endswith("%"):
                    assert 0 <= float(value[:-1]) <= 100


async def test_a_run_commits_the_page_beside_the_report(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"))
    await world.tick()
    published = world.backend.published[-1]
    assert list(published) == ["docs/optimize/fake-report.md", "docs/optimize/fake-report.html"]
    page = published["docs/optimize/fake-report.html"]
    assert page == (tmp_path / PAGE_NAME).read_bytes()
    seen_page = Page(page.decode())
    for wanted in ("10 selection cases", "90% interval", "Case by case", "be exact"):
        assert wanted in seen_page.text
    assert "kept" in {attributes.get("class") for attributes in seen_page.every("path")}
    assert sum(attributes.get("class") == "disc better" for attributes in seen_page.every("circle")) >= 10
    assert [tag for tag, _ in seen_page.tags].count("ins") == 1  # the one line that was added


async def test_gains_stand_with_intervals_on_both_sides_of_the_split(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be exact",))
    await world.tick()
    report = report_markdown(world.state, world.terms)
    rows = re.findall(r"(?m)^\| (\d+ \S+ cases?) \| (\S+) \| (\S+) \| (\+\d+ points?) \| (.+ to .+) \|$", report)
    assert [row[0] for row in rows] == ["10 held-out cases", "10 selection cases"]
    assert all(row[2] == "100%" for row in rows)


def long_run(count: int) -> RunState:
    groups = [
        [
            *tried(number, f"idea {number}"),
            r.Decided(
                number=number, step="add_sample", decision="revert", next_measurement="none", reason="x",
                numbers={"n": 2, "mean_difference": -0.1, "se": 0.05},
            ),
            r.Learnt(text=f"idea {number} did nothing", number=number),
            r.ExperimentClosed(number=number, outcome="reverted", reason="worse"),
        ]
        for number in range(1, count + 1)
    ]  # fmt: skip
    looked = [r.Looked(look=place, number=place, level=0.1, keeps=0) for place in range(1, 4)]
    return state_of(begun(), *groups, looked, ended())  # type: ignore[arg-type]


def test_the_report_of_a_long_run_stays_readable() -> None:
    count = 3000
    state = long_run(count)
    page, report = report_page(state, terms()), report_markdown(state, terms())
    assert len(page) < 400_000 and len(report) < 100_000
    assert report.count("\n| exp-") == MOST_LISTED and "| exp-001 |" in report and f"| exp-{count} |" in report
    assert f"{count - MOST_LISTED:,} experiments more: `ceopt log` has them all." in report
    assert f"The last {MOST_LISTED}; {count - MOST_LISTED:,} more came before them." in report
    assert f"Of {count:,} candidates these are the best of every stretch" in page
    dots = [one for one in Page(page).every("circle") if one.get("class") == "tried"]
    assert 0 < len(dots) <= MOST_DOTS


def test_what_a_person_refused_is_named_as_not_seen_by_the_checks() -> None:
    asked = [
        r.Asked(question_id="keep-1", title="t", message="m", question="q", options=("keep", "refuse")),
        r.Answered(question_id="keep-1", answer="refuse: it drops the greeting"),
        r.ExperimentClosed(number=1, outcome="reverted", reason="refused by a person: it drops the greeting"),
    ]
    state = state_of(begun(), tried(1, "be short", text="Short.\n"), asked, ended())  # type: ignore[arg-type]
    report = report_markdown(state, terms())
    assert "- not seen by the checks, exp-001: refused by a person: it drops the greeting" in report


def test_an_unknown_price_is_no_bar() -> None:
    calls = [r.CallFinished(facts=r.CallFacts(role="task", model="m", usd=None))]
    page = Page(report_page(state_of(begun(), calls, ended()), terms()))  # type: ignore[arg-type]
    assert "unknown" in page.text and "US dollars by role." in page.text


def test_a_small_map_has_a_mark_in_every_cell_and_a_large_one_none() -> None:
    ended_run = state_of(begun(), ended())
    small = Page(report_page(ended_run, terms(), WHOLE))
    assert [one["class"] for one in small.every("text") if one.get("class") == "mark"] == ["mark"] * 6
    many = tuple(f"c{place}" for place in range(60))
    wide = coverage(replace_cases(COVERED, many), replace_cases(HARMFUL, many), cases=many)
    large = Page(report_page(ended_run, terms(), wide))
    assert not [one for one in large.every("text") if one.get("class") == "mark"]
    assert [one["class"] for one in large.every("rect") if "cell" in (one.get("class") or "")] == ["cell loses"] * 2


def replace_cases(one: Any, cases: tuple[str, ...]) -> Any:
    return one.model_copy(update={"cases": {case: seen("loses", -1.0) for case in cases}, "lost": ()})


def shades(css: str) -> Iterator[Mapping[str, str]]:
    """The colours of the light and of the dark page."""
    for block in re.findall(r":root \{(.*?)\}", css, re.DOTALL):
        yield dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


def contrast(one: str, other: str) -> float:
    """Ratio of the relative luminances of two colours, as WCAG defines it."""
    high, low = sorted(map(_luminance, (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_all_text_can_be_read_on_its_ground_by_day_and_by_night() -> None:
    css = files("ceopt_tui.engine.reporting").joinpath("report.css").read_text("utf-8")
    both = list(shades(css))
    assert len(both) == 2
    for colours in both:
        grounds = {"ground": ("text", "quiet", "accent", "better", "worse", "touchy")}
        grounds |= dict.fromkeys(("come", "gone", "come-word", "gone-word"), ("text",))
        for ground, texts in grounds.items():
            for text in texts:
                assert contrast(colours[ground], colours[text]) >= 4.5, (ground, text)
        for sign in ("come", "gone"):
            assert contrast(colours[sign], colours["quiet"]) >= 4.5
