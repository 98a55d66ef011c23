"""Where the files of a release lie, who may take them, and that they can be made and verified again."""

import io
import json
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO

import boto3
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from annotation.errors import DomainError, Invalid
from config import environment
from curation import tasks
from curation.models import Download, ReleaseFile
from curation.services import archives, objects, releases, signing, verification
from tests.curation.test_release_contents import clock, frozen, releases_dir, run
from tests.factories import NOW, REASON, make_member, make_user

__all__ = ["releases_dir", "run"]  # fixtures

pytestmark = pytest.mark.django_db

HELD = "data/pairs/heldout.jsonl"


def content_of(response):
    return b"".join(response.streaming_content)


def unpacked(content, folder):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
        return archive.namelist()


# --- storage ---------------------------------------------------------------------------------------------


def test_every_file_lies_under_its_sha256_and_the_same_one_once(run, releases_dir):
    first, second = frozen(run), frozen(run, version="1.1.0")
    kept = {path.name for path in (releases_dir / ".objects").glob("*/*")}
    named = set(ReleaseFile.objects.values_list("sha256", flat=True))
    assert kept == named
    assert len(named) < first.files.count() + second.files.count()  # the verifier is the same file


def test_what_is_given_out_is_what_was_frozen_whatever_became_of_the_folder(run):
    release = frozen(run)
    path = releases.folder(release) / "README.md"
    path.write_text("something else")
    with releases.open_file(release.files.get(path="README.md")) as file:
        assert file.read().startswith(b"---\npretty_name")


def test_a_changed_or_lost_object_is_refused_in_words(run, releases_dir):
    file = frozen(run).files.get(path="README.md")
    path = releases_dir / ".objects" / file.sha256[:2] / file.sha256
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b"x")
    with pytest.raises(DomainError) as refusal:
        releases.open_file(file)
    assert refusal.value.code == "file_differs"
    path.unlink()
    with pytest.raises(DomainError) as refusal:
        releases.open_file(file)
    assert refusal.value.code == "file_missing"


def test_an_object_that_was_left_half_is_written_again(run, releases_dir):
    release = frozen(run)
    file = release.files.get(path="README.md")
    path = releases_dir / ".objects" / file.sha256[:2] / file.sha256
    path.write_bytes(b"half")
    objects.put(file.sha256, releases.folder(release) / "README.md")
    assert releases.open_file(file).read() == (releases.folder(release) / "README.md").read_bytes()


def test_a_release_that_dies_while_it_is_kept_is_not_there_and_the_next_attempt_is(run, monkeypatch):
    requested = releases.request(run, name="x", version="1.0.0", reason=REASON, by=None, now=NOW)

    def full(sha256, source):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(objects, "put", full)
        releases.execute(requested.pk, clock=clock)
    requested.refresh_from_db()
    assert (requested.state, requested.files.count()) == ("failed", 0)
    assert "No space left on device" in requested.error
    assert not releases.folder(requested).exists()


# --- who may take what -----------------------------------------------------------------------------------


@pytest.fixture
def held(run):
    return frozen(run, heldout="labels", heldout_percent=40)


def address(release, path):
    return reverse("release_file", args=[release.name, release.version, path])


def test_what_is_withheld_is_there_for_leads_and_readers_alone_and_each_download_is_kept(
    held, client, lead, stranger
):
    adjudicator, reader = make_member(held.project, "adjudicator", "judge"), make_user("reader")
    for person, code in ((lead.user, 200), (adjudicator.user, 404), (reader, 404), (stranger, 404)):
        client.force_login(person)
        assert client.get(address(held, HELD)).status_code == code
    releases.add_reader(held, reader, by=lead.user, now=NOW)
    client.force_login(reader)
    assert client.get(address(held, HELD)).status_code == 200
    assert client.get(address(held, "README.md")).status_code == 200
    assert [(row.user, row.path) for row in Download.objects.order_by("pk")] == [
        (lead.user, HELD),
        (reader, HELD),
    ]
    releases.remove_reader(held, reader, by=lead.user, now=NOW)
    assert client.get(address(held, HELD)).status_code == 404
    assert client.get(address(held, "README.md")).status_code == 404


def test_an_annotator_of_the_project_is_let_in_by_nobody(held, lead):
    annotator = held.project.memberships.get(user__username="ann").user
    with pytest.raises(Invalid) as refusal:
        releases.add_reader(held, annotator, by=lead.user, now=NOW)
    assert refusal.value.code == "annotates_here"


