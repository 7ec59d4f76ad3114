"""Lazy expressions over sessions, in Polars."""

from __future__ import annotations

from pathlib import Path

from benchmarks.peers.question import WINDOW_MS, Answer


def run_polars_lazy(path: Path, last: int, cdn: str | None = None) -> Answer:
    import polars as pl  # noqa: PLC0415 (what others need not carry)

    events = pl.scan_parquet(path).select(
        "session_id", "t", "player_state", "user_action", *(["cdn"] if cdn else [])
    )
    states = events.sort("session_id", "t").with_columns(
        state=pl.col("player_state").forward_fill().over("session_id"),
        on_cdn=pl.col("cdn").forward_fill().over("session_id") == cdn if cdn else pl.lit(True),
        sought=pl.when(pl.col("user_action") == "seek").then("t").forward_fill().over("session_id"),
        plays=(pl.col("player_state") == "play").fill_null(False).cum_sum().over("session_id"),
        until=pl.col("t").shift(-1).over("session_id").fill_null(last),
    )
    calm_from = pl.max_horizontal("t", pl.col("sought") + WINDOW_MS)
    induced = (pl.col("plays") > 0) & (pl.col("state") == "buffer") & pl.col("on_cdn")
    spent = pl.when(induced).then((pl.col("until") - calm_from).clip(0)).otherwise(0)
    result = states.group_by("session_id").agg(spent=spent.sum() * 1_000).collect()
    return result["session_id"].to_list(), result["spent"].to_numpy()
