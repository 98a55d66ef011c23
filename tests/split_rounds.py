"""Rounds on whose texts annotators were split, as an adjudicator is sent them."""

from collections.abc import Sequence

from annotation.domain.splits import Thresholds
from annotation.models import Membership, Project, Prompt, Round
from annotation.queries import preferences as queries
from annotation.services import adjudication, category_votes, preferences
from tests.factories import NOW, make_prompt, make_response, make_round, score_all
from tests.rounds_of_votes import hand_out, make_category_round, make_pair_round

DEFAULTS = Thresholds()


def send(work: Round, thresholds: Thresholds = DEFAULTS) -> int:
    return adjudication.send(work, thresholds, by=None, now=NOW)


def _prompt(project: Project, **columns: object) -> Prompt:
    """p1, p2, …"""
    return make_prompt(project, f"p{project.prompts.count() + 1}", **columns)


def scored(project: Project, text: str = "", **values: tuple[int, ...]) -> Round:
    """A round in which ann, bob and cem scored responses to one prompt: scores by response."""
    prompt = _prompt(project, genre=project.genres.first())
    for name in values:
        make_response(prompt, name, text and f"{name}. {text}")
    work = make_round(project)
    names = ("ann", "bob", "cem")
    given = {
        (name, one): score
        for name, scores in values.items()
        for one, score in zip(names, scores, strict=True)
    }
    score_all(work, given)
    return work


def voted(project: Project, voters: Sequence[Membership], categories: Sequence[str]) -> Round:
    work = make_category_round(project, [_prompt(project)])
    for member, category in zip(voters, categories, strict=True):
        category_votes.submit(
            hand_out(member, work), category=category, justification=f"Says {category}.", now=NOW
        )
    return work


def compared(
    project: Project, voters: Sequence[Membership], better: Sequence[str], text: str = "", **columns: object
) -> Round:
    """A round in which each voter held the response of that id to be better."""
    prompt = _prompt(project)
    pair = tuple(make_response(prompt, name, text and f"{name}. {text}") for name in ("r1", "r2"))
    work = make_pair_round(project, [pair], **columns)
    for member, name in zip(voters, better, strict=True):
        lease = hand_out(member, work)
        first = queries.sides(lease)[0].external_id
        side = "tie" if name == "tie" else "a" if name == first else "b"
        preferences.submit(lease, preferred=side, justification=f"For {name}.", now=NOW)
    return work