def test_a_reader_who_comes_to_annotate_sees_the_release_no_more(held, client, lead):
    reader = make_user("reader")
    releases.add_reader(held, reader, by=lead.user, now=NOW)
    client.force_login(reader)
    assert client.get(address(held, "README.md")).status_code == 200
    held.project.memberships.create(user=reader, role="annotator", pseudonym="rater-x", joined_at=NOW)
    assert client.get(address(held, "README.md")).status_code == 404


# --- archives --------------------------------------------------------------------------------------------


def test_an_archive_holds_what_its_reader_may_take_and_verifies(held, client, lead, tmp_path):
    adjudicator = make_member(held.project, "adjudicator", "judge")
    where = reverse("release_archive", args=[held.name, held.version])
    client.force_login(adjudicator.user)
    names = unpacked(content_of(client.get(where)), tmp_path / "open")
    assert f"bridges-1.0.0/{HELD}" not in names
    verdict = verification.verify(tmp_path / "open/bridges-1.0.0")
    assert (verdict.ok, verdict.withheld > 0) == (True, True)
    assert not Download.objects.exists()
    client.force_login(lead.user)
    unpacked(content_of(client.get(where)), tmp_path / "whole")
    assert verification.verify(tmp_path / "whole/bridges-1.0.0").withheld == 0
    assert {row.path for row in Download.objects.all()} == {
        file.path for file in held.files.all() if "heldout" in file.path and "unlabelled" not in file.path
    }


def test_the_same_release_gives_the_same_archive(held):
    one, other = (b"".join(archives.archive(held, with_withheld=False, by=None, now=NOW)) for _ in range(2))
    assert one == other


def test_an_archive_of_strangers_is_none(held, client, stranger):
    client.force_login(stranger)
    assert client.get(reverse("release_archive", args=[held.name, held.version])).status_code == 404


# --- verifying an archive, and what lies at an address ---------------------------------------------------


@pytest.fixture
def archive(run, tmp_path):
    path = tmp_path / "bridges.zip"
    path.write_bytes(b"".join(archives.archive(frozen(run), with_withheld=True, by=None, now=NOW)))
    return path


def verified(what, **options):
    out = StringIO()
    call_command("verify_release", str(what), stdout=out, **options)
    return out.getvalue()


def exit_code(what, **options):
    with pytest.raises(CommandError) as caught:
        call_command("verify_release", str(what), **options)
    return caught.value.returncode


def test_an_archive_is_verified_as_its_folder_is(archive, tmp_path):
    assert "verified" in verified(archive)
    assert "signed by" in verified(archive, public_key=signing.public_key())
    assert exit_code(archive, public_key="AAAA") == 2
    unpacked(archive.read_bytes(), tmp_path / "u")
    (tmp_path / "u/bridges-1.0.0/README.md").write_text("x")
    with zipfile.ZipFile(tmp_path / "again.zip", "w") as again:
        for path in sorted((tmp_path / "u").rglob("*")):
            again.write(path, path.relative_to(tmp_path / "u"))
    assert exit_code(tmp_path / "again.zip") == 1


@pytest.mark.parametrize("name", ["../out", "/out", "a/../../out", "C:\\out", "a\0b"])
def test_an_archive_that_leads_out_is_unreadable_and_writes_nothing(tmp_path, name):
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as bad:
        bad.writestr("x-1.0.0/manifest.json", "{}")
        bad.writestr(name, "x")
    assert exit_code(path) in (1, 3)
    assert not (tmp_path / "out").exists()
    assert not (tmp_path.parent / "out").exists()


