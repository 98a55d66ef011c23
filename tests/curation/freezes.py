"""What tests of freezing share: what the page is sent, and the run that comes after a release."""

from datetime import timedelta

from django.urls import reverse

from annotation.models import Response
from annotation.services import triage
from tests.curation.audits import even, run_again
from tests.factories import NOW, make_prompt, make_response, make_round, score_all

LATER = NOW + timedelta(days=1)
SENT = {"act": "freeze", "name": "bridges", "version": "0.1.0", "confirm": "bridges", "licence": "cc-by-4.0"}


def address(run, name="freeze"):
    return reverse(name, args=[run.project.slug, run.pk])


def page_of(client, run, **query):
    return client.get(address(run), query).content.decode()


def send(client, run, **fields):
    return client.post(address(run), {**SENT, **fields})


def check(page, key):
    return page.split(f'id="check-{key}"')[1].split("</li>\n")[0]


def later_run(run, lead, *, flips=(), removes=(), adds=0):
    """The next run of the project: scores given anew turn pairs around, responses leave, pairs join."""
    project = run.project
    for name in removes:
        response = project.responses.get(external_id=name)
        triage.remove(response, kind="factual", reason="", by=lead.user, now=NOW)
    for number, texts in enumerate(even(adds, first=50), 50):
        prompt = make_prompt(project, f"p{number}", genre=project.genres.first())
        for side, text in zip("cr", texts, strict=True):
            make_response(prompt, f"p{number}-{side}", text)
    if flips or adds:
        standing = project.responses.filter(state=Response.State.ACTIVE).values_list("external_id", flat=True)
        wins = {name for name in standing if name.endswith("c") != (name.partition("-")[0] in flips)}
        annotators = [f"bridges-{number}" for number in range(3)]
        values = {(name, person): 3 if name in wins else 1 for name in standing for person in annotators}
        score_all(make_round(project, "Anew"), values)
    return run_again(project, now=LATER)
