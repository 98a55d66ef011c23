"""Genres in the browser: names in both languages, order, adding, and removing what nothing uses."""

from html import unescape

import pytest
from django.urls import reverse

from annotation.models import Genre
from annotation.services import genres as services
from annotation.services import projects
from tests.factories import NOW, make_prompt
from tests.page_forms import sent_by

pytestmark = pytest.mark.django_db

PAYLOAD = '"><img src=x onerror=alert(1)>{% debug %}'


@pytest.fixture
def client(browser_of, lead):
    return browser_of(lead)


@pytest.fixture
def page(project):
    return reverse("genres", args=[project.slug])


@pytest.fixture
def fiction(project):
    """A macro-category that version 1 of the rubric has a criterion for, with two types."""
    macro = project.genres.get(key="fiction")
    for position, (key, en, zh) in enumerate([("wuxia", "Wuxia", "武侠"), ("fable", "Fable", "寓言")]):
        project.genres.create(parent=macro, key=key, name_en=en, name_zh=zh, position=position)
    return macro


@pytest.fixture
def wuxia(fiction):
    return fiction.types.get(key="wuxia")


@pytest.fixture
def send(client, page, fiction):
    """Send the section of fiction as the page shows it, with these fields changed."""

    def sending(action="save", opened=None, **changes):
        form = opened or sent_by(client.get(page).content.decode(), f"section-{fiction.pk}")
        changed = {name.replace("_", "-", 1): value for name, value in changes.items()}
        return client.post(f"{page}{fiction.pk}/", {**form, **changed, "do": action})

    return sending


def shown(response):
    return unescape(response.content.decode())


def actions(project):
    return list(
        project.journal.filter(action__startswith="genre").order_by("pk").values_list("action", flat=True)
    )


def test_genres_are_for_leads(browser_of, lead, annotator, stranger, page, fiction):
    addresses = [page, f"{page}add/", f"{page}taxonomy/", f"{page}{fiction.pk}/"]
    assert browser_of(lead).get(page).status_code == 200
    for person, status in ((annotator, 403), (stranger, 404)):
        for address in addresses:
            assert browser_of(person).post(address, {"english": "New"}).status_code in (status, 405)
            assert browser_of(person).get(address).status_code == status
    assert Genre.objects.count() == 4


def test_each_genre_stands_with_its_names_and_its_prompts(client, page, project, fiction, wuxia):
    make_prompt(project, genre=wuxia)
    make_prompt(project, genre=fiction)
    html = shown(client.get(page))
    for text in ("Fiction", "小说", "Wuxia", "武侠", "2 types", "2 prompts", "Poetry", "诗歌"):
        assert text in html
    assert f'value="remove:{wuxia.pk}"' not in html
    assert f'value="remove:{fiction.types.get(key="fable").pk}"' in html


def test_a_taxonomy_of_59_genres_is_no_wall(browser_of, lead):
    big = projects.create("big", name="Big", taxonomy="writing-preference", by=None, now=NOW, lead=lead.user)
    html = browser_of(lead).get(reverse("genres", args=["big"])).content.decode()
    assert html.count("<details") == big.genres.filter(parent=None).count() == 8
    assert "<details class" in html
    assert " open>" not in html.split("<main")[1]


def test_names_are_saved_tidily_and_keys_stay(send, project, fiction, wuxia):
    answer = send(
        **{f"en_{wuxia.pk}": "  Sword \n stories", f"zh_{wuxia.pk}": "", f"en_{fiction.pk}": "Stories"}
    )
    assert answer.status_code == 302
    assert f"#genre-{fiction.pk}" in answer["Location"]
    wuxia.refresh_from_db()
    fiction.refresh_from_db()
    assert (wuxia.name_en, wuxia.name_zh, wuxia.key) == ("Sword stories", "", "wuxia")
    assert (fiction.name_en, fiction.key) == ("Stories", "fiction")
    assert actions(project) == ["genre.renamed", "genre.renamed"]
    assert project.journal.get(data__genre="wuxia").data["name_zh"] == ["武侠", ""]


def test_a_form_that_is_sent_as_it_came_changes_nothing(send, project):
    assert send().status_code == 302
    assert actions(project) == []


def test_a_type_is_added_at_the_end_with_a_key_from_its_english_name(send, project, fiction):
    send(en_new="Fairy Tale/Fable", zh_new="童话")
    send(en_new="奇幻", zh_new="")
    send(en_new="Fairy tale fable!")
    added = fiction.types.order_by("position").values_list("key", "position")[2:]
    assert list(added) == [("fairy-talefable", 2), ("奇幻", 3), ("fairy-tale-fable", 4)]
    assert actions(project) == ["genre.added"] * 3


