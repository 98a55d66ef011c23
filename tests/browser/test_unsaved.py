"""What was chosen and not stored: asked about before it is lost, never on its way to the server."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import SavedFieldMap
from annotation.services import imports, imports_run
from tests.factories import NOW

pytestmark = pytest.mark.django_db(transaction=True)

RATINGS = "item_id,text,annotator,style,plot\n" + "".join(
    f"t{n},The bridge was long and nobody crossed it twice.,ann,{n % 4},{(n + 1) % 4}\n" for n in range(8)
)


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"


def draft(project, content=RATINGS):
    return imports.upload(project, [("texts.csv", [content.encode()])], by=None, now=NOW)


@pytest.fixture
def asked(page: Page) -> list[str]:
    """The questions that the browser put before leaving; each is answered by leaving."""
    heard: list[str] = []

    def leave(dialog):
        heard.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    return heard


def test_a_changed_mapping_is_asked_about_and_an_unchanged_or_sent_one_is_not(page_of, lead, project, asked):
    found = draft(project)
    address = reverse("import", args=[project.slug, found.pk])
    page = page_of(lead)
    page.goto(address)
    page.get_by_role("heading", name="What this is").click()
    page.goto(reverse("imports", args=[project.slug]))
    assert asked == []
    page.goto(address)
    page.get_by_role("radio", name="plot").check()
    page.get_by_role("button", name="Show the first rows again").click()
    expect(page.get_by_text("“plot” is chosen")).to_be_visible()
    assert asked == []
    page.get_by_role("radio", name="style").check()
    page.goto(reverse("imports", args=[project.slug]))
    assert asked == ["beforeunload"]


def test_enter_in_the_name_keeps_the_mapping_on_the_screen(page_of, lead, project, asked):
    found = draft(project)
    page = page_of(lead)
    page.goto(reverse("import", args=[project.slug, found.pk]))
    page.locator("#id_score").select_option('"plot"')
    expect(page.get_by_label("None of these: the one chosen below")).to_be_checked()
    page.get_by_label("Keep the present one under the name").fill("ours")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Apply ours")).to_be_visible()
    assert SavedFieldMap.objects.get().field_map["fields"]["score"]["columns"] == ["plot"]
    assert not found.jobs.exists()
    assert asked == []


def test_whoever_stays_may_send_the_other_form_later(page_of, lead, project, page):
    found = draft(project)
    page = page_of(lead)
    page.goto(reverse("import", args=[project.slug, found.pk]))
    page.get_by_role("radio", name="plot").check()
    page.once("dialog", lambda dialog: dialog.dismiss())
    discard = page.get_by_role("button", name="Discard this draft and its files")
    discard.click()
    expect(discard).not_to_have_attribute("aria-disabled", "true")
    page.once("dialog", lambda dialog: dialog.accept())
    discard.click()
    expect(page.get_by_role("heading", name="Import files")).to_be_visible()


@pytest.mark.parametrize("name", ["rubric_edit", "project_settings"])
def test_rubric_and_settings_ask_too(page_of, lead, project, asked, name):
    page = page_of(lead)
    page.goto(reverse(name, args=[project.slug]))
    page.get_by_role("heading", level=1).click()
    page.reload()
    assert asked == []
    page.locator("form[data-guard] :is(textarea, input:not([type]), input[type=text])").locator(
        "visible=true"
    ).first.press_sequentially("x")
    page.goto(reverse("imports", args=[project.slug]))
    assert asked == ["beforeunload"]


def test_on_a_phone_no_reason_is_cut(page_of, lead, project):
    rows = "response_id,prompt_id,prompt,text,annotator,score\n"
    found = draft(project, rows + "r1,p1,Write.,A bridge.,ann,1\nr2,p1,Write.,A bridge,ann,7\n")
    job = imports.request(found, "check", by=None, now=NOW)
    imports_run.execute(job.pk, clock=lambda: NOW)
    page = page_of(lead)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(reverse("import", args=[project.slug, found.pk]))
    table = page.get_by_role("region", name="What would be refused, and why")
    expect(table).to_be_visible()
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
