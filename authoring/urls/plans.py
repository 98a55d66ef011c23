from django.urls import path

from authoring.views import batches, model_requests, plans

PLANS = "projects/<slug:slug>/plans/"
PLAN = f"{PLANS}<int:pk>/"

urlpatterns = [
    path(PLANS, plans.plans, name="plans"),
    path(f"{PLANS}new/", plans.new_plan, name="new_plan"),
    path(PLAN, plans.plan, name="plan"),
    path(f"{PLAN}start/", plans.start, name="plan_start"),
    path(f"{PLAN}pause/", plans.pause, name="plan_pause"),
    path(f"{PLAN}resume/", plans.resume, name="plan_resume"),
    path(f"{PLAN}cancel/", plans.cancel, name="plan_cancel"),
    path(f"{PLAN}remove/", plans.remove, name="plan_remove"),
    path(f"{PLAN}again/", plans.again, name="plan_again"),
    path(f"{PLAN}triage/", plans.to_triage, name="plan_to_triage"),
    path(f"{PLAN}batches/", batches.batches, name="plan_batches"),
    path(f"{PLAN}batches/<int:source_pk>/out/", batches.take_out, name="plan_batch_out"),
    path(f"{PLAN}batches/<int:source_pk>/in/", batches.take_in, name="plan_batch_in"),
    path(f"{PLAN}requests/", model_requests.model_requests, name="plan_requests"),
    path(f"{PLANS}<int:plan_pk>/requests/<int:pk>/", model_requests.model_request, name="plan_request"),
]
