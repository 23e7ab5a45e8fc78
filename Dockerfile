# The image that every zone of the Action runs in. A release builds it from a base by digest:
#   docker build --build-arg BASE=python:3.13-slim-trixie@sha256:... --build-arg VERSION=... --build-arg REVISION=... .
ARG BASE=python:3.13-slim-trixie

FROM ${BASE} AS build
WORKDIR /build
COPY requirements-image.txt ./
# Every dependency is a wheel whose hash is known, so nothing is compiled and no build tool is needed.
RUN python -m venv --without-pip /opt/rag-assay \
    && python -m pip --python /opt/rag-assay/bin/python install --no-cache-dir --no-compile \
        --disable-pip-version-check --require-hashes --only-binary :all: --requirement requirements-image.txt \
    && rm -f /opt/rag-assay/bin/uvx \
    && ln -s /opt/rag-assay/lib/python3.*/site-packages /opt/rag-assay/packages
# The same layout as in a wheel: templates and the example are the package's data.
COPY evaluator /opt/rag-assay/packages/evaluator
COPY templates /opt/rag-assay/packages/evaluator/_data/templates
COPY examples/handbook /opt/rag-assay/packages/evaluator/_data/examples/handbook
COPY scripts/rag-assay /opt/rag-assay/bin/rag-assay
# Compiled once here, because the file system is read-only later; the sources cannot change, so they are not looked at.
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/rag-assay/lib

FROM ${BASE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="RAG Assay" \
      org.opencontainers.image.description="Gates pull requests on the measured quality of a RAG system." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Two users: one for our own zones, one for the zone that runs the code under test. /deps is where a volume is mounted,
# which takes over its owner.
RUN groupadd --gid 10001 assay && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin assay \
    && groupadd --gid 10002 pipeline \
    && useradd --uid 10002 --gid 10002 --no-create-home --shell /usr/sbin/nologin pipeline \
    && install --directory --owner 10001 --group 10001 /deps
COPY --from=build /opt/rag-assay /opt/rag-assay
# PYTHONSAFEPATH: what lies in the working directory is never imported.
ENV PATH=/opt/rag-assay/bin:$PATH \
    PYTHONSAFEPATH=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    LANG=C.UTF-8
USER 10001:10001
WORKDIR /
ENTRYPOINT ["python", "-m", "evaluator"]
