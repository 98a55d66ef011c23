from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation import access
from annotation.queries import consent, courses, standing, threads
from annotation.queries import scoring as queries


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    stands = standing.standings(request.user)
    cards = queries.round_cards(request.user, now=timezone.now())
    context = {
        "cards": cards,
        "stands": stands,
        "on_the_way": [each for each in stands if each.is_asked],
        "projects": access.led_projects(request.user),
        "adjudicated": access.adjudicated_projects(request.user),
        "triaged": access.triaged_projects(request.user),
        "taught": courses.taught(request.user),
        "messages_of_threads": threads.recent(request.user),
        "leaderless": access.leaderless_projects(request.user),
        "consents_waiting": consent.waiting(request.user),
    }
    return render(request, "annotation/home.html", context)
