"""The rankings of LAMP (Chakrabarty et al. 2025), given again through the ranking page and unblinded.

Thirteen professional writers ranked 201 triples of texts, three writers a triple. Each saw the triple in an order of
their own then, and sees it in another one here; so only what the page's letters meant can bring the answers back.
"""

import html
import json
import re
from collections import defaultdict
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from statistics import mean

import pytest
from django.urls import reverse

from annotation.models import RankedResponse, Ranking
from annotation.queries import rankings as queries
from annotation.queries.texts import paragraphs
from annotation.services import leases
from tests.factories import NOW, make_member, make_prompt, make_response
from tests.ranking_rounds import form_of, make_ranking_round

LAMP = Path(__file__).parents[2] / ".." / "shared" / "data" / "lamp_rankings"
CODES = {"Human-edited": 1, "AI-generated": 2, "AI-edited": 3}  # of agreement_map.json
SAME_TEXT = 0.9  # a few copies of a text differ by a comma or a word

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not LAMP.is_dir(), reason="needs the LAMP rankings in ../shared/data"),
]


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def batches():
    """By batch and writer: what they saw, and how they ranked it, item by item."""
    found = defaultdict(dict)
    for path in sorted(LAMP.glob("batch*/*_items.json")):
        writer = path.name.removesuffix("_items.json")
        found[path.parent.name][writer] = (read(path), read(path.with_name(f"{writer}_rankings.json")))
    return found


def texts_on(page):
    """By letter, as the page shows them."""
    panes = re.findall(r'<section class="pane" id="text-(\w)".*?<article.*?>(.*?)</article>', page, re.DOTALL)
    return {
        letter: html.unescape(" ".join(re.findall(r"<p>(.*?)</p>", body, re.DOTALL)))
        for letter, body in panes
    }


def letters_of(lease):
    """By letter, as the annotator has them."""
    texts = [" ".join(paragraphs(response.text)) for response in queries.texts_of(lease, None)]
    return dict(zip("ABC", texts, strict=True))


def likest(text, shown):
    """The letter of the text on the page that is this one."""
    whole = " ".join(paragraphs(text))
    exact = [letter for letter, each in shown.items() if each == whole]
    if exact:
        return exact[0]
    likeness = {letter: SequenceMatcher(None, whole, each).ratio() for letter, each in shown.items()}
    best = max(likeness, key=likeness.get)
    assert likeness[best] > SAME_TEXT
    return best


def kendall_w(ranks):
    """Of raters' ranks of the same items, tie-corrected (Kendall 1948): 12 S / (m² (n³ - n) - m ΣT)."""
    raters, items = len(ranks), len(ranks[0])
    totals = [sum(of_item) for of_item in zip(*ranks, strict=True)]
    spread = sum((total - mean(totals)) ** 2 for total in totals)
    ties = sum(
        count**3 - count for of_rater in ranks for count in (of_rater.count(rank) for rank in set(of_rater))
    )
    return 12 * spread / (raters**2 * (items**3 - items) - raters * ties)


def tau(one, other):
    """Kendall's tau-a of two lists of ranks."""
    pairs = list(combinations(range(len(one)), 2))
    signs = [(one[i] > one[j]) - (one[i] < one[j]) for i, j in pairs]
    others = [(other[i] > other[j]) - (other[i] < other[j]) for i, j in pairs]
    return sum(a * b for a, b in zip(signs, others, strict=True)) / len(pairs)


def test_all_603_rankings_come_back_unblinded(project, browser_of):
    given = batches()
    prompts = {}
    for batch, writers in given.items():
        items, _ranked = next(iter(writers.values()))
        for place, item in enumerate(items):
            prompts[batch, place] = prompt = make_prompt(
                project, f"{batch}-{place}", text=item["instruction"]
            )
            for number, text in enumerate(item["responses"], start=1):
                make_response(prompt, text=text, source_model=item["mapping"][f"Response {number}"])
    work = make_ranking_round(project, ties_allowed=False)
    members = {
        name: make_member(project, "annotator", name)
        for name in sorted({w for each in given.values() for w in each})
    }

    for batch, writers in given.items():
        for name, (items, ranked) in writers.items():
            client = browser_of(members[name])
            for place, (item, answer) in enumerate(zip(items, ranked, strict=True)):
                assert item["instruction_id"] == answer["instruction_id"]
                slot = work.assignments.filter(prompt=prompts[batch, place], state="open").first()
                work.assignments.filter(pk=slot.pk).update(
                    state="leased", annotator=members[name], leased_until=NOW + leases.LEASE
                )
                lease = leases.make(slot.pk, members[name], position=1, now=NOW)
                page = reverse("rank", args=[lease.token])
                shown = letters_of(lease)
                if place == 0:  # what the page shows, once for each writer
                    assert texts_on(client.get(page).content.decode()) == shown
                ranked_texts = [
                    item["responses"][int(answer[f"rank_{rank}"].removeprefix("Response ")) - 1]
                    for rank in (1, 2, 3)
                ]
                sent = form_of([likest(text, shown) for text in ranked_texts], lease)
                assert client.post(page, sent).status_code == 302

    assert Ranking.objects.count() == 603
    key = read(LAMP / "agreement_map.json")
    agreement, correlation, mismatches = [], [], []
    for (batch, place), prompt in prompts.items():
        ranks = []
        for name in given[batch]:
            rows = RankedResponse.objects.filter(ranking__prompt=prompt, ranking__annotator=members[name])
            order = list(rows.order_by("tier").values_list("response__source_model", flat=True))
            codes = [CODES[source] for source in order]
            if codes != key[batch][name][place]:
                mismatches.append((batch, name, place))
            ranks.append([codes.index(code) + 1 for code in sorted(CODES.values())])
        agreement.append(kendall_w(ranks))
        correlation += [tau(one, other) for one, other in combinations(ranks, 2)]
    assert mismatches == []
    assert round(mean(agreement), 4) == 0.7629
    assert round(mean(correlation), 4) == 0.6175


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([[1, 2, 3], [1, 2, 3], [1, 2, 3]], 1),
        ([[1, 2, 3], [3, 2, 1]], 0),
        ([[1.5, 1.5, 3], [1.5, 1.5, 3]], 1),
    ],
)
def test_agreement_is_reckoned_as_kendall_does(ranks, expected):
    assert kendall_w(ranks) == pytest.approx(expected)
