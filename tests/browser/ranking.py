"""A set of long texts to rank, and what a test does on its page."""

import re

from playwright.sync_api import Page, expect

from annotation.models import Ranking
from annotation.queries import rankings
from tests.browser.texts import CHINESE, ENGLISH
from tests.factories import make_prompt, make_response

REASON = "A turns where the others explain."


def make_long_set(project, language: str = "en", texts: int = 4):
    """A prompt whose responses are of 1,500 words or characters each, every one beginning otherwise."""
    prompt = make_prompt(
        project, language=language, genre=project.genres.first(), text="Write about a crossing." * 6
    )
    blank = "\n\n" if language == "en" else "\n"
    parts = (ENGLISH if language == "en" else CHINESE).split(blank)
    for number in range(texts):
        turned = parts[number % len(parts) :] + parts[: number % len(parts)]
        make_response(prompt, text=blank.join([f"{number + 1}. {turned[0]}", *turned[1:]] * 2))
    return prompt


def stored() -> list[str]:
    """The orders that the database holds, oldest first."""
    found = Ranking.objects.order_by("pk")
    return [" > ".join(" = ".join(tier) for tier in rankings.tiers_of(each)) for each in found]


def shows(page: Page, order: str) -> None:
    expect(page.locator("[data-order]")).to_have_text(order)


def is_stored(page: Page, order: str) -> None:
    """The page says back what was stored."""
    expect(page.get_by_role("heading", name="Your ranking is stored")).to_be_visible()
    expect(page.locator(".order-stored")).to_have_text(re.compile(re.escape(order) + "$"))
    assert stored()[-1] == order


def read_all(page: Page) -> None:
    """Have every text read to its end, as far as the page can tell."""
    page.evaluate(
        """() => {
          const texts = document.querySelector("ranking-texts");
          for (const letter of texts.letters) texts.readAlready.add(letter);
          texts.mark();
        }"""
    )


def drag(page: Page, letter: str, onto: str, *, by: float = 0.5) -> None:
    """By its grip, with the mouse, onto what the selector finds once the dragging has begun."""
    grip = page.locator(f"[data-card={letter}] .grip").bounding_box()
    page.mouse.move(grip["x"] + 8, grip["y"] + 20)
    page.mouse.down()
    page.mouse.move(grip["x"] + 12, grip["y"] + 30, steps=4)
    place = page.locator(onto).first.bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] * by
    page.mouse.move(x, y - 6, steps=8)
    page.mouse.move(x, y, steps=4)
    page.mouse.up()
