"""The token that a Spark Connect server and its clients share. With it, anybody runs code as the server's user."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyspark.sql.connect.client import DefaultChannelBuilder

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class PresharedChannel(DefaultChannelBuilder):
    """A channel that sends the token in clear text to this machine, and where the address says `use_ssl=false`.

    PySpark speaks TLS to every host but `localhost` as soon as there is a token; so does this one elsewhere.
    """

    @property
    def token(self) -> str | None:
        """Return the token of the address, else of the environment; None where it is empty."""
        return super().token or None

    @property
    def secure(self) -> bool:
        """Whether the channel uses TLS."""
        setting = self.getDefault(self.PARAM_USE_SSL, "").lower()
        return setting == "true" or (
            setting != "false" and self.token is not None and self.host not in LOOPBACK
        )

    def metadata(self) -> Iterable[tuple[str, str]]:
        """Return the metadata of each call; with TLS, PySpark adds the token to the credentials."""
        sent = list(super().metadata())
        return [*sent, ("authorization", f"Bearer {self.token}")] if self.token and not self.secure else sent


def hide_token(remote: str) -> str:
    """Return the address with its token masked."""
    return re.sub(r"(;token=)[^;]*", r"\1…", remote)
