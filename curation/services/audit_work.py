"""An audit, carried out by a worker: texts of a run's pairs are read, measured, held against earlier releases."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Min

from annotation.models import Genre, Project
from annotation.queries.rubrics import name_of
from annotation.services import jobs
from curation.domain.audit import fingerprints, report
from curation.domain.audit.fingerprints import METHOD, Fingerprint
from curation.domain.audit.rows import PairRow
from curation.domain.charts import Chart
from curation.domain.version import VERSION
from curation.models import Audit, AuditFigure, Pair, Release, ReleasedTexts, Run
from curation.services import audit_figures, figures

Clock = Callable[[], datetime]
AT_A_TIME = 500  # pairs, with both texts
COLUMNS = (
    "pk",
    "key",
    "chosen__prompt__external_id",
    "chosen__external_id",
    "rejected__external_id",
    "chosen__text",
    "rejected__text",
    "chosen__prompt__text",
    "chosen__prompt__genre__key",
    "chosen__prompt__language",
    "chosen__source_model",
    "rejected__source_model",
)
# How much of the work is done when the pairs were read once, and a second time.
READ_ONCE, READ_TWICE = 60, 85


def execute(pk: int, *, clock: Clock) -> None:
    """Carry out the audit if it is to be had; otherwise somebody else does, or has done."""
    audit = jobs.claim(Audit, pk, now=clock())
    if audit is None:
        return
    with jobs.outcome(audit, clock=clock), jobs.heartbeat(audit, clock=clock):
        result = _result(audit)
        drawn = _drawn(audit, result)
        with transaction.atomic():
            jobs.finish(audit, now=clock(), code_version=VERSION, percent_done=100, result=result)
            AuditFigure.objects.filter(audit=audit).delete()
            AuditFigure.objects.bulk_create(drawn)


def _result(audit: Audit) -> dict[str, object]:
    earlier = _Earlier(audit.run)
    found = report.audit(_Rows(audit), earlier=earlier.fingerprints())
    return {
        **found.as_dict(),
        "releases": [
            {"pk": release.pk, "name": release.name, "version": release.version}
            for release in earlier.releases
        ],
        "again": len(earlier.again),
        "ratings": _ratings(audit.run),
    }


class _Rows:
    """The pairs of a run as the audit takes them, read from the database anew each time, a part at a time.

    Parts, because a cursor that stays open would hold the state of the database that it began with.
    """

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._total = max(1, audit.run.pairs.count())
        self._noted = 0
        self._times = 0

    def __iter__(self) -> Iterator[PairRow]:
        begun, ended = (0, READ_ONCE) if self._times == 0 else (READ_ONCE, READ_TWICE)
        self._times += 1
        read = 0
        for part in _parts(self._audit.run):
            for _pk, *columns in part:
                yield _row(*columns)
            read += len(part)
            self._note(begun + (ended - begun) * read // self._total)

    def _note(self, percent: int) -> None:
        if percent > self._noted:
            self._noted = percent
            jobs.note(self._audit, percent_done=percent)


def _parts(run: Run, columns: tuple[str, ...] = COLUMNS) -> Iterator[list[tuple]]:
    """Columns of the pairs, the first of them the key by which the next part is found."""
    last = 0
    pairs = Pair.objects.filter(run=run).order_by("pk").values_list(*columns)
    while part := list(pairs.filter(pk__gt=last)[:AT_A_TIME]):
        yield part
        last = part[-1][0]


def _row(
    key: str,
    prompt_id: str,
    chosen: str,
    rejected: str,
    chosen_text: str,
    rejected_text: str,
    prompt: str,
    genre: str | None,
    language: str,
    chosen_model: str,
    rejected_model: str,
) -> PairRow:
    return PairRow(
        id=key,
        prompt_id=prompt_id,
        chosen=chosen,
        rejected=rejected,
        chosen_text=chosen_text,
        rejected_text=rejected_text,
        prompt=prompt,
        genre=genre or "",
        language=language,
        chosen_model=chosen_model,
        rejected_model=rejected_model,
    )


def _ratings(run: Run) -> dict[str, int]:
    """By how many common annotators the pairs were decided, at least; and how many by fewer than the project asks."""
    asked = run.project.annotators_per_response
    return {
        "asked": asked,
        "fewest": run.pairs.aggregate(k=Min("k"))["k"] or 0,
        "below": run.pairs.filter(k__lt=asked).count(),
    }


# --- earlier releases ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Earlier:
    """The texts of every frozen release of the installation that was not made of this run.

    A response that stands in an earlier release of its own project is the same response, no copy of one: it is told
    apart by its id, and counted in `again`.
    """

    run: Run
    releases: tuple[Release, ...]
    again: set[str]

    def __init__(self, run: Run) -> None:
        frozen = Release.objects.filter(state=Release.State.DONE).exclude(run=run)
        self.run, self.again = run, set()
        self.releases = tuple(frozen.select_related("run").order_by("pk"))

    def fingerprints(self) -> Iterator[Fingerprint]:
        own = self._own_names() if self.releases else set()
        for release in self.releases:
            is_own = release.project_id == self.run.project_id
            for text in _texts_of(release):
                if is_own and text.response in own:
                    self.again.add(text.response)
                else:
                    yield text

    def _own_names(self) -> set[str]:
        columns = ("pk", "chosen__external_id", "rejected__external_id")
        return {name for part in _parts(self.run, columns) for _pk, *names in part for name in names}


def _texts_of(release: Release) -> Iterator[Fingerprint]:
    """From what is kept of them; kept now where nothing is, or where sketches are made in another way by now."""
    label = f"{release.name} {release.version}"
    kept = ReleasedTexts.objects.filter(release=release, method=METHOD).first()
    if kept is None:
        content = fingerprints.to_bytes(fingerprints.of_texts(label, _released(release.run)))
        kept, _made = ReleasedTexts.objects.update_or_create(
            release=release, defaults={"method": METHOD, "content": content}
        )
    return fingerprints.from_bytes(label, bytes(kept.content))


def _released(run: Run) -> Iterator[tuple[str, str]]:
    """Responses of the run's pairs with their texts, which the database keeps as they were released."""
    columns = ("pk", "chosen__external_id", "rejected__external_id", "chosen__text", "rejected__text")
    seen: set[str] = set()
    for part in _parts(run, columns):
        for _pk, chosen, rejected, chosen_text, rejected_text in part:
            for name, text in ((chosen, chosen_text), (rejected, rejected_text)):
                if name not in seen:
                    seen.add(name)
                    yield name, text


# --- figures ---------------------------------------------------------------------------------------------


def _drawn(audit: Audit, result: dict[str, object]) -> list[AuditFigure]:
    def charts_in(language: str) -> Sequence[Chart]:
        return audit_figures.all_charts(result, _genres(audit.run.project, language))

    return [AuditFigure(audit=audit, **row) for row in figures.in_every_language(charts_in)]


def _genres(project: Project, language: str) -> dict[str, str]:
    rubric_language = "zh" if language.startswith("zh") else "en"
    return {genre.key: name_of(genre, rubric_language) for genre in Genre.objects.filter(project=project)}
