"""A page with each figure in each state, under the product's own policy: the style guide of figures."""

from functools import cache

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path
from django.utils import translation
from django.views.decorators.http import require_safe

from config.urls import urlpatterns as of_the_product
from curation.services import figures
from tests.sample_figures import sample_charts, sample_heat_maps

PAGE = """{% extends "base.html" %}{% load static %}
{% block styles %}<link rel="stylesheet" href="{% static 'css/figures.css' %}">{% endblock %}
{% block scripts %}<script type="module" src="{% static 'js/heat-map.js' %}"></script>{% endblock %}
{% block content %}<h1>Figures</h1><div class="figure-grid">
{% for figure in drawn %}{% include "curation/_figure.html" %}{% endfor %}
{% for figure in heat_maps %}{% include "curation/_heat_map.html" %}{% endfor %}
</div>{% endblock %}"""
FILES = [{"kind": kind, "url": f"/figures/{kind.lower()}"} for kind in ("CSV", "SVG", "PNG")]


@cache
def drawn(language: str) -> list[figures.Drawn]:
    """Drawn once for all tests."""
    return figures.draw(sample_charts(language))


@require_safe
@login_not_required
def page(request: HttpRequest) -> HttpResponse:
    language = translation.get_language()
    context = {
        "drawn": [figures.shown(each.as_dict()) for each in drawn(language)],
        "heat_maps": [figures.shown(each.as_dict()) for each in sample_heat_maps(language)],
        "files": FILES,
    }
    return HttpResponse(engines["django"].from_string(PAGE).render(context, request))


urlpatterns = [path("figures/", page), *of_the_product]
