"""Rubric and guideline in the browser: writing versions, comparing them, and what each was used for."""

from html import unescape

import pytest
from django.db import IntegrityError
from django.urls import reverse

from annotation.domain import markdown
from annotation.errors import DomainError
from annotation.models import Rubric
from annotation.queries import rubrics as queries
from annotation.services import projects
from annotation.services import rubrics as services
from tests.factories import NOW, make_member, make_prompt, make_response, make_round, score_all
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db

PAYLOAD = '"><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}'


@pytest.fixture
def client(browser_of, lead):
    return browser_of(lead)


@pytest.fixture
def page(project):
    return reverse("rubric", args=[project.slug])


@pytest.fixture
def edit(project):
    return reverse("rubric_edit", args=[project.slug])


@pytest.fixture
def opened(client, edit):
    """The editor's form as the page shows it now."""

    def opening():
        return sent_by(client.get(edit).content.decode(), "rubric-form")

    return opening


@pytest.fixture
def send(client, edit, opened):
    """Send the editor's form with these fields changed; "_" stands for "-" in their names."""

    def sending(do="save", form=None, note="Clearer words.", **changes):
        changed = {name.replace("_", "-"): value for name, value in changes.items()}
        return client.post(edit, {**(form or opened()), "note": note, **changed, "do": do})

    return sending


def shown(response):
    return unescape(response.content.decode())


def latest(project):
    return queries.content(queries.current(project))


# --- Who may -------------------------------------------------------------------------------------


def test_the_rubric_is_edited_by_leads_alone(browser_of, lead, annotator, stranger, project, page, edit):
    addresses = [page, edit, f"{page}1/", f"{page}differences/"]
    for address in addresses:
        assert browser_of(lead).get(address).status_code == 200
        for person, status in ((annotator, 403), (stranger, 404)):
            assert browser_of(person).get(address).status_code == status
    for person, status in ((annotator, 403), (stranger, 404)):
        assert browser_of(person).post(edit, {"do": "save"}).status_code == status
    assert project.rubrics.count() == 1


@pytest.mark.parametrize(
    "address", ["2/", "0/", "differences/?to=2", "differences/?from=x", "differences/?from=-1"]
)
def test_a_version_that_there_is_not_is_not_found(client, page, address):
    assert client.get(page + address).status_code == 404


# --- Writing a version ---------------------------------------------------------------------------


def test_saving_makes_a_version_more_and_leaves_the_one_before(send, project, lead):
    before = latest(project)
    answer = send(
        level_3_en_name="Superb", guideline_zh="# 评分指南\n\n先读一遍。", note=" Clearer.\r\nShorter. "
    )
    assert answer.status_code == 302
    second = queries.current(project)
    assert (second.version, second.created_by, second.note) == (2, lead.user, "Clearer.\nShorter.")
    assert queries.content(second).levels[0].name == {"en": "Superb", "zh": "zh level 3"}
    assert queries.content(second).guideline == {"zh": "# 评分指南\n\n先读一遍。"}
    assert queries.content(project.rubrics.get(version=1)) == before
    entry = project.journal.get(action="rubric.saved")
    assert (entry.actor, entry.data) == (lead.user, {"version": 2, "note": "Clearer.\nShorter."})


def test_a_form_that_is_sent_as_it_came_says_that_nothing_was_changed(send, project):
    answer = send()
    assert answer.status_code == 422
    assert "Nothing was changed" in shown(answer)
    assert project.rubrics.count() == 1


def test_the_shipped_rubric_comes_through_the_editor_unchanged(browser_of, lead):
    made = projects.create(
        "whole", name="Whole", taxonomy="writing-preference", by=None, now=NOW, lead=lead.user
    )
    client, edit = browser_of(lead), reverse("rubric_edit", args=["whole"])
    form = sent_by(client.get(edit).content.decode(), "rubric-form")
    answer = client.post(edit, {**form, "note": "Nothing.", "do": "save"})
    assert "Nothing was changed" in shown(answer)
    assert len(form) < 600
    answer = client.post(edit, {**form, "note": "One word.", "g0-0-en-name": "Prompt", "do": "save"})
    assert answer.status_code == 302
    assert latest(made).criteria[0].name["en"] == "Prompt"
    assert len(latest(made).criteria) == 36


