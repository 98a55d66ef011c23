"""The journal as a page: every entry in words, for leads alone, in pages that lose nothing."""

import ast
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from django.urls import reverse
from django.utils import translation

from annotation.models import JournalEntry, Project
from annotation.queries import journal as queries
from annotation.queries.journal_lines import in_words
from annotation.queries.journal_sentences import PLACEHOLDER, SENTENCES
from annotation.services import journal, membership
from tests.factories import (
    NOW,
    make_import,
    make_member,
    make_project,
    make_prompt,
    make_response,
    make_round,
    make_user,
    score_all,
)

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
HOUR = timedelta(hours=1)


def address(project):
    return reverse("journal", args=[project.slug])


def note(project, action="round.opened", *, by=None, at=NOW, **data):
    journal.record(action, by=by, at=at, project=project, **data)
    return JournalEntry.objects.latest("pk")


def words(project, entry):
    return in_words(project, [entry])[0].text


def shown(response):
    """The sentences of the entries on a page, from the top."""
    page = response.content.decode()
    found = re.findall(r'<summary>(.*?)</summary>|<p class="entry-what">(.*?) <a ', page)
    return [(sentence or count).replace("&#x27;", "'") for sentence, count in found]


def lines(project, **given):
    wanted = queries.read_filter(given, queries.people(project))
    return queries.page(project, wanted, queries.read_place(given)).lines


# --- Doors ---------------------------------------------------------------------------------------


def test_the_journal_is_open_to_leads_alone(project, lead, annotator, stranger, browser_of):
    for person, status in (
        (lead, 200),
        (annotator, 403),
        (make_member(project, "instructor"), 403),
        (make_member(project, "adjudicator"), 403),
        (make_member(make_project("elsewhere"), "lead"), 404),
        (make_user("opal", is_superuser=True), 404),
        (stranger, 404),
    ):
        assert browser_of(person).get(address(project)).status_code == status, person
    assert browser_of(lead).post(address(project)).status_code == 405


def test_it_shows_nothing_of_other_projects(project, lead, browser_of):
    elsewhere = make_project("elsewhere")
    note(elsewhere, "genre.added", name="Sonnets")
    other = make_round(elsewhere, "Secret round")
    note(project, "round.opened", round=other.pk)
    page = browser_of(lead).get(address(project)).content.decode()
    assert "Sonnets" not in page
    assert "Secret round" not in page
    assert f"Opened the round #{other.pk}." in page


# --- Sentences -----------------------------------------------------------------------------------


def written_actions():
    """Every action code that the product writes, with the place: the first argument of journal.record, and
    whatever a function of the same module hands on to it under the name of `action`."""
    for path in sorted([*ROOT.glob("annotation/**/*.py"), *ROOT.glob("curation/**/*.py")]):
        if "migrations" in path.parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        records = [
            call
            for call in calls
            if isinstance(call.func, ast.Attribute)
            and call.func.attr == "record"
            and getattr(call.func.value, "id", "") == "journal"
        ]
        for call in records:
            yield from codes_of(call.args[0], calls, path)


def codes_of(argument, calls, path):
    place = f"{path.relative_to(ROOT)}:{argument.lineno}"
    written = [node.value for node in ast.walk(argument) if is_code(node)]
    if not written and isinstance(argument, ast.Name):
        written = [node.value for call in calls for node in call.args if is_code(node)]
    assert written, f"{place}: write the action out, so that it can be looked up"
    for code in written:
        yield code, place


def is_code(node):
    return isinstance(node, ast.Constant) and bool(
        re.fullmatch(r"[a-z_]+\.[a-z_]+", str(node.value)) and isinstance(node.value, str)
    )


def test_every_action_that_is_written_has_a_sentence_and_a_kind():
    found = dict(written_actions())
    assert len(found) > 15
    beginnings = tuple(start for _label, starts in queries.KINDS.values() for start in starts)
    assert {code: place for code, place in found.items() if code not in SENTENCES} == {}
    assert {code: place for code, place in found.items() if not code.startswith(beginnings)} == {}


