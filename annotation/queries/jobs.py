"""What became of a job, for whoever reads it."""

from django.utils.translation import gettext as _

from annotation.domain.sentences import Said, from_text
from annotation.models import Job


def error_of(job: Job) -> str:
    """Why the job failed, in the reader's language as far as the sentence is known; "" where it did not."""
    sentence = from_text(job.error)
    if isinstance(sentence, Said):
        return _(sentence.template).format(**sentence.values)
    return _(sentence) if sentence else ""
