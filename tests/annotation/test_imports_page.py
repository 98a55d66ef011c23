"""The pages of imports: from files to rows in the project, and back. Each with its lead, other roles, a stranger."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation import tasks
from annotation.domain.field_map import FieldMap, Source
from annotation.models import Import, ImportJob, Response, SavedFieldMap, Score
from annotation.services import imports, imports_run
from config import upload
from tests.factories import NOW, make_import, make_member, make_project, make_round
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db

SAMPLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "format_samples"
needs_samples = pytest.mark.skipif(
    not SAMPLES.exists(), reason=f"the samples of layouts are not at {SAMPLES}"
)
LAYOUTS = [
    ("argilla.flat.json",),
    ("argilla.records.json",),
    ("doccano_individual/expert1.jsonl", "doccano_individual/expert2.jsonl"),
    ("label_studio.csv",),
    ("label_studio.full.json",),
    ("label_studio.min.json",),
    ("mtbench_human_votes.jsonl",),
    ("mturk_batch_results.csv",),
    ("openai_batch_output.jsonl",),
    ("potato.annotations.csv",),
    ("wide_scores.semicolon.csv",),
    ("wide_scores.utf8bom.csv",),
    ("zh_scores.gb18030.csv",),
    ("zh_scores.utf16.tsv",),
]

TEXTS = """response_id,prompt_id,prompt,text,genre,annotator,score
r1,p1,Write about a bridge.,The bridge was long and nobody crossed it twice.,fiction,ann@example.org,3
r2,p1,Write about a bridge.,There once was a bridge over a river of ink.,fiction,ann@example.org,1
"""
WITH_A_FAULT = (
    TEXTS + "r3,p1,Write about a bridge.,A third bridge fell into the sea.,fiction,ann@example.org,7\n"
)


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"


@pytest.fixture
def nudged(monkeypatch):
    """What would have been sent to a worker."""
    sent = []
    monkeypatch.setattr(tasks.run_import_job, "delay_on_commit", sent.append)
    return sent


@pytest.fixture
def browser(browser_of, lead, nudged):
    return browser_of(lead)


def listing(project):
    return reverse("imports", args=[project.slug])


def url(found, name="import", *more):
    return reverse(name, args=[found.project.slug, found.pk, *more])


def send(browser, project, content=TEXTS, name="texts.csv"):
    files = [SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)]
    return browser.post(listing(project), {"files": files})


@pytest.fixture
def draft(browser, project):
    assert send(browser, project).status_code == 302
    return Import.objects.get()


def mapping_of(browser, found):
    return sent_by(browser.get(url(found)).content.decode(), "mapping")


def work(found):
    """What a worker would do now."""
    for job in found.jobs.filter(state=ImportJob.State.QUEUED):
        imports_run.execute(job.pk, clock=lambda: NOW)
    found.refresh_from_db()


def checked(browser, found, **changes):
    response = browser.post(url(found), {**mapping_of(browser, found), "then": "check", **changes})
    assert response.status_code == 302, response.content.decode()
    work(found)
    return browser.get(url(found)).content.decode()


def store(browser, found, **more):
    """Send the button of the page as it is."""
    page = browser.get(url(found)).content.decode()
    check = re.search(r'name="check" value="(\d+)"', page)
    return browser.post(url(found, "import_store"), {"check": check[1] if check else "", **more})


# --- The usual way ---------------------------------------------------------------------------------


def test_a_lead_looks_checks_and_imports(browser, project, draft, nudged):
    page = browser.get(url(draft)).content.decode()
    assert "Rows and columns" in page
    assert "commas" in page
    assert "The bridge was long and nobody crossed it twice." in page
    assert "new annotator 1" in page
    assert "ann@example.org" not in page.split('id="mapping"')[0]
    page = checked(browser, draft)
    assert nudged == [draft.jobs.get().pk]
    assert "Import 2 responses and 2 scores" in page
    assert Response.objects.count() == 0
    assert store(browser, draft).status_code == 302
    work(draft)
    assert draft.state == Import.State.STORED
    assert sorted(Response.objects.values_list("external_id", flat=True)) == ["r1", "r2"]
    assert sorted(Score.objects.values_list("value", flat=True)) == [1, 3]
    page = browser.get(url(draft)).content.decode()
    assert "What came in" in page
    assert reverse("import_undo", args=[project.slug, draft.pk]) in page
    assert "texts.csv" in browser.get(listing(project)).content.decode()


def test_looking_at_the_first_rows_again_keeps_the_mapping_and_asks_no_worker(browser, draft, nudged):
    sent = {**mapping_of(browser, draft), "genre": "", "then": "look"}
    assert browser.post(url(draft), sent).status_code == 302
    draft.refresh_from_db()
    assert "genre" not in draft.field_map["fields"]
    assert nudged == []


def test_the_page_asks_again_while_a_worker_is_at_it(browser, draft):
    browser.post(url(draft), {**mapping_of(browser, draft), "then": "check"})
    page = browser.get(url(draft)).content.decode()
    assert 'hx-trigger="every 2s"' in page
    assert "This waits for a worker." in page
    assert 'id="mapping"' not in page
    draft.jobs.update(queued_at=NOW - timedelta(days=1))
    assert "No worker has taken this up." in browser.get(url(draft)).content.decode()
    fragment = browser.get(url(draft), headers={"HX-Request": "true"}).content.decode()
    assert fragment.lstrip().startswith('<div id="import"')
    work(draft)
    assert "hx-trigger" not in browser.get(url(draft)).content.decode()


# --- Upload ----------------------------------------------------------------------------------------


def test_without_a_file_the_form_says_so(browser, project):
    response = browser.post(listing(project), {})
    assert response.status_code == 422
    assert "Choose a file." in response.content.decode()


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7 nothing", b"", b'{"a": 1'], ids=["pdf", "empty", "half of JSON"]
)
def test_a_file_that_cannot_be_read_is_refused_at_the_field_and_leaves_nothing(
    browser, project, content, settings
):
    response = send(browser, project, content, name="notes.txt")
    page = response.content.decode()
    assert response.status_code == 422
    assert 'aria-invalid="true"' in page
    assert "notes.txt" in page
    assert Import.objects.count() == 0
    assert [path for path in settings.IMPORTS_DIR.rglob("*") if path.is_file()] == []


def test_a_file_that_is_too_long_is_cut_off_on_its_way_and_refused(browser, project, monkeypatch, settings):
    monkeypatch.setattr(upload, "MAX_BYTES", 1000)
    monkeypatch.setattr(imports, "MAX_BYTES", 1000)
    response = send(browser, project, TEXTS + "\n" * 200_000)
    assert response.status_code == 422
    assert "is larger than" in response.content.decode()
    assert [path for path in settings.IMPORTS_DIR.rglob("*") if path.is_file()] == []


def test_too_many_files_are_refused_with_their_number(browser, project):
    files = [SimpleUploadedFile(f"{number}.csv", b"a,b\n1,2\n") for number in range(imports.MAX_FILES + 1)]
    response = browser.post(listing(project), {"files": files})
    assert response.status_code == 422
    assert f"At most {imports.MAX_FILES} files" in response.content.decode()


def test_several_files_of_one_kind_are_one_import(browser, project):
    files = [SimpleUploadedFile(f"expert{n}.csv", TEXTS.encode()) for n in (1, 2)]
    assert browser.post(listing(project), {"files": files}).status_code == 302
    found = Import.objects.get()
    assert [file["name"] for file in found.files] == ["expert1.csv", "expert2.csv"]
    assert "expert1.csv and 1 more" in browser.get(listing(project)).content.decode()


@pytest.mark.parametrize(
    "name", ["../../x.csv", "..\\x.csv", "<b>x</b>.csv", "x" * 300 + ".csv", "\u202evsc.x"]
)
def test_a_name_from_strangers_stays_a_name(browser, project, name, settings):
    assert send(browser, project, name=name).status_code == 302
    found = Import.objects.get()
    assert "/" not in found.files[0]["path"]
    page = browser.get(url(found)).content.decode() + browser.get(listing(project)).content.decode()
    assert "<b>x</b>" not in page
    assert "\u202e" not in page


def test_a_body_over_the_limit_is_refused_before_it_is_read(browser, project, monkeypatch):
    monkeypatch.setattr(upload, "MAX_TOGETHER", 100)
    response = send(browser, project, TEXTS * 10)
    assert response.status_code == 413
    assert listing(project) in response.content.decode()
    assert Import.objects.count() == 0


def test_a_form_without_files_takes_no_long_body(browser, project, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = browser.post(reverse("theme"), {"theme": "d" * 2000})
    assert response.status_code == 413
    assert "shorten what you wrote" in response.content.decode()


def test_files_sent_elsewhere_or_by_nobody_are_dropped(browser, client, project, settings):
    for person, address in ((browser, reverse("theme")), (client, listing(project))):
        person.post(address, {"files": [SimpleUploadedFile("x.csv", b"a" * 10_000)], "theme": "dark"})
    assert not settings.IMPORTS_DIR.exists()


# --- Which column is what --------------------------------------------------------------------------


def revised(browser, found, **changes):
    sent = {
        name: values for name, values in {**mapping_of(browser, found), **changes}.items() if values != []
    }
    response = browser.post(url(found), {**sent, "then": "look"})
    assert response.status_code == 302, response.content.decode()
    found.refresh_from_db()
    return FieldMap.from_dict(found.field_map)


def column(name):
    return json.dumps(name, ensure_ascii=False)


def test_a_form_sent_as_it_is_changes_nothing(browser, draft):
    before = FieldMap.from_dict(draft.field_map)
    assert revised(browser, draft) == before


@needs_samples
@pytest.mark.parametrize("names", LAYOUTS, ids=lambda names: names[0])
def test_so_it_is_for_every_layout_that_people_have(browser, project, names):
    files = [SimpleUploadedFile(Path(name).name, (SAMPLES / name).read_bytes()) for name in names]
    assert browser.post(listing(project), {"files": files}).status_code == 302
    found = Import.objects.get()
    before = FieldMap.from_dict(found.field_map)
    assert revised(browser, found) == before
    page = browser.get(url(found)).content.decode()
    assert ("as they would be stored" in page) != bool(before.gaps())


def test_a_field_comes_from_a_column_the_files_name_or_a_fixed_value(browser, draft):
    found = revised(
        browser,
        draft,
        model=column("annotator"),
        sample="file",
        language="fixed",
        language_fixed="en",
        genre="",
    )
    assert found.fields["model"] == Source(columns=("annotator",))
    assert found.fields["sample"] == Source(file_name=True)
    assert found.fields["language"] == Source(constant="en")
    assert "genre" not in found.fields


def test_columns_are_joined_and_values_split(browser, draft):
    found = revised(browser, draft, response_id_join1=column("annotator"), prompt_id_part="2")
    assert found.fields["response_id"] == Source(columns=("response_id", "annotator"))
    assert found.fields["prompt_id"] == Source(columns=("prompt_id",), part=2)
    assert revised(browser, draft) == found


def test_a_fixed_value_has_to_be_written(browser, draft):
    response = browser.post(url(draft), {**mapping_of(browser, draft), "language": "fixed", "then": "look"})
    page = response.content.decode()
    assert response.status_code == 422
    assert "Write the value, or choose a column." in page
    assert 'aria-describedby="id_language-help id_language-error" aria-invalid="true"' in page


def test_what_is_missing_is_asked_for_before_a_check_and_only_then(browser, draft, nudged):
    sent = {**mapping_of(browser, draft), "annotator": ""}
    refused = browser.post(url(draft), {**sent, "then": "check"})
    assert refused.status_code == 422
    assert "Say where this comes from." in refused.content.decode()
    assert nudged == []
    assert browser.post(url(draft), {**sent, "then": "look"}).status_code == 302
    page = browser.get(url(draft)).content.decode()
    assert "Still to be said before the rows can be checked:" in page
    assert 'href="#id_annotator"' in page


def test_a_column_that_the_files_do_not_have_is_refused(browser, draft):
    response = browser.post(
        url(draft), {**mapping_of(browser, draft), "text": column("nowhere"), "then": "look"}
    )
    assert response.status_code == 422


WIDE = "item;Expert1;Expert2;style\nr1;1;0;2\nr2;3;;2\n"


def test_a_column_for_each_annotator(browser, project):
    send(browser, project, WIDE, name="wide.csv")
    found = Import.objects.get()
    assert FieldMap.from_dict(found.field_map).raters == ("Expert1", "Expert2")
    page = browser.get(url(found)).content.decode()
    assert "semicolons" in page
    assert "new annotator 1: 1 · new annotator 2: 0" in page
    assert revised(browser, found, raters=[column("Expert2")]).raters == ("Expert2",)
    response = browser.post(url(found), {"scores_in": "columns", "unknown_genres": "refuse", "then": "look"})
    assert response.status_code == 422
    assert "Tick the columns that hold scores." in response.content.decode()


def test_of_several_columns_of_ratings_one_is_chosen(browser, project):
    rows = "\n".join(f"t{n},ann,{n % 4},{(n + 1) % 4}" for n in range(8))
    send(browser, project, f"item_id,annotator,style,plot\n{rows}\n")
    found = Import.objects.get()
    page = browser.get(url(found)).content.decode()
    assert "Several columns look like scores" in page
    assert "2 columns look like scores; “style” is chosen." in page
    assert page.index('href="#rating"') < page.index("Check all rows") < page.index('id="rating"')
    assert revised(browser, found, rating=column("plot")).fields["score"] == Source(columns=("plot",))
    chosen = revised(browser, found, rating="", score=column("style"))
    assert chosen.fields["score"] == Source(columns=("style",))
    assert revised(browser, found, score=column("plot")).fields["score"] == Source(columns=("plot",))


def test_a_column_named_score_is_no_matter_of_doubt(browser, project):
    rows = "\n".join(f"t{n},ann,{n % 4},{(n + 1) % 4}" for n in range(8))
    send(browser, project, f"item_id,annotator,score,plot\n{rows}\n")
    page = browser.get(url(Import.objects.get())).content.decode()
    assert "Several columns look like scores" in page
    assert "columns look like scores;" not in page


def test_values_of_the_file_get_their_place_on_the_scale(browser, project):
    send(browser, project, "response_id,annotator,score\nr1,ann,good\nr2,ann,poor\n")
    found = Import.objects.get()
    sent = mapping_of(browser, found)
    assert (sent["value0"], sent["value1"]) == (["good"], ["poor"])
    made = revised(browser, found, level0="3", level1="1", value2="awful", level2="0")
    assert dict(made.scores) == {"good": 3, "poor": 1, "awful": 0}
    assert revised(browser, found) == made


def test_only_some_rows_unknown_genres_and_names(browser, draft):
    found = revised(
        browser,
        draft,
        only_column=column("annotator"),
        only_value="ben",
        unknown_genres="add",
        keep_names="on",
    )
    assert (found.only, found.unknown_genres) == (("annotator", "ben"), "add")
    assert draft.keep_names
    assert browser.get(url(draft)).content.decode().count("left out") >= 2


def test_the_preview_shows_what_is_wrong_in_its_cell(browser, project):
    send(browser, project, TEXTS.replace(",fiction,ann@example.org,1", ",opera,ann@example.org,9"))
    page = browser.get(url(Import.objects.get())).content.decode()
    assert "not a genre of the project" in page
    assert "is not a score" in page
    assert "1 of these rows would be refused" in page


def test_files_are_read_another_way(browser, draft):
    sent = {"format": "delimited", "encoding": "utf-8", "delimiter": ";", "layout": "generic"}
    assert browser.post(url(draft, "import_shape"), sent).status_code == 302
    draft.refresh_from_db()
    assert draft.shape["delimiter"] == ";"
    refused = browser.post(url(draft, "import_shape"), {**sent, "format": "xlsx"})
    assert refused.status_code == 422
    assert 'role="alert"' in refused.content.decode()
    missing = browser.post(url(draft, "import_shape"), {**sent, "delimiter": ""})
    assert "Choose what separates the cells." in missing.content.decode()


def keep(browser, found, **changes):
    return browser.post(url(found, "import_keep"), {**mapping_of(browser, found), **changes})


def test_what_is_kept_is_the_mapping_on_the_screen_and_the_draft_takes_it(browser, draft):
    page = keep(browser, draft, name="", model=column("annotator")).content.decode()
    assert "Write a name." in page
    assert sent_by(page, "mapping")["model"] == [column("annotator")]
    assert keep(browser, draft, name="ours", language="fixed").status_code == 422
    assert not SavedFieldMap.objects.exists()
    assert keep(browser, draft, name="ours", model=column("annotator")).status_code == 302
    draft.refresh_from_db()
    assert draft.field_map["fields"]["model"]["columns"] == ["annotator"]
    assert SavedFieldMap.objects.get().field_map == draft.field_map


def test_a_mapping_kept_as_it_was_checked_leaves_the_check(browser, draft):
    checked(browser, draft)
    assert keep(browser, draft, name="ours").status_code == 302
    assert url(draft, "import_store") in browser.get(url(draft)).content.decode()
    assert keep(browser, draft, name="ours", genre="").status_code == 302
    assert url(draft, "import_store") not in browser.get(url(draft)).content.decode()


def test_a_field_without_a_column_may_be_joined_at_once(browser, draft):
    page = browser.get(url(draft)).content.decode()
    assert 'name="language_join1"' in page
    found = revised(browser, draft, model=column("prompt_id"), model_join1=column("annotator"))
    assert found.fields["model"] == Source(columns=("prompt_id", "annotator"))


def test_a_mapping_is_kept_applied_and_forgotten(browser, draft, project):
    assert keep(browser, draft, name="").status_code == 422
    assert keep(browser, draft, name="ours").status_code == 302
    kept = SavedFieldMap.objects.get()
    before = FieldMap.from_dict(draft.field_map)
    revised(browser, draft, genre="")
    assert browser.post(url(draft, "import_saved", kept.pk), {"then": "apply"}).status_code == 302
    draft.refresh_from_db()
    assert FieldMap.from_dict(draft.field_map) == before
    send(browser, project, TEXTS.replace("response_id", "id_of_it"))
    other = Import.objects.latest("pk")
    refused = browser.post(url(other, "import_saved", kept.pk), {"then": "apply"})
    assert refused.status_code == 422
    assert "there is no column" in refused.content.decode()
    assert browser.post(url(draft, "import_saved", kept.pk), {"then": "forget"}).status_code == 302
    assert not SavedFieldMap.objects.exists()


# --- The report ------------------------------------------------------------------------------------


def test_a_refused_row_is_named_with_place_column_and_reason(browser, project):
    send(browser, project, WITH_A_FAULT)
    found = Import.objects.get()
    page = checked(browser, found)
    assert "1 row would be refused" in page
    assert "line 4" in page
    assert "is not a score; use 0, 1, 2 or 3" in page.replace("&#x27;", "'")
    assert "Leave out 1 row and import the rest" in page
    assert '<td class="any-name">Score</td>' in page
    store(browser, found, leave_out="on")
    work(found)
    assert found.state == Import.State.STORED
    assert Response.objects.count() == 2
    assert "What was left out, and why" in browser.get(url(found)).content.decode()


def test_without_saying_so_no_row_is_left_out(browser, project):
    send(browser, project, WITH_A_FAULT)
    found = Import.objects.get()
    checked(browser, found)
    store(browser, found)
    work(found)
    assert found.state == Import.State.DRAFT
    assert Response.objects.count() == 0
    assert "The import could not be finished" in browser.get(url(found)).content.decode()


def test_reasons_are_filtered_and_paged(browser, project):
    faults = "".join(f"x{n},p1,Write.,A text {n}.,fiction,ann,{n % 5 + 4}\n" for n in range(10, 80))
    send(browser, project, TEXTS + faults + "y,p1,,Another text.,opera,ann,1\n")
    found = Import.objects.get()
    page = checked(browser, found)
    assert page.count("is not a score") == 50 + 1
    assert "Page 1 of 2" in page
    second = browser.get(url(found), {"page": "2"}).content.decode()
    assert "Page 2 of 2" in second
    one = browser.get(url(found), {"reason": "2"}).content.decode()
    assert one.split('id="problems"')[1].count('<th scope="row"') == 1
    for nonsense in ({"reason": "9" * 5000}, {"reason": "x", "page": "y"}, {"page": "-1"}, {"reason": "٣"}):
        assert browser.get(url(found), nonsense).status_code == 200


def test_values_with_braces_quotes_and_markup_are_shown_as_they_are(browser, project):
    odd = ("{0.__class__}<script>a()</script>", '"><b>bold</b>')
    rows = "".join(
        f'"x{value}",p1,,A text.,fiction,ann,"{value}"\n' for value in (v.replace('"', '""') for v in odd)
    )
    send(browser, project, TEXTS + rows)
    found = Import.objects.get()
    page = browser.get(url(found)).content.decode() + checked(browser, found)
    assert "<script>a()" not in page
    assert "<b>bold" not in page
    assert "{0.__class__}&lt;script&gt;" in page


def test_nothing_new_is_said_and_cannot_be_imported(browser, project, draft):
    checked(browser, draft)
    store(browser, draft)
    work(draft)
    send(browser, project)
    again = Import.objects.latest("pk")
    page = checked(browser, again)
    assert "There is nothing new in these files" in page
    assert url(again, "import_store") not in page


def test_a_page_imports_nothing_but_what_it_showed(browser, project):
    send(browser, project, WITH_A_FAULT)
    found = Import.objects.get()
    checked(browser, found)
    seen = {"check": found.jobs.get().pk, "leave_out": "on"}
    revised(browser, found, genre="")
    for sent in (seen, {}, {"check": "x"}):
        refused = browser.post(url(found, "import_store"), sent)
        assert refused.status_code == 409
        assert "Since this page was opened" in refused.content.decode()
    checked(browser, found)
    assert browser.post(url(found, "import_store"), seen).status_code == 409
    assert url(found, "import_store") in browser.get(url(found)).content.decode()
    assert store(browser, found, leave_out="on").status_code == 302


def test_a_file_that_was_imported_before_is_named(browser, stored, project):
    assert "The same file was imported on" not in browser.get(url(stored)).content.decode()
    send(browser, project)
    again = Import.objects.latest("pk")
    page = browser.get(url(again)).content.decode()
    assert f'The same file was imported on <a href="{url(stored)}">' in page
    send(browser, project, WITH_A_FAULT)
    assert "The same file was" not in browser.get(url(Import.objects.latest("pk"))).content.decode()


def test_a_changed_mapping_makes_the_check_void(browser, draft):
    checked(browser, draft)
    revised(browser, draft, genre="")
    assert url(draft, "import_store") not in browser.get(url(draft)).content.decode()


# --- What fails, is undone or discarded ------------------------------------------------------------


def test_what_failed_says_why_and_is_tried_again(browser, draft, nudged):
    browser.post(url(draft), {**mapping_of(browser, draft), "then": "check"})
    draft.jobs.update(state="failed", finished_at=NOW, error="The disk is full.")
    page = browser.get(url(draft)).content.decode()
    assert "The disk is full." in page
    browser.post(reverse("set_language"), {"language": "zh-hans"})
    said = "Nothing was imported: all that these files say is stored already."
    draft.jobs.update(error=said)
    assert said not in browser.get(url(draft)).content.decode()
    browser.post(reverse("set_language"), {"language": "en"})
    assert browser.post(url(draft, "import_again")).status_code == 302
    work(draft)
    assert len(nudged) == 2
    assert "Import 2 responses and 2 scores" in browser.get(url(draft)).content.decode()


def test_why_an_import_failed_is_said_in_the_language_of_each_reader(browser, lead, draft):
    checked(browser, draft)
    draft.project.memberships.filter(pk=lead.pk).update(external_id="ann@example.org")
    store(browser, draft)
    work(draft)
    assert draft.jobs.latest("pk").state == "failed"
    english = "ann@example.org&#x27; takes part in this project, but not as an annotator."
    assert english in browser.get(url(draft)).content.decode()
    browser.post(reverse("set_language"), {"language": "zh-hans"})
    page = browser.get(url(draft)).content.decode()
    assert "“ann@example.org”参与此项目，但不是评分员。" in page
    assert english not in page


def test_an_undo_that_failed_half_way_goes_on(browser, draft, nudged):
    checked(browser, draft)
    store(browser, draft)
    work(draft)
    browser.post(url(draft, "import_undo"))
    draft.jobs.filter(action="undo").update(state="failed", finished_at=NOW, error="The disk is full.")
    Import.objects.filter(pk=draft.pk).update(state=Import.State.UNDOING)
    assert "The import could not be undone" in browser.get(url(draft)).content.decode()
    assert browser.post(url(draft, "import_again")).status_code == 302
    work(draft)
    assert draft.state == Import.State.UNDONE


@pytest.fixture
def stored(browser, draft):
    checked(browser, draft)
    store(browser, draft)
    work(draft)
    return draft


def test_an_import_is_undone_after_a_page_with_the_numbers(browser, stored):
    page = browser.get(url(stored, "import_undo")).content.decode()
    assert "2 responses" in page
    assert "2 scores" in page
    assert "1 prompt" in page
    assert browser.post(url(stored, "import_undo")).status_code == 302
    work(stored)
    assert stored.state == Import.State.UNDONE
    assert Response.objects.count() == Score.objects.count() == 0
    assert "This import was undone" in browser.get(url(stored)).content.decode()


def test_what_others_build_on_is_not_undone(browser, stored, project):
    make_round(project)
    page = browser.get(url(stored, "import_undo")).content.decode()
    assert "can no longer be undone" in page
    assert "are part of a round" in page
    refused = browser.post(url(stored, "import_undo"))
    assert refused.status_code == 409
    assert "are part of a round" in refused.content.decode()
    assert Response.objects.count() == 2


def test_a_draft_is_discarded_with_its_files(
    browser, draft, project, settings, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        response = browser.post(url(draft, "import_discard"))
    assert response["Location"] == listing(project)
    assert not Import.objects.exists()
    assert [path for path in settings.IMPORTS_DIR.rglob("*") if path.is_file()] == []


def test_what_is_stored_is_neither_discarded_nor_mapped_anew(browser, stored):
    for name in ("import_discard", "import_store"):
        assert browser.post(url(stored, name)).status_code == 409
    assert browser.post(
        url(stored), {"then": "look", "scores_in": "none", "unknown_genres": "add"}
    ).status_code in (409, 422)
    stored.refresh_from_db()
    assert stored.state == Import.State.STORED


def test_while_one_import_is_worked_on_another_waits(browser, project, draft):
    browser.post(url(draft), {**mapping_of(browser, draft), "then": "check"})
    send(browser, project, TEXTS, name="more.csv")
    other = Import.objects.latest("pk")
    refused = browser.post(url(other), {**mapping_of(browser, other), "then": "check"})
    assert refused.status_code == 409
    assert "Wait until it is done." in refused.content.decode()


# --- Who may ---------------------------------------------------------------------------------------

ADDRESSES = (
    "import",
    "import_shape",
    "import_store",
    "import_again",
    "import_undo",
    "import_discard",
    "import_keep",
)


@pytest.fixture
def addresses(draft):
    kept = imports.keep_field_map(draft, name="ours", by=None, now=NOW)
    return [
        listing(draft.project),
        *(url(draft, name) for name in ADDRESSES),
        url(draft, "import_saved", kept.pk),
    ]


@pytest.mark.parametrize(("role", "status"), [("annotator", 403), ("instructor", 403), ("adjudicator", 403)])
def test_other_members_are_told_that_this_is_for_leads(addresses, browser_of, project, role, status):
    other = browser_of(make_member(project, role))
    for address in addresses:
        assert other.get(address).status_code == other.post(address).status_code == status, address


def test_for_strangers_and_leads_of_other_projects_it_does_not_exist(addresses, browser_of, stranger, client):
    elsewhere = make_member(make_project("elsewhere"), "lead")
    for person in (stranger, elsewhere):
        for address in addresses:
            assert browser_of(person).get(address).status_code == 404
            assert browser_of(person).post(address).status_code == 404
    for address in addresses:
        assert client.get(address).status_code == 302


def test_an_import_of_another_project_does_not_exist_under_ones_own(browser, lead, project, draft):
    elsewhere = make_project("elsewhere")
    theirs = make_import(elsewhere, state=Import.State.DRAFT)
    their_map = SavedFieldMap.objects.create(
        project=elsewhere, name="x", layout="generic", field_map=draft.field_map, created_at=NOW
    )
    for name in ADDRESSES:
        address = reverse(name, args=[project.slug, theirs.pk])
        assert browser.get(address).status_code == browser.post(address).status_code == 404
    assert browser.post(url(draft, "import_saved", their_map.pk), {"then": "forget"}).status_code == 404
    assert SavedFieldMap.objects.filter(pk=their_map.pk).exists()


def test_an_address_that_only_takes_forms_leads_back_to_the_page(browser, draft):
    for name in (
        "import_shape",
        "import_store",
        "import_again",
        "import_discard",
        "import_keep",
        "import_undo",
    ):
        assert browser.get(url(draft, name))["Location"] == url(draft)
    assert Import.objects.exists()
