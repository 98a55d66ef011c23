"""From an empty installation to an open round, by keyboard alone, with a real worker."""

import json

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from annotation.models import Round, User
from tests.browser.keyboard import enter, heading, press, tab_to, write
from tests.factories import PASSWORD, make_user
from tests.workers import running_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]


@pytest.fixture
def operator(transactional_db, settings, tmp_path) -> User:
    settings.IMPORTS_DIR = tmp_path / "imports"
    for name in ("ann", "ben", "cat"):
        make_user(name)
    call_command("create_operator", "olga")
    user = User.objects.get(username="olga")
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    return user


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.jsonl"
    rows = [
        {
            "prompt_id": f"p{prompt}",
            "prompt": f"Write about bridge number {prompt}.",
            "language": "en",
            "model": model,
            "response": f"Nobody crossed bridge {prompt} twice that winter, {model} least of all. {word * 30}",
        }
        for prompt in range(4)
        for model, word in (("alpha", "river and stone "), ("beta", "wind over water "))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_an_operator_goes_from_nothing_to_an_open_round_by_keyboard_alone(operator, texts, page, live_server):
    # The browser hands over its file dialog only once somebody listens, and takes a moment to know of it.
    page.on("filechooser", lambda chooser: None)
    with running_worker():
        page.goto("/")
        write(page, "^User name", "olga")
        write(page, "^Password", PASSWORD)
        enter(page)
        heading(page, "Your work")

        press(page, "New project")
        write(page, "^Name", "Bridges")
        tab_to(page, "^English")
        page.keyboard.press("Space")
        press(page, "Make the project")
        heading(page, "Settings")

        press(page, "^Material")
        tab_to(page, "^Files")
        with page.expect_file_chooser() as choosing:
            page.keyboard.press("Enter")
        choosing.value.set_files(texts)
        press(page, "Upload and look")
        heading(page, "The first rows")
        press(page, "Check all rows")
        heading(page, "All rows can be imported")
        press(page, "^Import 8 responses")
        heading(page, "What came in")

        for name in ("ann", "ben", "cat"):
            press(page, "^People")
            heading(page, "Annotators")
            page.get_by_role("heading", name="Add somebody who has an account").scroll_into_view_if_needed()
            tab_to(page, "Make the account")
            write(page, "^User name", name)
            tab_to(page, "^Role")
            page.keyboard.type("Annotator")
            press(page, "^Add$")

        press(page, "^Rounds")
        press(page, "^New round$")
        write(page, "^Name", "First round")
        press(page, "Make a draft")
        heading(page, "First round")
        press(page, "[Pp]anels")
        press(page, "^Preview")
        press(page, "Take these panels")
        press(page, "Open the round")
        press(page, "Open the round")
        expect(page.get_by_text("Open", exact=True).first).to_be_visible()

    opened = Round.objects.get(name="First round")
    assert (opened.state, opened.assigning, opened.assignments.count()) == ("open", "panel", 24)
    assert set(opened.assignments.values_list("reserved_for__user__username", flat=True)) == {
        "ann",
        "ben",
        "cat",
    }
