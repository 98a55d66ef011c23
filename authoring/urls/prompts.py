from django.urls import URLPattern, path

from authoring.views import prompt_editor, prompt_reviews, prompts

PROMPTS = "projects/<slug:slug>/prompts/"
PROMPT = f"{PROMPTS}<slug:key>/"
VERSION = f"{PROMPT}versions/<int:number>/"

urlpatterns: list[URLPattern] = [
    path(PROMPTS, prompts.prompt_list, name="authored_prompts"),
    path(f"{PROMPTS}new/", prompts.begin, name="authored_new"),
    path(PROMPT, prompts.prompt, name="authored_prompt"),
    path(f"{PROMPT}edit/", prompt_editor.edit, name="authored_edit"),
    path(f"{PROMPT}draft/<int:pk>/", prompt_editor.draft, name="authored_draft"),
    path(f"{PROMPT}hand-in/", prompt_editor.hand_in, name="authored_hand_in"),
    path(f"{PROMPT}model/", prompt_editor.expansion, name="authored_expansion"),
    path(f"{PROMPT}model/ask/", prompt_editor.expand, name="authored_expand"),
    path(f"{PROMPT}model/take/", prompt_editor.take, name="authored_take"),
    path(VERSION, prompt_reviews.version, name="authored_version"),
    path(f"{VERSION}remarks/", prompt_reviews.remark, name="authored_remark"),
    path(f"{PROMPT}retire/", prompts.retire, name="authored_retire"),
    path(f"{PROMPT}reopen/", prompts.reopen, name="authored_reopen"),
    path(f"{PROMPT}parallel/", prompts.link, name="authored_link"),
    path(f"{PROMPT}parallel/unlink/", prompts.unlink, name="authored_unlink"),
]