@pytest.mark.parametrize(
    ("field", "name", "sentence"),
    [
        ("en_wuxia", "", "Give the genre an English name"),
        ("en_wuxia", "POETRY", "There is a genre of this name already: Poetry"),
        ("en_wuxia", "fable", "There is a genre of this name already: Fiction › Fable"),
        ("zh_wuxia", "诗歌", "There is a genre of this name already: Poetry"),
        ("en_wuxia", "寓言", "There is a genre of this name already: Fiction › Fable"),
        ("en_new", "Wuxia", "There is a genre of this name already: Fiction › Wuxia"),
        ("zh_new", "无名", "Give the genre an English name"),
        ("en_wuxia", "a\u202eb", "cannot be seen"),
        ("en_wuxia", "n" * 101, "at most 100"),
    ],
)
def test_a_name_that_cannot_be_is_refused_at_its_field(send, project, fiction, wuxia, field, name, sentence):
    language, which = field.split("_")
    place = which if which == "new" else wuxia.pk
    other = {} if which == "new" else {f"zh_{fiction.pk}": "虚构"}
    answer = send(**{f"{language}_{place}": name, **other})
    assert answer.status_code == 422
    assert sentence in shown(answer)
    marked = "en" if sentence.startswith("Give") else language
    assert f'id="s{fiction.pk}-{marked}-{place}_error"' in shown(answer)
    assert sent_by(answer.content.decode(), f"section-{fiction.pk}")[f"{language}-{place}"] == [name]
    assert list(fiction.types.values_list("name_en", "name_zh")) == [("Wuxia", "武侠"), ("Fable", "寓言")]
    fiction.refresh_from_db()
    assert fiction.name_zh == "小说"


def test_names_that_only_look_alike_in_another_unicode_form_are_the_same(send, project, fiction):
    assert send(en_new="Re\u0301sume\u0301").status_code == 302
    assert fiction.types.get(key="resume").name_en == "R\u00e9sum\u00e9"
    assert "of this name already" in shown(send(en_new="R\u00c9SUM\u00c9"))


def test_a_type_may_bear_the_name_of_its_macro_category(send, fiction):
    assert send(en_new="Fiction", zh_new="小说").status_code == 302
    assert fiction.types.get(name_en="Fiction").key == "fiction-2"


def test_two_names_may_be_exchanged_at_once(send, fiction):
    wuxia, fable = fiction.types.order_by("pk")
    changes = {
        f"en_{wuxia.pk}": "Fable",
        f"zh_{wuxia.pk}": "寓言",
        f"en_{fable.pk}": "Wuxia",
        f"zh_{fable.pk}": "武侠",
    }
    assert send(**changes).status_code == 302
    assert list(fiction.types.order_by("pk").values_list("key", "name_en")) == [
        ("wuxia", "Fable"),
        ("fable", "Wuxia"),
    ]


def test_names_that_others_changed_meanwhile_are_not_written_over(client, page, send, fiction, wuxia):
    opened = sent_by(client.get(page).content.decode(), f"section-{fiction.pk}")
    send(**{f"en_{wuxia.pk}": "Theirs"})
    answer = send(opened=opened, **{f"en_{wuxia.pk}": "Mine"})
    assert answer.status_code == 409
    assert "Now: Theirs" in shown(answer)
    wuxia.refresh_from_db()
    assert wuxia.name_en == "Theirs"
    again = sent_by(answer.content.decode(), f"section-{fiction.pk}")
    assert again[f"en-{wuxia.pk}"] == ["Mine"]
    assert send(opened=again).status_code == 302
    wuxia.refresh_from_db()
    assert wuxia.name_en == "Mine"


def test_genres_move_among_their_like_and_stop_at_the_ends(send, project, fiction):
    wuxia = fiction.types.get(key="wuxia")
    keys = fiction.types.order_by("position").values_list("key", flat=True)
    for action, after in (
        (f"up:{wuxia.pk}", ["wuxia", "fable"]),
        (f"down:{wuxia.pk}", ["fable", "wuxia"]),
        (f"down:{wuxia.pk}", ["fable", "wuxia"]),
        (f"up:{wuxia.pk}", ["wuxia", "fable"]),
    ):
        assert send(action).status_code == 302
        assert list(keys.all()) == after
    send(f"down:{fiction.pk}")
    macros = project.genres.filter(parent=None).order_by("position")
    assert list(macros.values_list("key", flat=True)) == ["poetry", "fiction"]
    assert actions(project) == ["genre.moved"] * 3