def test_a_sentence_is_found_missing():
    """The negative control of the test above."""
    tree = ast.parse('journal.record("moon.landed", by=None)')
    call = tree.body[0].value
    assert list(codes_of(call.args[0], [], ROOT / "x.py")) == [("moon.landed", "x.py:1")]
    assert "moon.landed" not in SENTENCES


def test_each_sentence_can_be_said_and_names_what_it_speaks_of(project):
    for action, texts in SENTENCES.items():
        for text in map(str, texts):
            data = dict.fromkeys(PLACEHOLDER.findall(text), "<b>it</b>")
            line = in_words(project, [JournalEntry(pk=1, project=project, action=action, data=data, at=NOW)])[
                0
            ]
            assert line.text, action
            assert line.text.endswith("."), action
            assert "%(" not in line.text, action


def test_an_action_without_a_sentence_is_shown_as_it_was_written(project, lead, browser_of):
    note(project, "moon.landed", craft="Eagle", crew=["Neil", "Buzz"], fuel=None)
    page = browser_of(lead).get(address(project)).content.decode()
    assert shown(browser_of(lead).get(address(project)))[0] == "moon.landed"
    assert "<dt><code>craft</code></dt><dd>Eagle</dd>" in page
    assert "<dd>Neil, Buzz</dd>" in page


def test_an_entry_that_lacks_what_its_sentence_needs_is_shown_as_it_was_written(project, lead, browser_of):
    note(project, "round.opened")
    assert shown(browser_of(lead).get(address(project)))[0] == "round.opened"


def test_ids_are_said_by_their_names(project, lead, annotator):
    work = make_round(project, "Main round")
    response = make_response(make_prompt(project, "p-7"), "r-7")
    brought = make_import(project)
    said = {
        ("round.opened", "round", work.pk): "Opened the round Main round.",
        ("membership.withdrawn", "member", annotator.pk): "Ended the role of ann.",
        ("membership.ended", "member", annotator.pk): "Ended the role of ann.",
        ("account.created", "user", lead.user_id): "Made an account for lea.",
        ("genre.moved", "genre", "poetry"): "Moved the genre Poetry.",
        ("genre.moved", "genre", "gone"): "Moved the genre gone.",
        ("response.kept", "response", response.pk): "Kept the response r-7.",
        ("import.undone", "subject", brought.pk): "Undid the import of texts.jsonl.",
        ("response.kept", "response", 10**9): "Kept the response #1000000000.",
        ("response.kept", "response", "r-8"): "Kept the response r-8.",
    }
    for (action, key, value), sentence in said.items():
        assert words(project, note(project, action, **{key: value})) == sentence


def test_roles_and_changes_are_said_in_words(project, lead, stranger):
    membership.add(project, stranger, role="adjudicator", by=lead.user, now=NOW)
    assert words(project, JournalEntry.objects.latest("pk")) == "Added stranger as adjudicator."
    membership.set_languages(project, stranger, languages=["zh", "en"], by=lead.user, now=NOW)
    entry = JournalEntry.objects.latest("pk")
    assert words(project, entry) == "Noted which languages stranger reads: English, Chinese."
    changed = note(project, "project.changed", ties_allowed=[False, True], name=["Old", "New"], odd=[1, 2])
    line = in_words(project, [changed])[0]
    assert line.text == "Changed settings: name, odd, ties."
    assert line.details == (("name", "Old → New"), ("odd", "1 → 2"), ("ties_allowed", "false → true"))


def test_sentences_come_in_chinese_too(project, lead, browser_of):
    make_round(project)
    page = browser_of(lead).get(address(project), headers={"accept-language": "zh-CN"}).content.decode()
    assert 'lang="zh-Hans"' in page
    with translation.override("zh-hans"):
        assert words(project, note(project, "membership.added", user=lead.user_id, role="lead"))


