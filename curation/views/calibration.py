from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.errors import Invalid
from annotation.forms.calibration import CloseForm
from annotation.views.calibrations import led_round, round_page
from curation.services import calibration


@require_http_methods(["GET", "HEAD", "POST"])
def close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    work = led_round(request, slug, pk)
    if request.method != "POST":
        # The address in the bar after a refused form, opened anew.
        return redirect("calibration_round", slug=slug, pk=pk)
    form = CloseForm(request.POST)
    if not form.is_valid():
        return round_page(request, work, close_form=form)
    try:
        calibration.close(work, **form.cleaned_data, by=request.user, now=timezone.now())
    except Invalid as refusal:
        form.add_error("reason", refusal.message)
        return round_page(request, work, close_form=form)
    return redirect("calibration_round", slug=slug, pk=pk)