def test_what_is_no_archive_is_unreadable(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK no zip")
    assert exit_code(tmp_path / "x.zip") == 3


def test_what_lies_at_an_address_is_verified_with_a_token(archive, monkeypatch):
    heard = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append((self.path, self.headers.get("Authorization")))
            found = self.headers.get("Authorization") == "Bearer plumb_t" and self.path.startswith("/api/")
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(archive.read_bytes() if found else b"")

        def log_message(self, *args):
            pass

    site = HTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    try:
        where = f"http://127.0.0.1:{site.server_port}/api/v1/releases/bridges/1.0.0/"
        assert exit_code(where) == 3
        monkeypatch.setenv("PLUMB_TOKEN", "plumb_t")
        assert "verified" in verified(where)
    finally:
        site.shutdown()
        thread.join()
        site.server_close()
    assert heard[-1] == ("/api/v1/releases/bridges/1.0.0/archive.zip", "Bearer plumb_t")
    assert exit_code(where) == 3  # nobody is there any more


# --- rebuilding ------------------------------------------------------------------------------------------


def test_a_release_is_rebuilt_byte_for_byte(run, tmp_path):
    release = frozen(run, heldout="all", heldout_percent=40, contested=True, note="n", licence="odc-by")
    out = StringIO()
    call_command("rebuild_release", "bridges", "1.0.0", out=tmp_path / "again", stdout=out)
    assert "all the same to the byte" in out.getvalue()
    for file in release.files.all():
        assert (tmp_path / "again" / file.path).read_bytes() == releases.open_file(file).read()


def test_another_key_or_code_is_named(run, settings):
    frozen(run)
    settings.RELEASE_SIGNING_KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
    with pytest.raises(CommandError, match=r"3 of \d+ files differ: SHA256SUMS, manifest.json, manifest.sig"):
        call_command("rebuild_release", "bridges", "1.0.0")
    with pytest.raises(CommandError, match="no frozen release"):
        call_command("rebuild_release", "bridges", "9.9.9")


# --- the key ---------------------------------------------------------------------------------------------


def test_anybody_may_read_the_public_key(client, releases_dir):
    response = client.get("/releases/signing-key")
    assert (response.status_code, response.content.decode()) == (200, f"{signing.public_key()}\n")


def test_the_manifest_names_the_key_that_anybody_may_read(run, client):
    manifest = json.loads((releases.folder(frozen(run)) / "manifest.json").read_bytes())
    key = client.get("/releases/signing-key").content.decode().strip()
    assert manifest["signature"] == {"algorithm": "Ed25519", "public_key": key}


# --- every night -----------------------------------------------------------------------------------------


def test_a_byte_that_changed_on_the_server_is_found_in_the_next_night(run, releases_dir, caplog):
    first, _second = frozen(run), frozen(run, version="1.1.0")
    out = StringIO()
    call_command("check_releases", stdout=out)
    assert "2 releases, every file as it was frozen" in out.getvalue()
    shared = first.files.get(path="verify_release.py")
    path = releases_dir / ".objects" / shared.sha256[:2] / shared.sha256
    path.write_bytes(path.read_bytes() + b"#")
    tasks.recheck_releases()
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "bridges 1.0.0: verify_release.py is not what was frozen",
        "bridges 1.1.0: verify_release.py is not what was frozen",
    ]
    with pytest.raises(CommandError, match=r"bridges 1\.1\.0: verify_release\.py"):
        call_command("check_releases")


# --- in a bucket -----------------------------------------------------------------------------------------


@pytest.fixture
def bucket(settings, monkeypatch):
    """An S3 bucket as the storage of releases; what it holds."""
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    for name, value in {
        **address,
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RELEASES_BUCKET", "plumb-releases")
    found = boto3.resource("s3").create_bucket(Bucket="plumb-releases")
    settings.RELEASES_BUCKET = environment.bucket("RELEASES_BUCKET", location="releases")
    settings.STORAGES = {**settings.STORAGES, "releases": settings.RELEASES_BUCKET}
    yield found
    found.objects.all().delete()
    found.delete()
    server.shutdown()


def test_in_a_bucket_a_release_is_kept_given_out_and_read_anew_as_in_a_folder(
    bucket, run, releases_dir, tmp_path
):
    release = frozen(run)
    named = {f"releases/{file.sha256[:2]}/{file.sha256}" for file in release.files.all()}
    assert {each.key for each in bucket.objects.all()} == named
    assert not releases.folder(release).exists()
    unpacked(b"".join(archives.archive(release, with_withheld=True, by=None, now=NOW)), tmp_path / "u")
    assert verification.verify(tmp_path / "u/bridges-1.0.0").ok
    file = release.files.get(path="README.md")
    bucket.put_object(Key=f"releases/{file.sha256[:2]}/{file.sha256}", Body=b"something else")
    with pytest.raises(CommandError, match=r"bridges 1\.0\.0: README\.md"):
        call_command("check_releases")
    bucket.Object(f"releases/{file.sha256[:2]}/{file.sha256}").delete()
    with pytest.raises(DomainError) as refusal:
        releases.open_file(file)
    assert refusal.value.code == "file_missing"
    objects.put(file.sha256, tmp_path / "u/bridges-1.0.0/README.md")
    assert releases.open_file(file).read().startswith(b"---\npretty_name")
