"""The demo project's workbench: open rounds of rankings, votes and pairs beside that of scores, and cases to decide.

A few answers of the simulated annotators are there; the rest is left for whoever signs in. None of it makes a pair,
which scores alone do.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from annotation import access
from annotation.domain import rankings as letters_of
from annotation.domain import shipped
from annotation.domain.prompt_selection import Filters
from annotation.domain.shipped_workbench import GivenChoice, workbench
from annotation.domain.splits import Thresholds
from annotation.models import (
    Assigning,
    Assignment,
    Lease,
    Membership,
    Preference,
    Project,
    Response,
    Round,
    User,
)
from annotation.queries import preferences as sides_of
from annotation.queries import rankings as texts_of
from annotation.queries import rounds as round_queries
from annotation.services import (
    adjudication,
    category_votes,
    demo,
    leases,
    pair_rounds,
    preferences,
    rankings,
    rounds,
)

OPENED = timedelta(days=2)  # before now
PACE = timedelta(minutes=6)  # from one answer to the next
SEATS = 3
SEED = "demo"

People = Mapping[str, Membership]


@transaction.atomic
def load(project: Project, *, now: datetime) -> bool:
    """Whether the rounds are there. A second call changes nothing.

    They are made where the project is as it ships: with its texts and no others, its annotators at work, somebody
    who leads it, and the names free.
    """
    if project.rounds.filter(name__in=workbench().names).exists():
        return True
    lead = access.active_leads(project).order_by("pk").first()
    people = {member.user.username: member for member in round_queries.annotators(project)}
    if lead is None or not _is_as_shipped(project, people):
        return False
    at = now - OPENED
    demo.enrol(project, workbench().adjudicator, role=Membership.Role.ADJUDICATOR, now=at)
    _rank(project, people, by=lead.user, at=at)
    voted = _vote(project, people, by=lead.user, at=at)
    chosen = _choose(project, people, by=lead.user, at=at)
    for work in (voted, chosen):
        adjudication.send(work, Thresholds(), by=lead.user, now=now)
    return True


def _is_as_shipped(project: Project, people: People) -> bool:
    texts = {row.id for row in shipped.demo_responses()}
    active = project.responses.filter(state=Response.State.ACTIVE)
    return (
        set(active.values_list("external_id", flat=True)) == texts
        and {each.name for each in shipped.demo().annotators} <= people.keys()
        and not User.objects.filter(username=workbench().adjudicator).exists()
    )


# --- The rounds ----------------------------------------------------------------------------------


def _rank(project: Project, people: People, *, by: User, at: datetime) -> Round:
    """With a panel: each of the three ranks every prompt."""
    wanted = workbench().rankings
    work = _drafted(project, wanted.name, wanted.genres, kind=Round.Kind.RANKINGS, by=by, at=at)
    rounds.compose(work, seed=SEED, keep=False, by=by, now=at)
    rounds.open_draft(work, by=by, now=at)
    work.refresh_from_db()
    for number, given in enumerate(wanted.given, start=1):
        done = at + PACE * number
        lease = _taken(work, people[given.annotator], Q(prompt__external_id=given.prompt), at=done - PACE)
        texts = texts_of.texts_of(lease, None)
        names = letters_of.letters(len(texts))
        letter = {text.external_id: name for text, name in zip(texts, names, strict=True)}
        tiers = [[letter[text] for text in tier] for tier in given.tiers]
        rankings.submit(lease, tiers=tiers, justification=given.why, now=done)
    return work


def _vote(project: Project, people: People, *, by: User, at: datetime) -> Round:
    wanted = workbench().votes
    work = _drafted(project, wanted.name, wanted.genres, kind=Round.Kind.CATEGORIES, by=by, at=at)
    rounds.open_draft(work, by=by, now=at)
    work.refresh_from_db()
    for number, given in enumerate(wanted.given, start=1):
        done = at + PACE * number
        lease = _taken(work, people[given.annotator], Q(prompt__external_id=given.prompt), at=done - PACE)
        category_votes.submit(lease, category=given.category, justification=given.why, now=done)
    return work


def _choose(project: Project, people: People, *, by: User, at: datetime) -> Round:
    wanted = workbench().pairs
    work = pair_rounds.study(
        project,
        wanted.name,
        filters=Filters(genres=wanted.genres),
        sample=wanted.sample,
        seed=wanted.seed,
        annotators=SEATS,
        ties_allowed=True,
        by=by,
        now=at,
    )
    rounds.open_draft(work, by=by, now=at)
    work.refresh_from_db()
    for number, given in enumerate(wanted.given, start=1):
        done = at + PACE * number
        pair = Q(response__external_id__in=given.pair, other__external_id__in=given.pair)
        lease = _taken(work, people[given.annotator], pair, at=done - PACE)
        preferences.submit(lease, preferred=_side(lease, given), justification=given.why, now=done)
    return work


def _side(lease: Lease, given: GivenChoice) -> str:
    """As the annotator has the two before them."""
    if not given.better:
        return Preference.Preferred.TIE
    first, _second = sides_of.sides(lease)
    return Preference.Preferred.A if first.external_id == given.better else Preference.Preferred.B


def _drafted(
    project: Project, name: str, genres: tuple[str, ...], *, kind: str, by: User, at: datetime
) -> Round:
    work = rounds.draft(
        project, name, purpose=Round.Purpose.LIVE, kind=kind, filters=Filters(genres=genres), by=by, now=at
    )
    rounds.change(
        work,
        name=name,
        purpose=Round.Purpose.LIVE,
        annotators_per_response=SEATS,
        assigning=Assigning.PANEL if kind == Round.Kind.RANKINGS else Assigning.POOL,
        kind=kind,
        ties_allowed=True,
        by=by,
        now=at,
    )
    work.refresh_from_db()
    return work


def _taken(work: Round, annotator: Membership, asked: Q, *, at: datetime) -> Lease:
    """The annotator's lease of what the demo has them answer, as `assignments.claim` makes it of what comes next."""
    free = work.assignments.filter(asked, Q(reserved_for=None) | Q(reserved_for=annotator))
    slot = free.filter(state=Assignment.State.OPEN).order_by("slot")[0]
    Assignment.objects.filter(pk=slot.pk).update(
        state=Assignment.State.LEASED, annotator=annotator, leased_until=at + leases.LEASE
    )
    position = annotator.leases.filter(assignment__round=work).count() + 1
    return leases.make(slot.pk, annotator, position=position, now=at)
