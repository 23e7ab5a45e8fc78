"""Certificates of one's own, for the zones that have a network: of a proxy or of a server inside."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator import errors

if TYPE_CHECKING:
    from evaluator.cli.session import Session

VARIABLE = "RAG_ASSAY_CA"
"""Holds them: a zone sees no file of the machine's."""

READ_BY = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
"""By which requests, the clients of judges and uv find certificates. Each takes them in place of the usual ones."""


def trust(session: Session) -> None:
    """Have them trusted beside the usual ones, by this process and by those that it starts.

    Raises:
        UsageError: they are none.
    """
    own = session.environment.get(VARIABLE, "")
    if not own:
        return
    import ssl  # noqa: PLC0415 - hardly anybody needs it

    import certifi  # noqa: PLC0415 - comes with what asks over a network

    try:
        ssl.create_default_context(cadata=own)
    except (ssl.SSLError, ValueError):
        raise errors.UsageError("the file that NODE_EXTRA_CA_CERTS names holds no certificates in PEM") from None
    usual = Path(certifi.where()).read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", suffix=".pem", delete=False, encoding="utf-8") as bundle:
        bundle.write(f"{usual}\n{own}\n")
    found = dict.fromkeys(READ_BY, bundle.name)
    os.environ.update(found)
    session.environment = {**session.environment, **found}
