from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation import access as doors
from curation import access
from curation.queries import audit_page, audits, release_page, runs
from curation.services import archives, signing


@require_safe
def release(request: HttpRequest, name: str, version: str) -> HttpResponse:
    found = access.release(request.user, name, version)
    audited = audits.kept_record(found)
    context = {
        "release": runs.release_page(found),
        "record": audited,
        "limits": audit_page.limit_lines(audited) if audited is not None else (),
        "terms": release_page.terms_of(found),
        "yank": release_page.yank_of(found),
        "public_key": signing.public_key(),
        "files": release_page.files_of(found, with_withheld=access.may_take_withheld(request.user, found)),
        "leads": doors.is_lead(request.user, found.project),
    }
    return render(request, "curation/release.html", context)


@require_safe
def release_file(request: HttpRequest, name: str, version: str, path: str) -> HttpResponse:
    found = access.release_file(request.user, name, version, path)
    opened = archives.take(found, by=request.user, now=timezone.now())
    return FileResponse(opened, as_attachment=True, filename=path.rsplit("/", 1)[-1])


@require_safe
def archive(request: HttpRequest, name: str, version: str) -> StreamingHttpResponse:
    found = access.release(request.user, name, version)
    with_withheld = access.may_take_withheld(request.user, found)
    content = archives.archive(found, with_withheld=with_withheld, by=request.user, now=timezone.now())
    headers = {"Content-Disposition": f'attachment; filename="{name}-{version}.zip"'}
    return StreamingHttpResponse(content, content_type="application/zip", headers=headers)


@login_not_required
@require_safe
def signing_key(request: HttpRequest) -> HttpResponse:
    """Ed25519 in base64: whoever verifies a release anywhere compares it with this."""
    return HttpResponse(f"{signing.public_key()}\n", content_type="text/plain; charset=us-ascii")
