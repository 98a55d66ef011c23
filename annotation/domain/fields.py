"""What a file may say of a response and of a score."""

from dataclasses import dataclass
from typing import Literal

from annotation.domain.sentences import Said, say

Part = Literal["response", "score"]


@dataclass(frozen=True, slots=True)
class Field:
    """Something a file may say of a response or of a score."""

    name: str
    part: Part
    title: Said
    meaning: Said


FIELDS = (
    Field(
        "response_id",
        "response",
        say("Id of the response"),
        say("Scores refer to it. Without one it is made of the prompt's id, the model and the sample"),
    ),
    Field(
        "prompt_id",
        "response",
        say("Id of the prompt"),
        say(
            "Responses with the same one answer the same prompt. Without one it is made of the prompt's text"
        ),
    ),
    Field("text", "response", say("Text of the response"), say("What annotators read and score")),
    Field("prompt", "response", say("Text of the prompt"), say("What the writer or the model was asked for")),
    Field(
        "language", "response", say("Language"), say("A tag such as en or zh, the same for a whole prompt")
    ),
    Field("genre", "response", say("Genre"), say("The key or a name of one of the project's genres")),
    Field("model", "response", say("Model"), say("Who wrote the response; annotators never see it")),
    Field("sample", "response", say("Sample"), say("Which of several responses of one model to one prompt")),
    Field("length", "response", say("Length"), say("A count that stands in place of Plumb's own")),
    Field(
        "finish_reason",
        "response",
        say("Finish reason"),
        say("Why the model stopped, such as stop or length"),
    ),
    Field("error", "response", say("Error"), say("What went wrong when the response was made")),
    Field("upvotes", "response", say("Upvotes"), say("Votes of readers where the response was published")),
    Field("posted_at", "response", say("Posted at"), say("When the response was published")),
    Field(
        "parameters", "response", say("Parameters"), say("Further facts of the response, kept as they are")
    ),
    Field("requirements", "response", say("Requirements"), say("What the prompt asks for, one by one")),
    Field(
        "kept_requirements",
        "response",
        say("Requirements kept"),
        say("The places, from 1, of the requirements that the response was made to keep"),
    ),
    Field("annotator", "score", say("Annotator"), say("Who gave the score")),
    Field("score", "score", say("Score"), say("0, 1, 2 or 3, or a value that stands for one of them")),
    Field("at", "score", say("Scored at"), say("When the score was given; of several the latest counts")),
    Field("justification", "score", say("Justification"), say("Why the annotator gave this score")),
)
NAMES = tuple(one.name for one in FIELDS)
NAMED_BY_RATERS = frozenset({"score", "annotator", "justification"})  # what the columns of raters already say
IDENTIFIERS = frozenset({"response_id", "prompt_id", "language", "genre", "model", "sample", "annotator"})
MOMENTS = frozenset({"at", "posted_at"})
NOTES = frozenset({"finish_reason", "error"})
NESTED = frozenset({"requirements", "kept_requirements"})
