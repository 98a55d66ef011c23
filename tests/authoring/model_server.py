"""A small server that speaks the OpenAI protocol, and fails as the true ones do.

Answers follow from what is asked, so that a run is repeatable; how it fails is given as a list of acts, taken in the
order of the requests that meet them.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "sk-the-key-of-the-tests-0123456789"


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent: a status with a body, cut off after so many bytes, after so many seconds."""

    body: object = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut_at: int | None = None
    after: float = 0.0


def completion(text: str | None, *, finish: str = "stop", model: str = "tiny-1", **message: object) -> dict:
    """A chat completion, with tokens counted as words."""
    told = {"role": "assistant", "content": text, **message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": model,
        "choices": [{"index": 0, "message": told, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30},
    }


def error(status: int, message: str, *, code: str | None = None, **headers: str) -> Reply:
    body = {"error": {"message": message, "type": "some_error", "param": None, "code": code}}
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


class ModelServer(ThreadingHTTPServer):
    """`acts` are replies for the next requests, or functions of a request's body; after them, `usual` answers."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.acts: list[Reply | Callable[[dict], Reply]] = []
        self.delay = 0.0
        self.asked: list[dict] = []  # bodies, in the order of their coming
        self.paths: list[str] = []
        self.keys: list[str] = []  # Authorization
        self.once: Counter[str] = Counter()  # Idempotency-Key
        self.answered: Counter[str] = Counter()  # of those, answered with 200
        self.under_way = self.most_under_way = 0
        self.headers_seen: list[dict[str, str]] = []

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no fault of the server's."""

    def reply_to(self, path: str, body: dict, headers: dict[str, str]) -> Reply:
        with self.lock:
            self.asked.append(body)
            self.paths.append(path)
            self.headers_seen.append(headers)
            self.keys.append(headers.get("authorization", ""))
            self.once[headers.get("idempotency-key", "")] += 1
            act = self.acts.pop(0) if self.acts else usual
        return act(body) if callable(act) else act


def usual(body: dict) -> Reply:
    if "input" in body:
        return Reply(embeddings(body["input"]))
    last = body["messages"][-1]["content"]
    return Reply(completion(f"A text of {body['model']} for: {last[:60]}", model=body["model"]))


def embeddings(texts: list[str], dimensions: int = 8) -> dict:
    """Vectors of counted letters, out of their order, as the protocol allows."""
    data = [
        {
            "object": "embedding",
            "index": place,
            "embedding": [1.0 + text.count(chr(97 + letter)) for letter in range(dimensions)],
        }
        for place, text in enumerate(texts)
    ]
    return {"object": "list", "data": data[::-1], "model": "tiny-vectors", "usage": {"prompt_tokens": 1}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        server = self.server
        with server.lock:
            server.under_way += 1
            server.most_under_way = max(server.most_under_way, server.under_way)
        try:
            self._answer()
        finally:
            with server.lock:
                server.under_way -= 1

    def _answer(self) -> None:
        given = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.reply_to(self.path, json.loads(given), headers)
        time.sleep(reply.after or self.server.delay)
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: reply.cut_at])
        if reply.cut_at is not None:
            self.close_connection = True
        elif reply.status == 200:
            with self.server.lock:
                self.server.answered[headers.get("idempotency-key", "")] += 1

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[ModelServer]:
    server = ModelServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
