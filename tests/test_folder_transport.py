"""Messages in a folder: whoever reads at any moment finds whole messages, and each once."""

import threading
from queue import Empty

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError

from config import folder_transport
from config.celery import app

pytestmark = pytest.mark.files
MESSAGES = 300


@pytest.fixture
def connection(tmp_path):
    folder = str(tmp_path)
    options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": folder}
    with Connection("folder://localhost/", transport_options=options) as opened:
        yield opened


def test_the_embedded_mode_takes_this_transport(connection):
    assert app.conf.broker_url == "folder://localhost/"
    assert connection.get_transport_cls() is folder_transport.Transport
    connection.switch("folder://localhost/")  # as Celery does when a connection was lost
    assert connection.get_transport_cls() is folder_transport.Transport


def test_who_reads_while_others_write_gets_every_message_whole_and_once(connection):
    channel, found = connection.channel(), []

    def write(begin):
        own = connection.clone().channel()
        for number in range(begin, begin + MESSAGES):
            own._put("celery", {"number": number, "body": "x" * 10_000})

    writers = [threading.Thread(target=write, args=[begin]) for begin in (0, MESSAGES)]
    for writer in writers:
        writer.start()
    while len(found) < 2 * MESSAGES:
        try:
            found.append(channel._get("celery")["number"])
        except Empty:
            assert any(writer.is_alive() for writer in writers) or waiting(channel), "a message is lost"
    for writer in writers:
        writer.join()
    assert sorted(found) == list(range(2 * MESSAGES))


def waiting(channel):
    return channel._size("celery")


def test_a_message_that_cannot_be_written_is_an_error_and_leaves_nothing(connection, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    channel = connection.channel()
    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(ChannelError, match="Cannot add file"):
        channel._put("celery", {"number": 1})
    assert not [path for path in tmp_path.iterdir() if "celery" in path.name]


def test_what_is_being_written_is_no_message(connection, tmp_path):
    (tmp_path / "1_a.celery.msg.begun").write_bytes(b"")
    with pytest.raises(Empty):
        connection.channel()._get("celery")
