"""What stands in the texts of a run's pairs that should not leave: what is personal, and what gives a source away.

Texts never change, so what was read of a run is kept in the process, and the next look goes on from there. One look
reads a bounded number, so that no page waits for a benchmark of any size; the checks say how many were read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from django.core.cache import caches
from django.db.models import Q, QuerySet

from annotation.domain.triage.findings import MAX_SCANNED, TRIAGE_VERSION, Case
from annotation.domain.triage.model_names import model_name
from annotation.domain.triage.tell_tales import self_reference
from annotation.models import Project, Response, Score, User
from curation.domain.personal_data import KINDS, People, Scan
from curation.domain.release_checks import MOST_NAMED, Texts
from curation.models import Run

AT_A_TIME = 250  # responses, with their texts
AT_A_LOOK = 3000  # responses
KEPT = 24 * 60 * 60  # seconds
MODEL, ITSELF = "model_name", "self_reference"


@dataclass(slots=True)
class Hits:
    """How many texts stood out, by kind, and the first of them by the id of their response or prompt."""

    texts: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    named: list[str] = field(default_factory=list)

    def add(self, name: str, kinds: Iterable[str]) -> None:
        found = list(kinds)
        if not found:
            return
        self.texts += 1
        self.kinds.update(found)
        if len(self.named) < MOST_NAMED and name not in self.named:
            self.named.append(name)

    def texts_of(self, reading: "Reading") -> Texts:
        return Texts(reading.read, reading.total, self.texts, tuple(self.named), dict(self.kinds))


@dataclass(slots=True)
class Reading:
    """How far the texts of a run were read, and what was found up to there."""

    total: int
    read: int = 0
    last: int = 0  # key of the last response
    prompts: set[int] = field(default_factory=set)  # those that were read
    personal: Hits = field(default_factory=Hits)
    identity: Hits = field(default_factory=Hits)


def reading(run: Run, *, names_known: bool) -> Reading:
    """With `names_known` somebody else looked for names of models in all of them."""
    people = people_of(run.project)
    cache, key = caches["process"], f"freeze-texts:{run.pk}:{names_known}:{_mark(people)}"
    found = cache.get(key)
    if found is None:
        found = Reading(responses_of(run).count())
    if found.read < found.total:
        _read_on(run, found, Scan(people), names_known=names_known)
        cache.set(key, found, timeout=KEPT)
    return found


def responses_of(run: Run) -> QuerySet[Response]:
    """Those of the run's pairs."""
    return Response.objects.filter(project=run.project_id).filter(
        Q(pk__in=run.pairs.values("chosen")) | Q(pk__in=run.pairs.values("rejected"))
    )


def people_of(project: Project) -> People:
    """Everybody who takes part in the project, or did. Accounts that stand for annotators of a file bear no names."""
    rows = list(
        User.objects.filter(memberships__project=project, memberships__external_id="")
        .distinct()
        .order_by("pk")
        .values_list("email", "username", "first_name", "last_name")
    )
    return People(
        emails=tuple(email for email, *_rest in rows if email),
        usernames=tuple(username for _email, username, *_rest in rows),
        full=tuple((first, last) for *_rest, first, last in rows),
    )


def _mark(people: People) -> str:
    told = repr((TRIAGE_VERSION, KINDS, people.emails, people.usernames, people.full))
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _read_on(run: Run, found: Reading, scan: Scan, *, names_known: bool) -> None:
    for part in _parts(run, found):
        notes = _notes([response.pk for response in part])
        for response in part:
            if response.prompt_id not in found.prompts:
                found.prompts.add(response.prompt_id)
                found.personal.add(response.prompt.external_id, scan.kinds(response.prompt.text))
            kinds = {
                kind for text in (response.text, *notes.get(response.pk, ())) for kind in scan.kinds(text)
            }
            found.personal.add(response.external_id, sorted(kinds))
            found.identity.add(response.external_id, _tells(response, names_known=names_known))
        found.read += len(part)
        found.last = part[-1].pk


def _parts(run: Run, found: Reading) -> Iterator[list[Response]]:
    """The next texts, a part at a time: a cursor that stays open would hold the state that it began with."""
    rows = (
        responses_of(run)
        .select_related("prompt")
        .only("external_id", "text", "source_model", "prompt__external_id", "prompt__text")
        .order_by("pk")
    )
    for _turn in range(AT_A_LOOK // AT_A_TIME):
        part = list(rows.filter(pk__gt=found.last)[:AT_A_TIME])
        if not part:
            return
        yield part


def _notes(responses: list[int]) -> dict[int, list[str]]:
    """What annotators wrote of the responses."""
    found: dict[int, list[str]] = {}
    rows = Score.objects.filter(response__in=responses).exclude(justification="")
    for response, note in rows.values_list("response", "justification"):
        found.setdefault(response, []).append(note)
    return found


def _tells(response: Response, *, names_known: bool) -> Iterator[str]:
    case = Case(
        response.text[:MAX_SCANNED], response.prompt.text[:MAX_SCANNED], "", "", "", response.source_model
    )
    if not names_known and model_name(case):
        yield MODEL
    if self_reference(case):
        yield ITSELF