def test_the_round_of_imported_scores_has_a_name_in_each_language(project):
    entry = note(project, round=make_round(project, "Imported scores").pk)
    with translation.override("en"):
        assert words(project, entry) == "Opened the round Imported scores."
    with translation.override("zh-hans"):
        assert "导入的分数" in words(project, entry)


def test_it_says_who_acted_or_that_a_command_did(project, lead):
    note(project, by=lead.user)
    note(project)
    assert [line.who for line in lines(project)][:2] == ["", "lea"]


def test_what_must_stay_secret_is_not_shown_whatever_an_entry_holds(project, lead, browser_of):
    secrets = {
        "password": "S3CRET-1",
        "new_password": "S3CRET-2",
        "token": "S3CRET-3",
        "pseudonym_key": "S3CRET-4",
        "external_id": "S3CRET-5",
    }
    note(project, "moon.landed", **secrets)
    page = browser_of(lead).get(address(project)).content.decode()
    assert "S3CRET" not in page
    assert page.count("not shown") == len(secrets)


def test_what_people_wrote_is_shown_verbatim_and_never_run(project, lead, browser_of):
    attack = "</code><script>alert(1)</script>\" onclick='x' %(round)s {{ 7*7 }} %s"
    note(project, "genre.added", name=attack)
    note(project, attack[:60], **{attack: attack})
    page = browser_of(lead).get(address(project)).content.decode()
    assert "<script>alert" not in page
    assert "onclick='x'" not in page
    assert "Added the genre &lt;/code&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "%(round)s {{ 7*7 }} %s" in page


# --- Scores --------------------------------------------------------------------------------------


@pytest.fixture
def scored(project, annotator):
    """Five scores of ann, on two days of Shanghai that are one of Greenwich, and two of ben."""
    project.time_zone = "Asia/Shanghai"
    Project.objects.filter(pk=project.pk).update(time_zone="Asia/Shanghai")
    ben = make_member(project, "annotator", "ben")
    late = datetime(2026, 3, 2, 15, 30, tzinfo=UTC)  # half past eleven at night in Shanghai
    for hours in range(5):
        note(project, "score.submitted", by=annotator.user, at=late + hours * HOUR / 4, score=hours)
    for _ in range(2):
        note(project, "score.submitted", by=ben.user, at=late, score=1)
    return project


def counts(found):
    return [(line.who, line.day, line.scores) for line in found if hasattr(line, "entries")]


def test_scores_are_counted_by_person_and_day_of_the_projects_time_zone(scored):
    assert counts(lines(scored)) == [
        ("ben", date(2026, 3, 2), 2),
        ("ann", date(2026, 3, 3), 3),
        ("ann", date(2026, 3, 2), 2),
    ]


