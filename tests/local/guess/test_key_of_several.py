"""A key of several fields, chosen for a sample."""

from __future__ import annotations

from timeline_app.local.guess import guess, read_sample


def test_the_fields_of_a_key_of_several_are_neither_the_id_nor_declared() -> None:
    rows = "".join(
        f'{{"machine": "m{place % 2}", "job_id": "j{place}", "t": {1_719_824_400_000 + place}, "level": {place}}}\n'
        for place in range(9)
    )
    assert guess(read_sample(rows.encode()), {}).document["id"] == "job_id"
    guessed = guess(read_sample(rows.encode()), {"key": '["machine","job_id"]'})
    assert guessed.document["id"] is None
    assert set(guessed.document["fields"]) == {"level"}
    assert [row.key for row in guessed.rows[:2]] == ['["m0","j0"]', '["m1","j1"]']
