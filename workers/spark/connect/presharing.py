"""The token that a Spark Connect server and its clients share: whoever has it runs any code as the server's user."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyspark.sql.connect.client import DefaultChannelBuilder

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


class PresharedChannel(DefaultChannelBuilder):
    """A channel that carries the token in the clear to this machine, and where the address says `use_ssl=false`.

    PySpark speaks TLS to every host but `localhost` as soon as there is a token, and so does this one else.
    """

    @property
    def token(self) -> str | None:
        """The token of the address, else of the environment; none where it is empty."""
        return super().token or None

    @property
    def secure(self) -> bool:
        """Whether TLS is spoken."""
        said = self.getDefault(self.PARAM_USE_SSL, "").lower()
        return said == "true" or (said != "false" and self.token is not None and self.host not in LOOPBACK)

    def metadata(self) -> Iterable[tuple[str, str]]:
        """What each call carries; with TLS PySpark adds the token to the credentials itself."""
        sent = list(super().metadata())
        return [*sent, ("authorization", f"Bearer {self.token}")] if self.token and not self.secure else sent


def hide_token(remote: str) -> str:
    """An address to be shown."""
    return re.sub(r"(;token=)[^;]*", r"\1…", remote)
