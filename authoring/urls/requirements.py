from django.urls import URLPattern, path

from authoring.views import requirements

REQUIREMENTS = "projects/<slug:slug>/requirements/"
PROMPT = f"{REQUIREMENTS}<int:pk>/"

urlpatterns: list[URLPattern] = [
    path(REQUIREMENTS, requirements.requirement_list, name="requirements"),
    path(PROMPT, requirements.edit, name="requirements_edit"),
    path(f"{PROMPT}model/", requirements.proposal, name="requirements_proposal"),
    path(f"{PROMPT}model/ask/", requirements.propose, name="requirements_propose"),
    path(f"{PROMPT}order/", requirements.golden, name="requirements_golden"),
]