def test_criteria_are_added_with_a_key_of_their_own_and_cleared_ones_are_gone(send, opened, project):
    form = opened()
    assert form["g0-keys"] == ["voice,,"]
    answer = send(
        **{"g0_0_en_name": "", "g0_0_en_question": "", "g0_0_zh_name": "", "g0_0_zh_question": ""},
        **{
            "g0_1_en_name": "Voice!",
            "g0_1_en_question": "Whose?",
            "g0_1_zh_name": "口吻",
            "g0_1_zh_question": "谁？",
        },
        **{"g0_2_zh_name": "只有中文", "g0_2_zh_question": "好不好？"},
        **{"g1_1_en_name": "Voice", "g1_1_en_question": "In fiction?"},
    )
    assert answer.status_code == 302
    found = [(each.genre, each.key, dict(each.name)) for each in latest(project).criteria]
    assert found == [
        ("", "voice-2", {"en": "Voice!", "zh": "口吻"}),
        ("", "criterion-1", {"zh": "只有中文"}),
        ("fiction", "voice", {"en": "en voice 1", "zh": "zh voice 1"}),
        ("fiction", "voice-2", {"en": "Voice"}),
    ]


def test_a_criterion_may_be_for_any_genre_of_the_list(send, opened, project):
    project.genres.create(parent=project.genres.get(key="poetry"), key="haiku", name_en="Haiku", position=0)
    number = max(int(name[1:-6]) for name in opened() if name.endswith("-genre") and name.count("-") == 1)
    row = f"g{number}-0"
    fields = {f"{row}-en-name": "Season", f"{row}-en-question": "Which one?"}
    answer = send(**fields)
    assert answer.status_code == 422
    assert "Choose the genre that this criterion is for." in shown(answer)
    assert send(**fields, **{f"{row}-genre": "haiku"}).status_code == 302
    assert (latest(project).criteria[-1].genre, latest(project).criteria[-1].key) == ("haiku", "season")


def test_rows_are_added_and_moved_before_anything_is_saved(send, opened, project):
    send(g0_1_en_name="Second", g0_1_en_question="Two?", g0_1_zh_name="二", g0_1_zh_question="二？")
    answer = send("more:0", g0_2_en_name="Third", level_2_en_name="Kept")
    assert answer.status_code == 200
    form = sent_by(answer.content.decode(), "rubric-form")
    assert form["g0-keys"] == ["voice,second,,,,"]
    assert form["level-2-en-name"] == ["Kept"]
    answer = send("up:0:2", form=form, g0_2_en_question="Three?")
    form = sent_by(answer.content.decode(), "rubric-form")
    assert [form[f"g0-{row}-en-name"] for row in range(3)] == [["en voice 0"], ["Third"], ["Second"]]
    assert form["g0-keys"] == ["voice,,second,,,"]
    assert project.rubrics.count() == 2
    assert send(form=form).status_code == 302
    keys = [(each.key, each.genre) for each in latest(project).criteria]
    assert keys == [("voice", ""), ("third", ""), ("second", ""), ("voice", "fiction")]


@pytest.mark.parametrize(
    "action", ["more:99", "more:x", "up:0:0", "up:0:99", "up:9:1", "up:0", "more:1:2", "nothing", ""]
)
def test_a_button_that_the_page_does_not_have_shows_the_form_again(send, project, action):
    answer = send(action, level_3_en_name="Kept")
    assert answer.status_code == 200
    assert sent_by(answer.content.decode(), "rubric-form")["level-3-en-name"] == ["Kept"]
    assert project.rubrics.count() == 1


