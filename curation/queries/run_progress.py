"""How far a run is that has not ended."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from curation.models import Run, Shard


@dataclass(frozen=True, slots=True)
class Progress:
    """What goes on, in words; of the shards `done` are decided, and `total` is 0 where there are none to count."""

    stage: str
    done: int = 0
    total: int = 0


def progress(run: Run) -> Progress | None:
    """None where the run has ended. One query where it has shards."""
    if run.state not in (Run.State.QUEUED, Run.State.RUNNING):
        return None
    if run.state == Run.State.QUEUED:
        return Progress(_("The run waits for a worker."))
    if run.snapshot_id is None:
        return Progress(_("A worker reads the judgements."))
    if run.merging_since is not None:
        return Progress(
            _("All parts are decided. A worker weighs the pairs of all prompts against each other.")
        )
    states = list(Shard.objects.filter(run=run).values_list("state", flat=True))
    stage = _("Workers decide the candidates, one part of the prompts after the other.")
    return Progress(stage, states.count(Shard.State.DONE), len(states) if len(states) > 1 else 0)
