"""Signing in and out, and the language and theme of somebody who is not known yet."""

import pytest
from playwright.sync_api import Page, expect

from tests.factories import PASSWORD, make_prompt, make_response, make_round


@pytest.fixture
def sign_in(page: Page, annotator):
    def fill(password: str = PASSWORD) -> Page:
        page.get_by_label("User name").fill(annotator.user.username)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        return page

    return fill


def test_a_person_signs_in_and_out(page, sign_in):
    page.goto("/")
    sign_in()
    expect(page.get_by_role("heading", name="Your work")).to_be_visible()
    page.get_by_role("button", name="Account, language and theme").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_signing_in_leads_to_the_page_that_was_asked_for(page, sign_in, work_address):
    page.goto(work_address)
    sign_in()
    expect(page).to_have_url(work_address)


@pytest.fixture
def work_address(annotator, project) -> str:
    make_response(make_prompt(project))
    return f"/work/{make_round(project).token}/finished/"


def test_a_wrong_password_keeps_the_name_and_asks_again(page, sign_in, annotator):
    page.goto("/sign-in/")
    sign_in("not this one")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("User name")).to_have_value(annotator.user.username)
    expect(page.get_by_label("Password")).to_be_focused()
    expect(page.get_by_label("Password")).to_have_value("")


def test_the_language_can_be_changed_before_signing_in(page, db):
    page.goto("/sign-in/")
    page.get_by_role("button", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.get_by_role("heading", name="登录")).to_be_visible()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("width", [1440, 390, 320])
@pytest.mark.parametrize("language", ["English", "中文"])
def test_signing_in_fits_the_window(page, db, width, language):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/sign-in/")
    page.get_by_role("button", name=language).click()
    expect(page.get_by_role("button", name=language)).to_have_attribute("aria-current", "true")
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_language_and_theme_change_without_javascript(browser, live_server):
    with browser.new_context(base_url=live_server.url, java_script_enabled=False, locale="en-US") as context:
        page = context.new_page()
        page.goto("/sign-in/")
        page.get_by_role("button", name="Dark").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        page.get_by_role("button", name="中文").click()
        expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
        page.get_by_role("button", name="跟随设备").click()
        expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")


def test_a_person_without_work_is_told_so(page, page_of, stranger):
    page_of(stranger).goto("/")
    expect(page.get_by_text("Nothing is assigned to you.")).to_be_visible()
