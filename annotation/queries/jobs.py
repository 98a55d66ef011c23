"""What became of a job, for whoever reads it."""

from django.utils.translation import gettext as _

from annotation.domain.sentences import Said, from_text
from annotation.models import Job


def error_of(job: Job) -> str:
    """Why the job failed; "" where it did not."""
    return kept_sentence(job.error)


def kept_sentence(kept: str) -> str:
    """What a column keeps of a sentence, in the reader's language as far as it is known; "" where it keeps none."""
    sentence = from_text(kept)
    if isinstance(sentence, Said):
        return _(sentence.template).format(**sentence.values)
    return _(sentence) if sentence else ""
