from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation import access
from curation.queries import audit_page, audits, runs
from curation.services import releases


@require_safe
def release(request: HttpRequest, name: str, version: str) -> HttpResponse:
    found = access.release(request.user, name, version)
    audited = audits.kept_record(found)
    context = {
        "release": runs.release_page(found),
        "record": audited,
        "limits": audit_page.limit_lines(audited) if audited is not None else (),
    }
    return render(request, "curation/release.html", context)


@require_safe
def release_file(request: HttpRequest, name: str, version: str, path: str) -> HttpResponse:
    found = access.release_file(request.user, name, version, path)
    return FileResponse(releases.open_file(found), as_attachment=True, filename=path.rsplit("/", 1)[-1])