@pytest.mark.parametrize(
    ("languages", "changes", "field"),
    [
        (["en", "zh"], {"level_1_zh_name": ""}, "level-1-zh-name"),
        (["en", "zh"], {"level_0_en_description": " "}, "level-0-en-description"),
        (["zh"], {"g0_1_en_name": "Only English", "g0_1_en_question": "?"}, "g0-1-zh-name"),
        ([], {"level_3_en_name": ""}, "level-3-en-name"),
        ([], {"g0_1_en_name": "No question"}, "g0-1-en-question"),
        ([], {"g0_0_zh_name": ""}, "g0-0-zh-name"),
        (["fr"], {"g1_0_en_question": ""}, "g1-0-en-question"),
        ([], {"level_3_en_name": "n" * 61}, "level-3-en-name"),
        ([], {"guideline_en": "a" * (markdown.MAX_BYTES + 1)}, "guideline-en"),
        ([], {"guideline_zh": "> " * 20}, "guideline-zh"),
        ([], {"guideline_zh": "*a" * 7000}, "guideline-zh"),
        ([], {"note": " "}, "note"),
    ],
)
def test_what_is_missing_or_too_much_is_marked_and_nothing_is_saved(send, project, languages, changes, field):
    project.languages = languages
    project.save(update_fields=["languages"])
    answer = send(**{"level_3_zh_name": "改了", **changes})
    assert answer.status_code == 422
    assert f'id="id_{field}_error"' in shown(answer)
    assert f'href="#id_{field}"' in shown(answer)
    assert sent_by(answer.content.decode(), "rubric-form")["level-3-zh-name"] == ["改了"]
    assert project.rubrics.count() == 1


def test_everything_that_is_missing_is_marked_at_once(send):
    html = shown(send(level_3_en_name="", level_1_zh_description="", guideline_en="> " * 20, note=""))
    for field in ("level-3-en-name", "level-1-zh-description", "guideline-en", "note"):
        assert f'id="id_{field}_error"' in html


def test_a_project_in_one_language_needs_the_rubric_in_that_one_alone(send, project):
    project.languages = ["zh-Hans"]
    project.save(update_fields=["languages"])
    english = {f"level_{value}_en_{part}": "" for value in range(4) for part in ("name", "description")}
    criteria = {f"g{group}_0_en_{part}": "" for group in (0, 1) for part in ("name", "question")}
    assert send(**english, **criteria).status_code == 302
    assert all(set(level.name) == {"zh"} for level in latest(project).levels)


@pytest.mark.parametrize("field", ["level_3_en_name", "level_2_zh_description", "level_1_en_comparison"])
def test_texts_are_shown_as_they_were_written(client, browser_of, annotator, send, page, project, field):
    payload = PAYLOAD[:60] if field.endswith("name") else PAYLOAD
    assert (
        send(**{field: payload}, note=PAYLOAD, g0_0_en_question=PAYLOAD, guideline_en=PAYLOAD).status_code
        == 302
    )
    reading = reverse("guideline", args=[project.slug])
    answers = [client.get(address) for address in (page, f"{page}edit/", f"{page}differences/", reading)]
    answers.append(browser_of(annotator).get(reading))
    for answer in answers:
        assert PAYLOAD in shown(answer)
        assert "<script>alert" not in answer.content.decode()
        assert "<img" not in answer.content.decode()


# --- Two at once ---------------------------------------------------------------------------------


def test_a_form_that_others_overtook_keeps_its_text_and_links_to_what_differs(send, opened, project, page):
    form = opened()
    send(level_3_en_name="Theirs", note="Theirs.")
    answer = send(form=form, level_3_en_name="Mine")
    assert answer.status_code == 409
    assert "Version 2 was saved since you began" in shown(answer)
    assert f"{page}differences/?from=1&to=2" in shown(answer)
    kept = sent_by(answer.content.decode(), "rubric-form")
    assert (kept["level-3-en-name"], kept["based_on"]) == (["Mine"], ["2"])
    assert project.rubrics.count() == 2
    assert send(form=kept).status_code == 302
    assert queries.current(project).version == 3


def test_the_same_form_sent_twice_makes_one_version(send, opened, project):
    form = opened()
    assert [send(form=form, level_3_en_name="Once").status_code for _ in range(2)] == [302, 302]
    assert project.rubrics.count() == 2


