from django.urls import reverse
from rest_framework import serializers

from curation.models import Release, ReleaseFile


class ReleaseFileSerializer(serializers.ModelSerializer):
    url = serializers.SerializerMethodField()

    class Meta:
        model = ReleaseFile
        fields = ["path", "sha256", "size", "url"]

    def get_url(self, file: ReleaseFile) -> str:
        release = self.context["release"]
        path = reverse("api_release_file", args=[release.name, release.version, file.path])
        return self.context["request"].build_absolute_uri(path)


class ReleaseSerializer(serializers.ModelSerializer):
    project = serializers.CharField(source="project.slug")
    frozen_at = serializers.DateTimeField(source="finished_at")
    recipe = serializers.CharField(source="run.recipe.name")
    pairs = serializers.IntegerField(source="run.funnel.accepted")
    url = serializers.SerializerMethodField()

    class Meta:
        model = Release
        fields = ["name", "version", "project", "frozen_at", "recipe", "pairs", "manifest_sha256", "url"]

    def get_url(self, release: Release) -> str:
        path = reverse("api_release", args=[release.name, release.version])
        return self.context["request"].build_absolute_uri(path)
