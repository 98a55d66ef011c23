"""Requirements that a model proposes: what it is asked, and the many shapes of its answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.domain.proposals import KINDS, MOST, Proposal, UnreadableError, asked, kind_of, parsed

TWO = (Proposal("content", "Name a bridge."), Proposal("style", "Write in the present tense."))
BARE = tuple(Proposal("", each.text) for each in TWO)
CHINESE = (Proposal("content", "必须写到一座桥。"), Proposal("length", "全文不少于800字。"))

SHAPES = {
    "a list of objects": (
        '[{"kind": "content", "text": "Name a bridge."}, {"kind": "style", "text": "Write in the present tense."}]',
        TWO,
    ),
    "fenced": (
        '```json\n[{"kind": "content", "text": "Name a bridge."},\n'
        '{"kind": "style", "text": "Write in the present tense."}]\n```',
        TWO,
    ),
    "fenced amid prose": (
        'Here they are:\n\n```\n[{"kind": "content", "text": "Name a bridge."}, '
        '{"kind": "style", "text": "Write in the present tense."}]\n```\n\nTell me if [more] is wanted.',
        TWO,
    ),
    "other names of the keys": (
        '[{"Type": "Content", "Requirement": "Name a bridge."}, '
        '{"Category": "Tone", "Constraint": "Write in the present tense."}]',
        TWO,
    ),
    "the text under content": (
        '[{"type": "content", "content": "Name a bridge."}, '
        '{"type": "style", "content": "Write in the present tense."}]',
        TWO,
    ),
    "an object around the list": (
        '{"requirements": [{"kind": "content", "text": "Name a bridge."}, '
        '{"kind": "style", "text": "Write in the present tense."}]}',
        TWO,
    ),
    "an object by kind": (
        '{"content": ["Name a bridge."], "style": ["Write in the present tense."]}',
        TWO,
    ),
    "an object by kind with one each": (
        '{"content": "Name a bridge.", "style": "Write in the present tense."}',
        TWO,
    ),
    "strings": ('["Name a bridge.", "Write in the present tense."]', BARE),
    "strings with their kinds": ('["Content: Name a bridge.", "[style] Write in the present tense."]', TWO),
    "one object a line": (
        '{"kind": "content", "text": "Name a bridge."}\n{"kind": "style", "text": "Write in the present tense."}',
        TWO,
    ),
    "a comma too many": (
        '[{"kind": "content", "text": "Name a bridge.",},\n{"kind": "style", "text": "Write in the present tense."},]',
        TWO,
    ),
    "cut off": (
        '[{"kind": "content", "text": "Name a bridge."}, {"kind": "style", "text": "Write in the present tense."}, {"k',
        TWO,
    ),
    "behind its thoughts": (
        "<think>Or [1]:\n- a bridge?</think>\n1. content: Name a bridge.\n2. style: Write in the present tense.",
        TWO,
    ),
    "numbered": ("1. Name a bridge.\n2. Write in the present tense.", BARE),
    "numbered with brackets": ("1) Name a bridge.\n\n2) Write in the present tense.", BARE),
    "bulleted": ("- Name a bridge.\n- Write in the present tense.", BARE),
    "other bullets": ("• Name a bridge.\n• Write in the present tense.", BARE),
    "kinds in bold": ("1. **Content**: Name a bridge.\n2. **Style:** Write in the present tense.", TWO),
    "kinds in square brackets": ("- [content] Name a bridge.\n- [Style] Write in the present tense.", TWO),
    "kinds in round brackets": ("1. (Content) Name a bridge.\n2. (Style): Write in the present tense.", TWO),
    "kinds behind": ("1. Name a bridge. (content)\n2. Write in the present tense. [style]", TWO),
    "kinds before a dash": ("* Content – Name a bridge.\n* Style - Write in the present tense.", TWO),
    "kinds before a bar": ("content | Name a bridge.\nstyle | Write in the present tense.", TWO),
    "kinds without a list": ("Content: Name a bridge.\nStyle: Write in the present tense.", TWO),
    "under headings": (
        "## Content\n- Name a bridge.\n\n## Style requirements\n- Write in the present tense.",
        TWO,
    ),
    "under bold headings": (
        "**Content**\n1. Name a bridge.\n\n**Style**\n2. Write in the present tense.",
        TWO,
    ),
    "under names with colons": ("Content:\n- Name a bridge.\nStyle:\n- Write in the present tense.", TWO),
    "under items that are kinds": (
        "1. Content:\n   - Name a bridge.\n2. Style:\n   - Write in the present tense.",
        TWO,
    ),
    "a table": (
        "| # | Kind | Requirement |\n|---|---|---|\n| 1 | Content | Name a bridge. |\n"
        "| 2 | Style | Write in the present tense. |",
        TWO,
    ),
    "a line that goes on": ("1. content: Name a\n   bridge.\n2. style: Write in the present tense.", TWO),
    "prose around a list": (
        "Sure! Here are two:\n\n1. content: Name a bridge.\n2. style: Write in the present tense.\n\nEnjoy!",
        TWO,
    ),
    "named one by one": (
        "Requirement 1: Name a bridge.\nRequirement 2: Write in the present tense.",
        BARE,
    ),
    "twice the same": (
        "- content: Name a bridge.\n- content: Name  a bridge.\n- style: Write in the present tense.",
        TWO,
    ),
    "an unknown kind": (
        '[{"kind": "mood", "text": "Name a bridge."}, {"kind": "", "text": "Write in the present tense."}]',
        BARE,
    ),
    "Chinese objects": (
        '[{"类别": "内容", "要求": "必须写到一座桥。"}, {"类别": "字数", "要求": "全文不少于800字。"}]',
        CHINESE,
    ),
    "Chinese numbers": ("1、【内容】必须写到一座桥。\n2、【篇幅】全文不少于800字。", CHINESE),
    "Chinese numerals": ("一、内容：必须写到一座桥。\n二、长度：全文不少于800字。", CHINESE),
    "Chinese in brackets": ("（1）内容要求：必须写到一座桥。\n（2）篇幅要求：全文不少于800字。", CHINESE),
    "Chinese headings": ("### 内容类\n- 必须写到一座桥。\n### 篇幅类\n- 全文不少于800字。", CHINESE),
    "Chinese lines": ("内容：必须写到一座桥。\n篇幅：全文不少于800字。", CHINESE),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_of_this_shape_is_read(shape):
    answer, expected = SHAPES[shape]
    assert parsed(answer) == expected
    assert parsed(answer.replace("\n", "\r\n")) == expected


def test_words_before_a_colon_that_are_no_kind_belong_to_the_requirement():
    assert parsed("- Begin with a letter: dear bridge.") == (
        Proposal("", "Begin with a letter: dear bridge."),
    )


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("<think>What now?</think>", "empty"),
        ("I cannot help with that.", "no_list"),
        ("[]", "no_list"),
        ('{"error": 3}', "no_list"),
        ("\n".join(f"{n}. Requirement of number {n}." for n in range(1, MOST + 2)), "too_many"),
    ],
)
def test_what_holds_none_is_refused_with_a_sentence(answer, code):
    with pytest.raises(UnreadableError) as refusal:
        parsed(answer)
    assert refusal.value.code == code
    assert str(refusal.value).endswith((".", "again."))


@given(st.text(max_size=300) | st.text('[]{}":,- 1.\n*#|', max_size=120))
def test_whatever_is_answered_is_read_or_refused(answer):
    try:
        found = parsed(answer)
    except UnreadableError:
        return
    assert 0 < len(found) <= MOST
    assert all(each.text.strip() and each.kind in ("", *KINDS) for each in found)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Content", "content"),
        ("**Style**", "style"),
        ("format_requirement", "format"),
        ("Length constraint", "length"),
        ("风格要求", "style"),
        ("篇幅", "length"),
        ("mood", ""),
        ("", ""),
    ],
)
def test_a_kind_goes_by_several_names(name, kind):
    assert kind_of(name) == kind


@pytest.mark.parametrize(("language", "sign"), [("en", "Atomic"), ("zh-Hans", "单一"), ("", "Atomic")])
def test_it_asks_for_atomic_specific_requirements_of_the_four_kinds(language, sign):
    said = asked("  Write {of} bridges.\n", language, count=7)
    assert sign in said
    assert "7" in said
    assert all(kind in said for kind in KINDS)
    assert said.endswith("Write {of} bridges.")
    assert '[{"kind": "content", "text":' in said