def test_two_who_save_at_the_same_moment_are_told_apart_by_the_database(project, lead, monkeypatch):
    """Both have read version 1 as the latest; the one that comes second is refused by the unique constraint."""
    content = latest(project)
    mine = services.RubricContent(content.levels, content.criteria, {"en": "Mine."})
    first = queries.current(project)
    services.save(project, mine, note="", based_on=1, by=lead.user, now=NOW)
    found = iter([first, first, queries.current(project)])
    monkeypatch.setattr(services.queries, "current", lambda _project: next(found))
    theirs = services.RubricContent(content.levels, content.criteria, {"en": "Theirs."})
    with pytest.raises(DomainError, match="Version 2 was saved since you began") as refused:
        services.save(project, theirs, note="", based_on=1, by=None, now=NOW)
    assert isinstance(refused.value.__cause__, IntegrityError)
    assert Rubric.objects.filter(project=project).count() == 2


# --- Reading and comparing -----------------------------------------------------------------------


def test_the_list_says_which_scores_were_given_under_which_version(
    client, send, page, project, annotator, lead
):
    for name in ("a", "b"):
        make_response(make_prompt(project), name)
    score_all(
        make_round(project, "First"), {("a", annotator.user.username): 3, ("b", annotator.user.username): 1}
    )
    project.rounds.update(state="locked", locked_at=NOW)
    send(level_3_en_name="Superb", note="A better word.")
    work = make_round(project, "Second")
    score_all(work, {("a", annotator.user.username): 2, ("b", annotator.user.username): 2})
    html = shown(client.get(page))
    for text in ("A better word.", "First (2)", "Second (2)", lead.user.username):
        assert text in html
    first, second = queries_of_versions(client, page)
    assert (second.version, second.scores, [use.name for use in second.rounds]) == (2, 2, ["Second"])
    assert (first.version, first.scores, [use.name for use in first.rounds]) == (1, 2, ["First"])


def test_the_list_names_the_round_of_imported_scores_in_each_language(client, page, project):
    make_round(project, "Imported scores")
    assert "Imported scores" in shown(client.get(page))
    html = shown(client.get(page, headers={"accept-language": "zh-CN"}))
    assert "导入的分数" in html
    assert "Imported scores" not in html


def queries_of_versions(client, page):
    return client.get(page).context["versions"][::-1]


def test_any_version_can_be_read_and_any_two_compared(client, send, page):
    send(level_3_en_description="en description 3, and more", guideline_en="Read it twice.")
    send(g0_0_zh_question="像谁？", note="Chinese.")
    assert "en description 3, and more" not in client.get(f"{page}1/").content.decode()
    assert "This is an earlier version" in shown(client.get(f"{page}1/"))
    last_two = client.get(f"{page}differences/").content.decode()
    assert "From version 2 to version 3" in last_two
    assert "Nothing differs in this language." in last_two  # in English
    both = client.get(f"{page}differences/?from=1&to=3").content.decode()
    assert "en description <del>3</del><ins>3, and more</ins>" in both or "<ins>, and more</ins>" in both
    assert "<ins>Read it twice.</ins>" in both
    assert "像谁？" in both
    backwards = client.get(f"{page}differences/?from=3&to=1").content.decode()
    assert "<del>Read it twice.</del>" in backwards


def test_a_preview_shows_the_guideline_as_it_will_be_read(send, project):
    answer = send(
        "preview", guideline_en="# Title\n\n**bold** ![x](https://example.org/x.png)", level_3_en_name="Kept"
    )
    html = answer.content.decode()
    assert "<h3>Title</h3>" in html
    assert "<strong>bold</strong>" in html
    assert "<img" not in html
    assert sent_by(html, "rubric-form")["level-3-en-name"] == ["Kept"]
    assert project.rubrics.count() == 1
    assert "no guideline is written" in shown(send("preview"))


# --- For those who score -------------------------------------------------------------------------


@pytest.fixture
def guided(send, project):
    send(guideline_en="Version two, [link](javascript:alert(1)).", guideline_zh="第二版。")
    return project


