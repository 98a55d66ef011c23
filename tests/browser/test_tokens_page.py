"""A person's tokens in a real browser: sound in every look, copied by its button, and gone from the page for good."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import ApiToken
from annotation.services import tokens
from tests.browser.axe import axe
from tests.browser.looks import LOOKS, in_looks


@pytest.fixture
def world(project, lead):
    """Tokens that live, are limited, have expired and are revoked."""
    now = timezone.now()
    person = lead.user
    tokens.create(person, name="Notebook of the paper", days=90, now=now)
    tokens.create(
        person,
        name="nightly-export-with-a-rather-long-name-that-somebody-thought-was-a-good-idea-to-give-to-a-token",
        days=None,
        scopes=["read"],
        project=project,
        now=now,
    )
    tokens.create(person, name="Old", days=1, now=now - timedelta(days=2))
    tokens.create(person, name="Lost", days=9, now=now)
    gone = ApiToken.objects.get(name="Lost")
    tokens.note_use(gone, now=now)
    tokens.revoke(gone, by=person, now=now)
    tokens.note_use(ApiToken.objects.get(name="Notebook of the paper"), now=now)


def assert_sound(page, what):
    assert axe(page) == [], what
    wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wider <= 0, f"{what} is {wider} px wider than the window"


@in_looks(LOOKS)
def test_every_state_of_the_page_is_sound(look, world, lead, page_of, complaints):
    complaints.allow("status of 422")
    page_of(lead)
    look.goto(reverse("tokens"))
    for summary in look.locator("#tokens summary").all():
        summary.click()
    assert_sound(look, "the list")
    look.locator("#token_name").fill("")
    look.locator("#token_days").fill("0")
    look.locator(".button.primary").click()
    look.locator(".summary").wait_for()
    assert_sound(look, "a refused token")
    look.locator("#token_name").fill("Script")
    look.locator("#token_days").fill("30")
    look.locator(".button.primary").click()
    look.locator("#report").wait_for()
    assert_sound(look, "a new token")


def test_a_token_is_made_copied_and_shown_no_second_time(page, context, lead, page_of):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page_of(lead)
    page.goto(reverse("tokens"))
    page.locator("#token_name").fill("Notebook")
    page.get_by_label("Change data").check()
    page.get_by_role("button", name="Make the token").click()
    page.locator("#report").wait_for()
    made = page.locator("#made-token").input_value()
    page.locator("[data-copy]").click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == made
    stored = ApiToken.objects.get()
    assert (stored.name, stored.scopes) == ("Notebook", "read write")
    page.goto(reverse("tokens"))
    assert made not in page.content()
    page.locator("#tokens summary").click()
    page.get_by_role("button", name="Revoke the token").click()
    page.locator(".notice").wait_for()
    stored.refresh_from_db()
    assert stored.revoked_at is not None
