"""What the page of a draft shows beside its rows: what was imported before, what is kept, which check holds."""

from annotation.models import Import, ImportJob, SavedFieldMap


def saved_field_maps(found: Import) -> list[SavedFieldMap]:
    """The mappings kept for files of this layout."""
    return list(found.project.field_maps.filter(layout=found.layout).order_by("name"))


def imported_before(draft: Import) -> Import | None:
    """The newest stored import of the project that has a file of the same content."""
    own = {file["sha256"] for file in draft.files}
    stored = draft.project.imports.filter(state=Import.State.STORED).exclude(pk=draft.pk)
    return next(
        (one for one in stored.order_by("-pk") if own & {file["sha256"] for file in one.files}),
        None,
    )


def holding_check(found: Import) -> ImportJob | None:
    """The newest check whose report still holds: a change to how the files are read takes it away."""
    return found.jobs.filter(action=ImportJob.Action.CHECK, report__isnull=False).order_by("-pk").first()