@pytest.mark.parametrize(
    "zone",
    ["UTC", "Asia/Shanghai", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe"],
)
def test_days_begin_to_the_minute_whatever_the_zones_offset(project, annotator, zone):
    project.time_zone = zone
    midnight = datetime(2026, 8, 3, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    for minutes in (-2, -1, 0, 1, 2):
        at = midnight + timedelta(minutes=minutes)
        note(project, "score.submitted", by=annotator.user, at=at, score=1)
    assert counts(lines(project)) == [("ann", date(2026, 8, 3), 3), ("ann", date(2026, 8, 2), 2)]
    assert len(lines(project, kind="scores", since="2026-08-03", until="2026-08-03")) == 3


def test_a_count_leads_to_its_scores(scored, lead, browser_of):
    count = next(line for line in lines(scored) if hasattr(line, "entries") and line.scores == 3)
    page = browser_of(lead).get(f"{address(scored)}?{count.entries.query}")
    assert shown(page) == ["Gave a score."] * 3


def test_the_filter_for_scores_shows_each(scored):
    found = lines(scored, kind="scores")
    assert [line.action for line in found] == ["score.submitted"] * 7
    assert not counts(found)


def test_other_kinds_show_no_scores(scored):
    assert not counts(lines(scored, kind="people"))
    assert not counts(lines(scored, person="command"))


def test_scores_really_given_are_counted(project, annotator, lead, browser_of):
    make_response(make_prompt(project), "a")
    score_all(make_round(project), {("a", "ann"): 3})
    assert "Gave 1 score on 2 Mar 2026." in shown(browser_of(lead).get(address(project)))


def test_the_page_takes_few_queries_however_much_is_on_it(
    scored, lead, browser_of, django_assert_max_num_queries
):
    for number in range(20):
        make_round(scored, f"Round {number}")
        make_member(scored, "annotator")
    client = browser_of(lead)
    client.get(address(scored))  # the first page of a session notes when it began
    with django_assert_max_num_queries(12):
        client.get(address(scored))


# --- Filters -------------------------------------------------------------------------------------


@pytest.fixture
def busy(project, lead):
    """One entry of each kind, hour by hour; the lead's and a command's in turn."""
    actions = [starts[0] + "done" for _label, starts in queries.KINDS.values()]
    for number, action in enumerate(actions):
        by = lead.user if number % 2 else None
        note(project, action, by=by, at=NOW + timedelta(days=number))
    return project


@pytest.mark.parametrize("kind", queries.KINDS)
def test_the_filter_by_kind(busy, kind):
    starts = queries.KINDS[kind][1]
    found = lines(busy, kind=kind)
    assert found
    assert all(line.action.startswith(starts) for line in found)
    everything = JournalEntry.objects.filter(project=busy)
    assert len(found) == sum(entry.action.startswith(starts) for entry in everything)


def test_kinds_leave_nothing_out_and_overlap_nowhere(busy):
    by_kind = [line.pk for kind in queries.KINDS for line in lines(busy, kind=kind)]
    assert len(by_kind) == len(set(by_kind)) == JournalEntry.objects.filter(project=busy).count()


def test_the_filter_by_person(busy, lead):
    assert {line.who for line in lines(busy, person=str(lead.user_id))} == {"lea"}
    assert {line.who for line in lines(busy, person="command")} == {""}


def test_the_filter_by_days_takes_both_in(busy):
    found = lines(busy, since="2026-03-03", until="2026-03-05")
    assert [line.at.day for line in found] == [5, 4, 3]


def test_a_day_begins_at_midnight_of_the_projects_time_zone(project):
    project.time_zone = "Asia/Shanghai"
    note(project, at=datetime(2026, 6, 1, 15, 59, tzinfo=UTC), round=1)
    note(project, at=datetime(2026, 6, 1, 16, 0, tzinfo=UTC), round=2)
    assert [line.details for line in lines(project, since="2026-06-02")] == [(("round", "– (#2)"),)]
    assert [line.details for line in lines(project, since="2026-06-01", until="2026-06-01")] == [
        (("round", "– (#1)"),)
    ]


def test_the_form_comes_back_as_it_was_chosen(busy, lead, browser_of):
    given = {"kind": "people", "person": lead.user_id, "since": "2026-03-01", "until": "2026-03-31"}
    page = browser_of(lead).get(address(busy), given).content.decode()
    assert '<option value="people" selected>' in page
    assert f'<option value="{lead.user_id}" selected>' in page
    assert 'name="since" type="date" value="2026-03-01"' in page
    assert 'value="2026-03-31"' in page


BAD_KEYS = [
    "actor__password__startswith",
    "project",
    "project__slug",
    "id__gte",
    "action__contains",
    "data__role",
    "_connector",
    "a b",
    "x.y",
    "\x00",
    "kind__in",
    "ordering",
    "before__lt",
    "[]",
]
BAD_VALUES = [
    "",
    "x",
    "-1",
    "0",
    "1 OR 1=1",
    "%",
    "\x00",
    "9" * 40,
    "٣",
    "round.",
    "2026-13-01",
    "0001-01-01",
]


@pytest.mark.parametrize("key", BAD_KEYS)
def test_unknown_keys_change_nothing(busy, lead, browser_of, key):
    client = browser_of(lead)
    everything = shown(client.get(address(busy)))
    for value in ("1", "pbkdf2", "people"):
        assert shown(client.get(address(busy), {key: value})) == everything


@pytest.mark.parametrize("key", ["kind", "person", "since", "until", "before", "after"])
def test_values_that_are_not_offered_change_nothing(busy, lead, stranger, browser_of, key):
    client = browser_of(lead)
    everything = shown(client.get(address(busy)))
    for value in [*BAD_VALUES, str(stranger.pk) if key == "person" else "x", "9999-12-31"]:
        if (key, value) == ("after", "1"):
            continue
        assert shown(client.get(address(busy), {key: value})) == everything, value


def test_a_filter_that_nothing_fits_says_so(project, lead, browser_of):
    page = browser_of(lead).get(address(project), {"since": "2030-01-01"})
    assert "No entry fits this filter." in page.content.decode()


# --- Pages ---------------------------------------------------------------------------------------


@pytest.fixture
def short_pages(monkeypatch):
    monkeypatch.setattr(queries, "LINES_A_PAGE", 3)


def walk(project, start, way, **given):
    """The pages from a place on, by their links."""
    wanted = queries.read_filter(given, queries.people(project))
    pages, place = [], start
    while place is not None:
        found = queries.page(project, wanted, place)
        pages.append([keyed(line) for line in found.lines])
        following = getattr(found, way)
        key = {"older": "before", "newer": "after"}[way]
        place = queries.Place(**{key: following}) if following else None
    return pages


def keyed(line):
    return (line.who, line.day, line.scores) if hasattr(line, "entries") else line.pk


def test_pages_lose_nothing_and_show_nothing_twice(scored, busy, short_pages):
    for given in ({}, {"kind": "scores"}, {"person": "command"}):
        everything = [key for page in walk(busy, queries.Place(), "older", **given) for key in page]
        assert len(everything) == len(set(everything))
        total = sum(key[2] if isinstance(key, tuple) else 1 for key in everything)
        entries = JournalEntry.objects.filter(project=busy)
        if given.get("kind"):
            entries = entries.filter(action__startswith="score.")
        if given.get("person"):
            entries = entries.filter(actor=None)
        assert total == entries.count()


def test_the_way_back_shows_the_same(busy, short_pages):
    down = walk(busy, queries.Place(), "older")
    last = queries.page(busy, queries.Filter(), queries.Place(before=down[-2][-1]))
    up = walk(busy, queries.Place(after=last.lines[0].pk), "newer")
    assert [key for page in reversed(up) for key in page][:3] == down[0]
    assert up[-1] == down[0]


def test_an_entry_that_comes_meanwhile_shifts_no_page(busy, short_pages):
    first = queries.page(busy, queries.Filter(), queries.Place())
    second = queries.page(busy, queries.Filter(), queries.Place(before=first.older))
    note(busy)
    assert queries.page(busy, queries.Filter(), queries.Place(before=first.older)) == second


def test_links_to_pages_keep_the_filter(busy, lead, browser_of, short_pages):
    page = browser_of(lead).get(address(busy), {"person": "command", "until": "2030-01-01"})
    assert re.search(r'href="\?person=command&amp;until=2030-01-01&amp;before=\d+"', page.content.decode())


def test_no_page_counts_its_way_through_the_table(busy, short_pages, django_assert_max_num_queries):
    """Keyset, not OFFSET."""
    with django_assert_max_num_queries(12) as captured:
        queries.page(busy, queries.Filter(), queries.Place(before=10**6))
    assert not [query["sql"] for query in captured if "OFFSET" in query["sql"].upper()]