def test_members_read_the_guideline_and_strangers_do_not(
    guided, browser_of, lead, annotator, stranger, client
):
    address = reverse("guideline", args=[guided.slug])
    for person in (lead, annotator, make_member(guided, "instructor"), make_member(guided, "adjudicator")):
        assert "Version two" in browser_of(person).get(address).content.decode()
    assert browser_of(stranger).get(address).status_code == 404
    for state in ("left", "withdrawn"):
        annotator.state = state
        annotator.save(update_fields=["state"])
        assert browser_of(annotator).get(address).status_code == 404


def test_a_round_shows_the_version_that_it_uses(guided, send, browser_of, annotator, lead, stranger):
    make_response(make_prompt(guided))
    work = make_round(guided)
    send("confirm", guideline_en="Version three.")
    address = reverse("round_guideline", args=[work.token])
    html = browser_of(annotator).get(address).content.decode()
    assert "Version two" in html
    assert "href=" not in html.split("<article")[1].split("</article>")[0]
    assert (
        "Version three"
        in browser_of(annotator).get(reverse("guideline", args=[guided.slug])).content.decode()
    )
    assert [browser_of(person).get(address).status_code for person in (lead, stranger)] == [404, 404]


def test_it_is_read_in_the_language_of_the_reader_or_else_in_the_other(guided, send, browser_of, annotator):
    address = reverse("guideline", args=[guided.slug])
    chinese = {"accept-language": "zh-CN"}
    html = browser_of(annotator).get(address, headers=chinese).content.decode()
    assert "第二版" in html
    assert "zh level 3" in html
    send(
        guideline_zh="", **{f"level_{v}_zh_{part}": "" for v in range(4) for part in ("name", "description")}
    )
    html = browser_of(annotator).get(address, headers=chinese).content.decode()
    assert "Version two" in html
    assert "en level 3" in html


def test_a_missing_language_falls_back_on_the_scoring_page_too(guided, send, browser_of, annotator):
    send(**{f"level_{v}_zh_{part}": "" for v in range(4) for part in ("name", "description")})
    make_response(make_prompt(guided, genre=guided.genres.get(key="fiction")))
    work = make_round(guided)
    client = browser_of(annotator)
    answer = client.post(
        reverse("next_text", args=[work.token]), follow=True, headers={"accept-language": "zh-CN"}
    )
    html = answer.content.decode()
    assert "en level 3" in html
    assert "zh voice 1" in html
    assert reverse("round_guideline", args=[work.token]) in html


def test_without_a_guideline_the_scoring_page_links_to_none(project, browser_of, annotator):
    make_response(make_prompt(project))
    work = make_round(project)
    answer = browser_of(annotator).post(reverse("next_text", args=[work.token]), follow=True)
    assert reverse("round_guideline", args=[work.token]) not in answer.content.decode()
    assert browser_of(annotator).get(reverse("round_guideline", args=[work.token])).status_code == 200


def test_a_project_without_a_rubric_gets_one_written(browser_of, lead, project):
    bare = projects.Project.objects.create(slug="bare", name="Bare", created_at=NOW)
    projects.membership.add(bare, lead.user, role="lead", by=None, now=NOW)
    client, edit = browser_of(lead), reverse("rubric_edit", args=["bare"])
    assert "There is no rubric yet." in shown(client.get(reverse("rubric", args=["bare"])))
    assert client.get(reverse("guideline", args=["bare"])).status_code == 200
    form = sent_by(client.get(edit).content.decode(), "rubric-form")
    levels = {f"level-{v}-en-{part}": f"{part} {v}" for v in range(4) for part in ("name", "description")}
    assert client.post(edit, {**form, "note": "The first.", "do": "save"}).status_code == 422
    assert client.post(edit, {**form, **levels, "note": "The first.", "do": "save"}).status_code == 302
    assert bare.rubrics.get().version == 1


def test_a_table_of_a_guideline_scrolls_by_itself_and_what_looks_like_one_stays_text() -> None:
    shown = queries.guideline_html("| a | b |\n| --- | --- |\n| 1 | 2 |\n\nNo </table> and no <table> here")
    assert shown.count('<div class="table-scroll" tabindex="0" role="group" aria-label="Table"><table>') == 1
    assert shown.count("</table></div>") == shown.count("</div>") == 1
    assert "No &lt;/table&gt; and no &lt;table&gt; here" in shown
