"""A recipe as a file of JSON on the pages: taken away, brought back, and refused with the place in it."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from annotation.models import JournalEntry
from curation.domain import recipe_json
from curation.domain.recipes import RECIPES, WritingPreference
from curation.models import Recipe
from curation.services import recipes, releases, runs
from tests.curation import run_samples
from tests.curation.file_releases import tree
from tests.factories import NOW, make_member
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db
SHIPPED = recipe_json.written(WritingPreference())


@pytest.fixture
def recipe(project):
    return recipes.save(project, parameters={}, by=None, now=NOW)


@pytest.fixture
def client(lead, browser_of):
    return browser_of(lead)


def url(name, *arguments):
    return reverse(name, args=["bridges", *arguments])


def upload(client, content: bytes, name: str = "mine", **more: object):
    return client.post(url("recipes"), {"name": name, "file": SimpleUploadedFile("r.json", content), **more})


def test_a_recipe_comes_as_the_json_that_its_page_shows_and_goes_back_in(project, client):
    parameters = {"rules": "gap,identical_text,quota", "min_gap": "3/2", "quota": 7, "seed": "é<"}
    made = recipes.copy(project, name="mine", parameters=parameters, by=None, now=NOW)
    page = client.get(url("recipe", made.pk)).content.decode()
    assert f'href="{url("recipe_file", made.pk)}">The recipe as JSON</a>' in page
    answer = client.get(url("recipe_file", made.pk))
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="mine-1.json"'
    assert escape(answer.content.decode()) in page
    taken = Recipe.objects.exclude(pk=made.pk)
    assert upload(client, answer.content, "yours").url == url("recipe", taken.get().pk)
    assert (taken.get().name, taken.get().version, taken.get().parameters) == ("yours", 1, made.parameters)


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_the_shipped_recipes_come_as_json_too(project, client, name):
    page = client.get(url("recipe_shipped", name)).content.decode()
    assert f'href="{url("recipe_shipped_file", name)}">The recipe as JSON</a>' in page
    answer = client.get(url("recipe_shipped_file", name))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}.json"'
    assert recipe_json.read(answer.content) == RECIPES[name]()
    assert client.get(url("recipe_shipped_file", "nothing")).status_code == 404


def test_a_file_under_a_name_of_the_project_is_its_next_version(recipe, client, lead):
    given = recipe_json.written(WritingPreference(buckets=20))
    assert upload(client, given, recipe.name).status_code == 302
    made = Recipe.objects.latest("pk")
    assert (made.name, made.version, made.parameters["buckets"]) == ("writing-preference", 2, 20)
    assert JournalEntry.objects.filter(action="recipe.saved").latest("pk").actor == lead.user
    assert upload(client, given, recipe.name).url == url("recipe", made.pk), "nothing new, so no version"
    assert Recipe.objects.count() == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Line 1 is not valid JSON (Expecting value)."),
        (b"{,", "Line 1 is not valid JSON"),
        (b"[]", "A recipe is a JSON object with name, version and rules."),
        (SHIPPED[:-9], "is not valid JSON"),
        (
            SHIPPED.replace(b'"gap"', b'"gab"'),
            "rules[4].rule: There is no rule &#x27;gab&#x27;; did you mean gap?",
        ),
        (
            SHIPPED.replace(b'"min_gap"', b'"mingap"'),
            "rules[4].parameters: There is no parameter &#x27;mingap&#x27;; did you mean min_gap?",
        ),
        (
            SHIPPED.replace(b'"min_gap": "1"', b'"min_gap": 4'),
            "rules[4].parameters.min_gap: Use a number from 0 to 3, such as 1, 1.5 or 3/2.",
        ),
        (
            SHIPPED.replace(b'"min_gap": "1"', b'"min_gap": NaN'),
            "rules: NaN and Infinity are no numbers in JSON; write a finite number.",
        ),
        (
            SHIPPED.replace(b'"min_gap": "1"', b'"min_gap": 1, "min_gap": 1'),
            "rules: The key &#x27;min_gap&#x27; occurs twice; keep one.",
        ),
        (
            SHIPPED.replace(b"plumb-1", b"<script>").replace(b'"seed"', b'"<b>"'),
            "setting &#x27;&lt;b&gt;&#x27;",
        ),
        (
            recipe_json.written(RECIPES["litbench"]()),
            "A project makes runs with recipes of scores alone; this one is litbench.",
        ),
        (SHIPPED + b" " * recipe_json.MOST, "The file is larger than a recipe can be (65536 bytes)."),
        (b" " * 2**21, "The file is larger than a recipe can be (65536 bytes)."),
    ],
)
def test_what_is_no_recipe_is_refused_at_the_file_with_its_place(project, client, content, said):
    answer = upload(client, content)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert (
        f'<p class="error" id="id_file_error">{said}' in page or said in page.split('id="id_file_error">')[1]
    )
    assert sent_by(page, "recipe-file")["name"] == ["mine"]
    assert not Recipe.objects.exists()


@pytest.mark.parametrize("name", ["", "My own", "litbench", "x" * 61])
def test_a_name_that_a_file_cannot_have_is_refused_beside_it(project, client, name):
    answer = upload(client, SHIPPED, name)
    assert answer.status_code == 422
    assert 'id="id_name_error"' in answer.content.decode()
    assert not Recipe.objects.exists()


def test_without_a_file_or_with_two_nothing_is_stored(project, client):
    for given in ({}, {"file": ""}, {"file": "text"}):
        page = client.post(url("recipes"), {"name": "mine", **given}).content.decode()
        assert 'id="id_file_error">Choose a file.' in page
    both = [SimpleUploadedFile("a.json", SHIPPED), SimpleUploadedFile("b.json", SHIPPED)]
    assert client.post(url("recipes"), {"name": "mine", "file": both}).status_code == 422
    assert not Recipe.objects.exists()


def test_a_body_beyond_any_recipe_is_refused_before_it_is_read(project, client):
    answer = upload(client, b" " * 3 * 2**20)
    assert answer.status_code == 413
    assert "1 GB" not in answer.content.decode()


def test_nothing_of_an_upload_lies_on_disk_and_strangers_bring_nothing(recipe, client, settings, tmp_path):
    settings.IMPORTS_DIR = tmp_path / "imports"
    assert upload(client, SHIPPED).status_code == 302
    assert not settings.IMPORTS_DIR.exists()
    assert upload(Client(), SHIPPED, "other").status_code == 302, "to the page where people sign in"
    annotator = Client()
    annotator.force_login(make_member(recipe.project, "annotator").user)
    assert upload(annotator, SHIPPED, "other").status_code == 403
    assert not Recipe.objects.filter(name="other").exists()


def test_a_refusal_is_said_in_the_language_of_the_page(project, client):
    client.post(reverse("set_language"), {"language": "zh-hans"})
    page = upload(client, SHIPPED.replace(b'"min_gap": "1"', b'"min_gap": 4')).content.decode()
    assert "rules[4].parameters.min_gap：请使用 0 到 3 的数" in page


def without_canary(rows):
    """The lines of a release but for the canary, by which each release knows its own."""
    return [line.rpartition(b',"canary":"')[0] for line in rows.splitlines()]


def test_what_the_manifest_of_a_release_holds_gives_the_same_pairs_byte_for_byte(
    browser_of, settings, tmp_path
):
    """Run, release, upload of what its manifest says, run and release again (judgements bear other pseudonyms)."""
    settings.RELEASES_DIR = tmp_path / "releases"
    project = run_samples.scored_project()
    client = browser_of(make_member(project, "lead"))
    folders = []
    recipe = recipes.copy(project, name="mine", parameters=run_samples.PARAMETERS, by=None, now=NOW)
    for version in ("1.0.0", "1.0.1"):
        run = runs.request(project, recipe=recipe, by=None, now=NOW)
        runs.execute(run.pk, clock=lambda: NOW)
        run.refresh_from_db()
        release = releases.request(run, name="bridges", version=version, by=None, now=NOW, reason="A test.")
        releases.execute(release.pk, clock=lambda: NOW)
        release.refresh_from_db()
        assert release.state == "done", release.error
        folders.append(tree(releases.folder(release)))
        held = json.loads(folders[-1]["manifest.json"])["recipe"]
        upload(client, json.dumps(held, indent=7).encode(), "yours")
        recipe = Recipe.objects.get(name="yours")
        assert recipe.parameters == held["parameters"]
    first, second = folders
    assert first["data/pairs/test.jsonl"]
    assert without_canary(first["data/pairs/test.jsonl"]) == without_canary(second["data/pairs/test.jsonl"])
