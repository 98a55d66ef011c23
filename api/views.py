"""REST: translation only. One class per operation."""

from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api import problems, ranges
from api.base import View, WhateverIsAccepted
from api.pagination import PARAMETERS, page_of
from api.serializers import ReleaseFileSerializer, ReleaseSerializer
from curation import access
from curation.models import Release
from curation.services import archives


class ListReleases(View):
    known_parameters = PARAMETERS

    def get(self, request: Request) -> Response:
        def row(release: Release) -> object:
            return ReleaseSerializer(release, context={"request": request}).data

        found = self.within(access.releases(request.user))
        return page_of(request, found, ordering="-frozen", allowed={"frozen": "pk", "name": "name"}, row=row)


class ShowRelease(View):
    def get(self, request: Request, name: str, version: str) -> Response:
        release = access.release(request.user, name, version)
        self.refuse_beyond(release.project_id)
        context = {"request": request, "release": release}
        files = ReleaseFileSerializer(release.files.all(), many=True, context=context)
        return Response({**ReleaseSerializer(release, context=context).data, "files": files.data})


class GetReleaseFile(View):
    content_negotiation_class = WhateverIsAccepted

    def get(self, request: Request, name: str, version: str, path: str) -> HttpResponseBase:
        found = access.release_file(request.user, name, version, path)
        self.refuse_beyond(found.release.project_id)
        return ranges.respond(
            request,
            archives.take(found, by=request.user, now=timezone.now()),
            digest=found.sha256,
            content_type="application/octet-stream",
            filename=path.rsplit("/", 1)[-1],
            **{"X-Content-SHA256": found.sha256},
        )


class GetReleaseArchive(View):
    """All that the token's owner may take of a release."""

    content_negotiation_class = WhateverIsAccepted

    def get(self, request: Request, name: str, version: str) -> StreamingHttpResponse:
        release = access.release(request.user, name, version)
        self.refuse_beyond(release.project_id)
        with_withheld = access.may_take_withheld(request.user, release)
        content = archives.archive(release, with_withheld=with_withheld, by=request.user, now=timezone.now())
        headers = {"Content-Disposition": f'attachment; filename="{name}-{version}.zip"'}
        return StreamingHttpResponse(content, content_type="application/octet-stream", headers=headers)


class ShowProblem(APIView):
    """What stands behind the `type` of a problem; for everybody, since whoever has no token is told of problems too."""

    authentication_classes = []
    permission_classes = []
    content_negotiation_class = WhateverIsAccepted

    def get(self, request: Request, code: str) -> Response:
        return Response(
            {
                "type": problems.address(code),
                "code": code,
                "title": problems.title(code),
                "description": problems.description(code),
            }
        )


class NothingHere(View):
    """Any other address: the same shape of refusal as everywhere, and a token is asked for first."""

    def _refuse_parameters(self) -> None:
        raise Http404
