"""What {% kept %} keeps of a page is the same for everybody: it sees its values and nothing else."""

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.utils import translation

from config import kept


def rendered(source, **values):
    return Template(source).render(Context(values))


def test_a_piece_is_rendered_once_for_each_set_of_values():
    template = Template("{% kept name=who %}{{ name.upper }}{% endkept %}")

    class Name(str):
        calls = 0

        def upper(self):
            Name.calls += 1
            return super().upper()

    pages = [template.render(Context({"who": Name(name)})) for name in ("ada", "ben", "ada")]
    assert pages == ["ADA", "BEN", "ADA"]
    assert Name.calls == 2


def test_inside_there_is_nothing_but_the_values():
    source = "{% kept name=user %}[{{ name }}{{ user }}{{ secret }}{{ request }}]{% endkept %}"
    assert rendered(source, user="ada", secret="gold", request="r") == "[ada]"


def test_each_language_has_a_piece_of_its_own():
    template = Template("{% load i18n %}{% kept %}{% translate 'Submit' %}{% endkept %}")
    english = template.render(Context())
    with translation.override("zh-hans"):
        chinese = template.render(Context())
    assert english == template.render(Context()) == "Submit"
    assert chinese != english


def test_values_are_escaped():
    assert rendered("{% kept name=who %}{{ name }}{% endkept %}", who="<b>") == "&lt;b&gt;"


def test_what_is_kept_does_not_grow_without_end(monkeypatch):
    monkeypatch.setattr(kept, "MOST", 3)
    template = Template("{% kept number=number %}{{ number }}{% endkept %}")
    assert [template.render(Context({"number": number})) for number in range(8)] == list("01234567")
    [node] = template.nodelist
    assert len(node.rendered) <= 3


@pytest.mark.parametrize("source", ["{% kept name %}{% endkept %}", "{% kept a=1 b %}{% endkept %}"])
def test_a_value_without_a_name_is_refused(source):
    with pytest.raises(TemplateSyntaxError, match="kept takes name=value"):
        Template(source)
