# One image for web, worker, beat and migrate; docker-compose.yml says how each is started.
FROM node:22.17.0-bookworm-slim AS assets
WORKDIR /assets
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM python:3.11.13-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /venv
COPY requirements-uv.txt requirements.txt requirements-s3.txt /build/
RUN /venv/bin/pip install --require-hashes --only-binary :all: -r /build/requirements-uv.txt \
    && /venv/bin/uv pip install --no-cache --compile-bytecode --python /venv/bin/python \
        --require-hashes --only-binary :all: -r /build/requirements.txt -r /build/requirements-s3.txt
WORKDIR /plumb
COPY . .
COPY --from=assets /assets/node_modules/htmx.org/dist/htmx.min.js static/vendor/htmx.min.js
COPY --from=assets /assets/node_modules/sortablejs/Sortable.min.js static/vendor/sortable.min.js
# The key signs nothing here: static files are collected, and the image keeps no trace of it.
RUN if ls locale/*/LC_MESSAGES/*.po; then /venv/bin/pybabel compile --directory locale --domain django; fi \
    && SECRET_KEY=collecting-static-files-signs-nothing-at-all HTTPS=False \
        /venv/bin/python manage.py collectstatic --no-input

FROM python:3.11.13-slim-bookworm
# Charts are drawn with these; without the second Chinese would be empty boxes.
RUN apt-get update && apt-get install --yes --no-install-recommends fonts-noto-core fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/*
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 RELEASES_DIR=/releases \
    IMPORTS_DIR=/imports RUNS_DIR=/runs
RUN groupadd --gid 10001 plumb \
    && useradd --uid 10001 --gid plumb --no-create-home --home-dir /tmp --shell /usr/sbin/nologin plumb \
    && install --directory --owner plumb --group plumb --mode 0750 /releases /imports /runs
COPY --from=build /venv /venv
COPY --from=build /plumb /plumb
WORKDIR /plumb
USER 10001:10001
VOLUME /releases /imports /runs
EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "4", "--no-control-socket", "--preload"]
