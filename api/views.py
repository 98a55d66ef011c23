"""REST: translation only. One class per operation."""

from django.http import FileResponse, Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.pagination import NewestFirst
from api.serializers import ReleaseFileSerializer, ReleaseSerializer
from curation import access
from curation.services import releases


class ListReleases(APIView):
    def get(self, request: Request) -> Response:
        paginator = NewestFirst()
        page = paginator.paginate_queryset(access.releases(request.user), request, view=self)
        serializer = ReleaseSerializer(page, many=True, context={"request": request})
        return paginator.get_paginated_response(serializer.data)


class ShowRelease(APIView):
    def get(self, request: Request, name: str, version: str) -> Response:
        release = access.release(request.user, name, version)
        context = {"request": request, "release": release}
        files = ReleaseFileSerializer(release.files.all(), many=True, context=context)
        return Response({**ReleaseSerializer(release, context=context).data, "files": files.data})


class GetReleaseFile(APIView):
    def get(self, request: Request, name: str, version: str, path: str) -> FileResponse:
        found = access.release_file(request.user, name, version, path)
        response = FileResponse(
            releases.open_file(found),
            as_attachment=True,
            filename=path.rsplit("/", 1)[-1],
            content_type="application/octet-stream",
        )
        response["X-Content-SHA256"] = found.sha256
        return response


class NothingHere(APIView):
    """Any other address: the same shape of refusal as everywhere, and a token is asked for first."""

    def dispatch_unknown(self, request: Request, path: str) -> Response:
        raise Http404

    get = post = put = patch = delete = dispatch_unknown
