"""No page on which a project is set up breaks a rule of axe or scrolls sideways, whatever its state."""

import pytest
from django.urls import reverse

from annotation.domain.sentences import say
from annotation.models import Flag, Round
from annotation.services import accounts, assignments, imports, imports_run, rounds
from tests.browser.axe import axe
from tests.browser.looks import OPPOSITE_LOOKS, in_looks
from tests.factories import NOW, make_member, make_prompt, make_response, make_round

TEXT = (
    '{"prompt_id": "p%d", "prompt": "Write about a bridge.", "model": "m-1", "language": "en", '
    '"response": "The river forgot its bridge, and the town forgot the river a year later."}\n'
)


@pytest.fixture
def world(project, lead, annotator, settings, tmp_path):
    """A project with imports in every state, flags, drafts and open rounds."""
    settings.IMPORTS_DIR = tmp_path / "imports"
    for name in ("ben", "cat"):
        make_member(project, "annotator", name)
    prompt = make_prompt(project, "bridge", genre=project.genres.first())
    for _ in range(3):
        response = make_response(prompt)
        Flag.objects.create(
            project=project,
            response=response,
            check_key="tell_tale.self_reference",
            rules_version=1,
            detail=say(
                "the text says '{evidence}' at character {place}", evidence="As an AI", place=1
            ).as_dict(),
            raised_at=NOW,
        )
    drafts = {
        name: imports.upload(project, [(f"{name}.jsonl", [content.encode()])], by=lead.user, now=NOW)
        for name, content in (("draft", TEXT % 1), ("refused", TEXT % 2 + bad()), ("stored", TEXT % 3))
    }
    for name, action in (("refused", "check"), ("stored", "store")):
        job = imports.request(drafts[name], action, by=lead.user, now=NOW)
        imports_run.execute(job.pk, clock=lambda: NOW)
    opened = make_round(project)
    draft = Round.objects.create(
        project=project, name="Second round", rubric=opened.rubric, assigning="panel", created_at=NOW
    )
    draft.prompts.set(project.prompts.all())
    return {"drafts": drafts, "opened": opened, "draft": draft, "response": response}


def bad() -> str:
    return (TEXT % 4).replace('"The river', 'true, "x": "The river')


def pages(project, world) -> list[str]:
    of_project = [
        "project",
        "project_settings",
        "genres",
        "rubric",
        "rubric_edit",
        "guideline",
        "imports",
        "triage",
        "triage_counts",
        "rounds",
        "new_round",
        "people",
        "journal",
    ]
    paths = [reverse(name, args=[project.slug]) for name in of_project]
    paths += [reverse("import", args=[project.slug, found.pk]) for found in world["drafts"].values()]
    paths.append(reverse("import_undo", args=[project.slug, world["drafts"]["stored"].pk]))
    for name in ("project_round", "panels", "compose_panels", "open_round", "round_prompts", "delete_round"):
        paths.append(reverse(name, args=[project.slug, world["draft"].pk]))
    paths += [
        reverse(name, args=[project.slug, world["opened"].pk]) for name in ("project_round", "lock_round")
    ]
    paths.append(reverse("person", args=[project.slug, project.memberships.get(role="lead").user_id]))
    paths.append(reverse("rubric_version", args=[project.slug, 1]))
    return paths


def assert_sound(look, path: str) -> None:
    answer = look.goto(path)
    assert answer.status == 200, path
    assert axe(look) == [], path
    wider = look.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wider <= 0, f"{path} is {wider} px wider than the window"


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_of_a_projects_set_up(look, world, project, page_of, lead):
    page_of(lead)
    for path in pages(project, world):
        assert_sound(look, path)


@in_looks(OPPOSITE_LOOKS)
def test_the_pages_that_others_meet(look, world, project, page_of, annotator):
    page_of(accounts.make_operator("olga", password="", now=NOW).user)
    for path in ("/", "/projects/new/"):
        assert_sound(look, path)
    lease = assignments.claim(annotator, world["opened"], now=NOW)
    page_of(annotator)
    assert_sound(look, reverse("flag", args=[lease.token]))
    assert_sound(look, reverse("round_guideline", args=[world["opened"].token]))
    rounds.pause(world["opened"], by=None, now=NOW)
    assert_sound(look, "/")