def test_a_button_that_moves_also_saves_the_names(send, fiction, wuxia):
    send(f"down:{wuxia.pk}", **{f"en_{wuxia.pk}": "Swords"})
    wuxia.refresh_from_db()
    assert (wuxia.name_en, wuxia.position) == ("Swords", 1)


def test_what_nothing_uses_is_removed(send, project, fiction, wuxia):
    assert send(f"remove:{wuxia.pk}").status_code == 302
    assert not Genre.objects.filter(pk=wuxia.pk).exists()
    assert project.journal.get(action="genre.removed").data == {"genre": "wuxia", "name": "Wuxia"}


def test_what_is_used_stays_and_the_reason_counts_the_uses(send, project, fiction, wuxia):
    for _ in range(2):
        make_prompt(project, genre=wuxia)
    answer = send(f"remove:{wuxia.pk}", en_new="Added")
    assert answer.status_code == 409
    assert "Wuxia cannot be removed: 2 prompts are of it." in shown(answer)
    assert 'value="Added"' in shown(answer)  # the names are saved all the same
    answer = send(f"remove:{fiction.pk}")
    assert "it holds 3 types; the rubric has, in some version, 1 criterion for it." in shown(answer)
    assert {fiction, wuxia} <= set(project.genres.all())


@pytest.mark.parametrize("action", ["remove:999999", "up:x", "up:", "down:1;2", "drop:1"])
def test_a_button_that_the_page_does_not_have_does_nothing(send, project, action):
    assert send(action).status_code in (302, 404)
    assert project.genres.count() == 4


def test_a_genre_of_another_section_or_project_is_out_of_reach(send, client, page, project, fiction):
    poetry = project.genres.get(key="poetry")
    foreign = projects.create("other", name="Other", taxonomy="weval", by=None, now=NOW).genres.first()
    for genre in (poetry, foreign):
        assert send(f"remove:{genre.pk}").status_code == 404
    assert client.post(f"{page}{foreign.pk}/", {"do": "save"}).status_code == 404
    assert {poetry, foreign} <= set(Genre.objects.all())


def test_a_macro_category_is_added(client, page, project):
    assert client.post(f"{page}add/", {"english": " Funny ", "chinese": "幽默"}).status_code == 302
    funny = project.genres.get(key="funny")
    assert (funny.parent, funny.name_zh, funny.position) == (None, "幽默", 2)


@pytest.mark.parametrize("english", ["", "poetry", "诗歌"])
def test_a_macro_category_that_cannot_be_is_refused(client, page, project, english):
    answer = client.post(f"{page}add/", {"english": english, "chinese": "新"})
    assert answer.status_code == 422
    assert 'id="id_english_error"' in shown(answer) or 'id="add-english_error"' in shown(answer)
    assert project.genres.count() == 2


def test_names_are_shown_as_they_were_written(client, page, send):
    assert client.post(f"{page}add/", {"english": PAYLOAD, "chinese": PAYLOAD + "2"}).status_code == 302
    assert send(en_new="T" + PAYLOAD).status_code == 302
    answer = client.get(page)
    assert PAYLOAD in shown(answer)
    assert "<img" not in answer.content.decode()


def test_another_taxonomy_takes_the_place_of_genres_that_nothing_uses(browser_of, lead):
    own = projects.create("own", name="Own", taxonomy="", by=None, now=NOW, lead=lead.user)
    client, page = browser_of(lead), reverse("genres", args=["own"])
    macro = services.add_macro(own, "Mine", "", by=None, now=NOW)
    own.genres.create(parent=macro, key="type", name_en="Type", position=0)
    assert "Use these genres" in shown(client.get(page))
    assert client.post(f"{page}taxonomy/", {"taxonomy": "weval"}).status_code == 302
    own.refresh_from_db()
    assert (own.taxonomy, own.genres.count()) == ("weval", 5)
    make_prompt(own, genre=own.genres.first())
    assert "Use these genres" not in shown(client.get(page))
    assert client.post(f"{page}taxonomy/", {"taxonomy": "writing-preference"}).status_code == 409
    assert client.post(f"{page}taxonomy/", {"taxonomy": "nothing"}).status_code == 404
    assert own.genres.count() == 5


def test_an_empty_taxonomy_says_what_to_do(browser_of, lead):
    projects.create("own", name="Own", taxonomy="", by=None, now=NOW, lead=lead.user)
    assert "There are no genres yet." in shown(browser_of(lead).get(reverse("genres", args=["own"])))
