# One image; compose.yaml says which of its commands each service runs.

# To be pinned by digest: docs/containers.md says how. This Debian has the Java that Spark is tried with, and pg_dump of
# the version of compose.yaml's PostgreSQL.
ARG NODE_IMAGE=node:24-slim
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${NODE_IMAGE} AS frontend
WORKDIR /app/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY frontend/ ./
RUN npm run build

FROM ${PYTHON_IMAGE} AS packages
COPY requirements.image.lock /tmp/
# `make lock` writes it: what runs here, each file by its hash, and neither tests nor what the embedded stack starts.
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r /tmp/requirements.image.lock

FROM ${PYTHON_IMAGE}
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jre-headless postgresql-client procps tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 timeline \
    && install -d -o timeline -g timeline /data
COPY --from=packages /venv /venv
WORKDIR /app
COPY manage.py ./
COPY timeline_app/ timeline_app/
COPY workers/ workers/
COPY templates/ templates/
COPY docs/img/operators/ docs/img/operators/
COPY --from=frontend /app/frontend/dist frontend/dist
# What Java makes of Spark's classes: servers start in half the time.
RUN PATH=/venv/bin:$PATH python -m workers.spark.connect.jars \
    && PATH=/venv/bin:$PATH python -m workers.spark.connect.jars workers/spark/jars/s3a/ivy.xml /venv/share/timelines/s3a \
    && PATH=/venv/bin:$PATH PYSPARK_PYTHON=/venv/bin/python TIMELINE_DATA=/tmp/making python -m workers.class_archive \
    && rm -rf /tmp/making
ENV PATH=/venv/bin:$PATH \
    PYTHONPATH=/app \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYSPARK_PYTHON=/venv/bin/python \
    TIMELINE_DATA=/data \
    TIMELINE_LOCAL=/data
USER timeline
VOLUME /data
EXPOSE 8000
# Spark forks Python workers; tini buries those that are left to process 1.
ENTRYPOINT ["tini", "--"]
CMD ["uvicorn", "timeline_app.asgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--http", "timeline_app.web.core.http_limits:GuardedHttp"]
