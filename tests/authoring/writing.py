"""Prompts in the making, as the services would have left them."""

from annotation.models import Membership, Project
from authoring.models import AuthoredPrompt, PromptReview, PromptVersion
from authoring.services import prompts, reviews
from tests.factories import NOW

ACCEPT = {"verdict": "accept", "creative_intent": True, "difficulty": True, "granularity": True}
CHANGES = {
    "verdict": "changes",
    "creative_intent": True,
    "difficulty": False,
    "granularity": True,
    "reason": "Too easy.",
}
TEXT = "Write a story of 800 words in which somebody crosses a bridge twice."


def begun(project: Project, author: Membership, key: str = "bridge", **given: object) -> AuthoredPrompt:
    values = {
        "genre": project.genres.first(),
        "language": "en",
        "blueprint": "Somebody crosses a bridge twice, for two reasons.",
        **given,
    }
    return prompts.begin(project, key=key, author=author, now=NOW, **values)


def written(authored: AuthoredPrompt, text: str = TEXT, **given: object) -> AuthoredPrompt:
    authored.refresh_from_db()
    values = {
        "title": authored.title or "The bridge",
        "text": text,
        "blueprint": authored.blueprint,
        "constraints": authored.constraints,
        "intended_length": authored.intended_length,
        "genre": authored.genre,
        "language": authored.language,
        "edits": authored.edits,
        **given,
    }
    return prompts.save(authored, by=authored.author.user, now=NOW, **values)


def handed_in(authored: AuthoredPrompt, text: str = TEXT, **given: object) -> PromptVersion:
    stored = written(authored, text)
    return prompts.hand_in(stored, author=stored.author, edits=stored.edits, now=NOW, **given)


def reviewed(version: PromptVersion, reviewer: Membership, given: dict = ACCEPT) -> PromptReview:
    return reviews.review(version, reviewer, **given, now=NOW)


def accepted(authored: AuthoredPrompt, *people: Membership, text: str = TEXT) -> PromptVersion:
    version = handed_in(authored, text)
    for person in people:
        reviewed(version, person)
    authored.refresh_from_db()
    return version
