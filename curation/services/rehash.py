"""Whether what the storage holds of every frozen release is still what was frozen: read anew, byte by byte."""

import logging
from collections.abc import Iterator
from hashlib import file_digest

from curation.models import Release, ReleaseFile
from curation.services import objects

logger = logging.getLogger(__name__)


def damaged() -> Iterator[ReleaseFile]:
    """The files that are gone or no longer what they were; each is logged as an error. A file that several releases
    share is read once."""
    seen: dict[str, bool] = {}
    frozen = ReleaseFile.objects.filter(release__state=Release.State.DONE).select_related("release")
    for file in frozen.order_by("release_id", "path"):
        if file.sha256 not in seen:
            seen[file.sha256] = _is_whole(file.sha256)
        if not seen[file.sha256]:
            release = file.release
            logger.error("%s %s: %s is not what was frozen", release.name, release.version, file.path)
            yield file


def _is_whole(sha256: str) -> bool:
    try:
        with objects.opened(sha256) as opened:
            return file_digest(opened, "sha256").hexdigest() == sha256
    except FileNotFoundError:
        return False
