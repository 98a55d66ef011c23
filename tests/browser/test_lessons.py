"""Lessons on a phone: a table is read whole, and its words are not broken to make the columns fit."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotation.services import lessons
from tests.browser.axe import axe
from tests.browser.looks import in_looks
from tests.courses import make_course, make_trainee
from tests.factories import NOW

NARROW = [("light", "en", 390), ("dark", "en", 320), ("light", "zh-hans", 320), ("dark", "zh-hans", 390)]
# Words of letters alone that stand on two lines; Chinese breaks between any two characters.
BROKEN_WORDS = """() => {
  const walker = document.createTreeWalker(document.querySelector(".lesson-text table"), NodeFilter.SHOW_TEXT);
  const broken = [];
  while (walker.nextNode()) {
    for (const word of walker.currentNode.data.matchAll(/[A-Za-z]+/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, word.index);
      range.setEnd(walker.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""
HIDDEN_WIDTH = "box => box.scrollWidth - box.clientWidth"


@pytest.fixture
def lesson(project, look: Page, page_of, request) -> Page:
    """The first of the lessons that ship, before a trainee."""
    language = request.node.callspec.params["look"][1][:2]
    project.languages = [language]
    project.save(update_fields=["languages"])
    for each in lessons.add_starters(project, language=language, by=None, now=NOW):
        lessons.publish(each, by=None, now=NOW)
    make_course(project, language=language)
    trainee = make_trainee(project, "tina", language=language)
    page_of(trainee.annotator)
    look.goto(reverse("training_lesson", args=[project.slug, language, 1]))
    return look


@in_looks(NARROW)
def test_the_table_of_a_lesson_is_read_on_a_phone_without_broken_words(lesson: Page) -> None:
    assert lesson.evaluate(BROKEN_WORDS) == []
    assert lesson.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert lesson.locator(".lesson-text .table-scroll").evaluate(HIDDEN_WIDTH) <= 0
    assert axe(lesson) == []
