"""How the site is served: the arguments of Python for a worker and for the web processes."""

WORKER = "-m celery -A config worker --beat --concurrency 1 --without-gossip --without-mingle --loglevel INFO"
WEB = (
    "-m gunicorn config.wsgi --workers 2 --threads 4 --no-control-socket --preload "
    "--access-logfile - --logger-class config.access_log.AccessLog"
)
