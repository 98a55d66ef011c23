"""No page around accounts, invitations and consent breaks a rule of axe or scrolls sideways, whatever its state."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import User
from annotation.services import consent, invitations, membership
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.factories import PASSWORD, make_member, make_user

LINES = """mei.lin@example.org, Mei Lin, zh en
tom.with.a.rather.long.address.indeed@a-university-with-a-long-name.example.org
nobody
mei.lin@example.org"""


@pytest.fixture
def world(project, lead, annotator):
    """Invitations in every state, and two versions of the text of consent."""
    now = timezone.now()
    consent.add_shipped(project, by=lead.user, now=now)
    consent.agree(project, annotator.user, version=1, now=now)
    consent.save(
        project, {"en": "# Recorded\n\n- scores", "zh": "# 记录\n\n- 分数"}, based_on=1, by=lead.user, now=now
    )
    tokens = {}
    for name in ("open", "used", "declined", "expired", "known"):
        role = "instructor" if name == "known" else "annotator"
        sent = now - timedelta(days=9) if name == "expired" else now
        invited, tokens[name] = invitations.invite(
            project,
            f"{name}@example.org",
            full_name=f"Person {name}" if name != "open" else "",
            role=role,
            languages=["en", "zh"] if name == "open" else [],
            by=lead.user,
            now=sent,
        )
        if name == "used":
            invitations.accept_as_new(
                invited, username="used", password=PASSWORD, full_name="", consents_to=2, now=now
            )
        elif name == "declined":
            invitations.decline(invited, now=now)
    make_user("known", email="known@example.org")
    gone = make_member(project, "annotator", "gone")
    membership.withdraw_data(gone, reason="Asked for it.", by=lead.user, now=now)
    return {"tokens": tokens, "gone": gone}


def assert_sound(page, what):
    assert axe(page) == [], what
    wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wider <= 0, f"{what} is {wider} px wider than the window"


def seen(look, path, status=200):
    answer = look.goto(path)
    assert answer.status == status, path
    assert_sound(look, path)


@in_looks(OPPOSITE_LOOKS)
def test_what_a_guest_meets(look, world, complaints):
    complaints.allow("status of 40[49]|status of 422")
    for path in ("/sign-in/", "/sign-in/?closed", "/password/forgotten/", "/password/forgotten/sent/"):
        seen(look, path)
    seen(look, "/password/new/x-y/z/")
    seen(look, "/password/new/done/")
    seen(look, reverse("invited", args=[world["tokens"]["known"]]))
    seen(look, reverse("invited", args=[world["tokens"]["used"]]), 404)
    seen(look, reverse("invited", args=[world["tokens"]["open"]]))
    look.locator("#id_username").fill("lea")
    look.locator("#id_password").fill("short")
    look.locator("main .button.primary").click()
    look.locator("#id_password-error, #id_username-error").first.wait_for()
    assert_sound(look, "a refused acceptance")
    look.locator(".decline button").click()
    look.locator(".card.empty").wait_for()
    assert_sound(look, "declined")


@in_looks(OPPOSITE_LOOKS)
def test_what_a_lead_meets(look, world, project, lead, page_of, complaints):
    complaints.allow("status of 422")
    page_of(lead)
    for name in ("people", "invitations", "consent", "read_consent"):
        seen(look, reverse(name, args=[project.slug]))
    seen(look, reverse("person", args=[project.slug, world["gone"].user_id]))
    seen(look, reverse("person", args=[project.slug, project.memberships.get(user__username="ann").user_id]))
    look.locator(".role-end summary").last.click()
    assert_sound(look, "withdrawing data")
    look.goto(reverse("invitations", args=[project.slug]))
    look.locator(".invite-lines").fill(LINES)
    look.locator("form[aria-labelledby=many-title] .button.primary").click()
    look.locator("#report").wait_for()
    assert_sound(look, "the report of a list")
    look.goto(reverse("invitations", args=[project.slug]))
    look.locator("#id_email").fill("nobody")
    look.locator("form[aria-labelledby=one-title] .button.primary").click()
    look.locator("#id_email-error").wait_for()
    assert_sound(look, "a refused invitation")


@in_looks(OPPOSITE_LOOKS)
def test_what_everybody_meets(look, world, project, annotator, page_of, complaints):
    complaints.allow("status of 422")
    User.objects.filter(pk=annotator.user_id).update(text_size="l", text_face="sans")
    page_of(annotator)
    seen(look, "/")
    seen(look, reverse("read_consent", args=[project.slug]))
    seen(look, "/settings/")
    for summary in look.locator(".role-end summary").all():
        summary.click()
    assert_sound(look, "settings unfolded")
    look.locator("#mail_email").fill("nobody")
    look.locator("form[aria-labelledby=email-title] button").click()
    look.locator("#mail_email_error").wait_for()
    assert_sound(look, "a refused address")
    for name in ("account_change_password", "account_reauthenticate", "mfa_activate_totp"):
        seen(look, reverse(name))
