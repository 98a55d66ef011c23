"""An annotator at work without a screen: signs in, takes texts and submits scores as a browser does."""

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
TOO_MANY, WAIT_TO_SIGN_IN = 429, 5.0  # seconds
PATIENCE = 60.0  # seconds that one trip may take with everything that is tried again


class SiteError(Exception):
    """The site answered what a browser would show as an error."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(slots=True)
class Browser:
    """One connection that is kept, cookies, and what was acknowledged."""

    host: str
    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    reader: asyncio.StreamReader | None = None
    writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, form: Mapping[str, str] | None = None) -> Answer:
        """One request. Raises ConnectionError where the server went away before it answered."""
        if self.reader is not None and self.reader.at_eof():
            await (
                self.hang_up()
            )  # the server closed it while somebody was reading; a browser sees that, and dials anew
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port)
        body = urlencode(form).encode() if form is not None else b""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [
            f"{method} {path} HTTP/1.1",
            f"Host: {self.host}:{self.port}",
            f"Origin: http://{self.host}:{self.port}",
            *([f"Cookie: {cookies}"] if cookies else []),
            *(
                ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
                if form is not None
                else []
            ),
        ]
        try:
            self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
            await self.writer.drain()
            answer = await self._read()
        except (OSError, asyncio.IncompleteReadError) as error:
            await self.hang_up()
            raise ConnectionError(str(error)) from error
        if answer.headers.get("connection") == "close":
            await self.hang_up()
        return answer

    async def _read(self) -> Answer:
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(": ")
            if name.lower() == "set-cookie":
                cookie, _, _attributes = value.partition(";")
                key, _, content = cookie.partition("=")
                self.cookies[key] = content
            elif name:
                headers[name.lower()] = value
        if "content-length" in headers:
            body = await self.reader.readexactly(int(headers["content-length"]))
        elif headers.get("transfer-encoding") == "chunked":
            body = await self._chunks()
        else:
            body = await self.reader.read()
        return Answer(int(head[0].split()[1]), headers, body.decode())

    async def _chunks(self) -> bytes:
        found = b""
        while size := int(await self.reader.readline(), 16):
            found += await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)
        return found

    async def hang_up(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    async def patiently(self, method: str, path: str, form: Mapping[str, str] | None = None) -> Answer:
        """The same request again while the server is away or not well, as a person would; SiteError after a minute."""
        until, wait = time.monotonic() + PATIENCE, 0.05
        while True:
            try:
                answer = await self.ask(method, path, form)
            except (ConnectionError, OSError):
                answer = None
            if answer is not None and answer.status < 500:
                return answer
            if time.monotonic() > until:
                raise SiteError(f"{method} {path}: {answer.status if answer else 'no answer'}")
            await asyncio.sleep(wait)
            wait = min(2 * wait, 2.0)

    async def page(self, path: str) -> Answer:
        answer = await self.patiently("GET", path)
        if answer.status != 200:
            raise SiteError(f"GET {path}: {answer.status}")
        return answer

    async def sign_in(self, username: str, password: str) -> None:
        page = await self.page("/sign-in/")
        form = {"csrfmiddlewaretoken": _token(page), "login": username, "password": password}
        answer = await self.patiently("POST", "/sign-in/", form)
        while answer.status == TOO_MANY:  # they all come from one address
            await asyncio.sleep(WAIT_TO_SIGN_IN)
            answer = await self.patiently("POST", "/sign-in/", form)
        if answer.status != 302:
            raise SiteError(f"{username} cannot sign in: {answer.status}")


def _token(page: Answer) -> str:
    found = FORM_TOKEN.search(page.body)
    if found is None:
        raise SiteError("The page has no form to send.")
    return found[1]


def path_of(answer: Answer) -> str:
    """Where a redirect leads."""
    return urlsplit(answer.headers["location"]).path


@dataclass(slots=True)
class Worked:
    """What one annotator did."""

    acknowledged: list[tuple[str, int]] = field(default_factory=list)  # (token of the hand-out, score)
    seconds: list[float] = field(default_factory=list)  # of each trip: a score sent, the next text there
    errors: list[str] = field(default_factory=list)


async def work(
    browser: Browser,
    round_token: str,
    *,
    value_of: Callable[[str], int],
    think: float,
    until: float,
    later: float = 0.0,
) -> Worked:
    """Take and score texts until none is left or the time is over. `later`: seconds until the first is sent.

    Whom the site fails for too long stops, with that as an error.
    """
    done = Worked()
    try:
        await _work(browser, round_token, done, value_of=value_of, think=think, until=until, later=later)
    except SiteError as error:
        done.errors.append(str(error))
    return done


async def _work(
    browser: Browser,
    round_token: str,
    done: Worked,
    *,
    value_of: Callable[[str], int],
    think: float,
    until: float,
    later: float,
) -> None:
    home = await browser.page("/")
    path = await _next(browser, round_token, home)
    page = await browser.page(path)
    await asyncio.sleep(later)
    while path.startswith("/score/") and time.monotonic() < until:
        if think:
            await asyncio.sleep(think)
        token, value = path.split("/")[2], value_of(path)
        form = {
            "csrfmiddlewaretoken": _token(page),
            "value": str(value),
            "justification": "The last line earns what the first one promised.",
        }
        began = time.monotonic()
        answer = await browser.patiently("POST", path, form)
        if answer.status in (302, 303):
            done.acknowledged.append((token, value))
            path = path_of(answer)
        else:
            done.errors.append(f"POST {path}: {answer.status}")
            path = await _next(browser, round_token, page)
        page = await browser.page(path)
        done.seconds.append(time.monotonic() - began)


async def _next(browser: Browser, round_token: str, page: Answer) -> str:
    form = {"csrfmiddlewaretoken": _token(page)}
    return path_of(await browser.patiently("POST", f"/work/{round_token}/next/", form))
