from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.errors import Invalid
from annotation.forms.pair_rounds import NameForm, PairsForm
from annotation.services import pair_rounds
from curation import access
from curation.queries import runs

SAMPLE = 50  # pairs, where nothing else is asked for


@require_http_methods(["GET", "HEAD", "POST"])
def spot_check(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have people choose, blind, between the two texts of a sample of the pairs that a run accepted."""
    run = access.run(request.user, slug, pk)
    pairs = runs.accepted_pairs(run)
    data = request.POST if request.method == "POST" else None
    form, naming = PairsForm(data, initial={"pairs": min(SAMPLE, len(pairs))}), NameForm(data)
    if request.method == "POST" and all([form.is_valid(), naming.is_valid()]):
        try:
            made = pair_rounds.spot_check(
                run.project,
                naming.cleaned_data["name"],
                pairs=pairs,
                **form.draw(),
                by=request.user,
                now=timezone.now(),
            )
        except Invalid as refusal:
            naming.add_error("name" if refusal.code == "round_exists" else None, refusal.message)
        else:
            return redirect("project_round", slug=slug, pk=made.pk)
    context = {"project": run.project, "run": run, "accepted": len(pairs), "form": form, "naming": naming}
    return render(request, "curation/spot_check.html", context, status=422 if data else 200)
