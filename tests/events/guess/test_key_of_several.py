"""A key of several fields, chosen for a sample."""

from __future__ import annotations

from timeline_app.events.guess import guess, read_sample
from timeline_app.events.mapping import parse_mapping


def test_the_fields_of_a_key_of_several_are_neither_the_id_nor_declared() -> None:
    rows = "".join(
        f'{{"machine": "m{index % 2}", "job_id": "j{index}", "t": {1_719_824_400_000 + index}, "level": {index}}}\n'
        for index in range(9)
    )
    assert guess(read_sample(rows.encode()), {}).document["id"] == "job_id"
    guessed = guess(read_sample(rows.encode()), {"key": '["machine","job_id"]'})
    assert guessed.document["id"] is None
    assert set(guessed.document["fields"]) == {"level"}
    assert [row.key for row in guessed.rows[:2]] == ['["m0","j0"]', '["m1","j1"]']


def propose_key(*columns: str, rows: int = 60) -> tuple[str | None, str]:
    """The key that is proposed for rows of a table, each with a time that the others of its turn have, and why."""
    head, *lines = columns
    body = "\n".join(
        [head, *(line.format(t=1_719_824_400_000 + index) for index in range(rows) for line in lines)]
    )
    guessed = guess(read_sample(body.encode()), {})
    [key] = [item for item in guessed.guesses if item.what == "key"]
    return key.value, key.why


def test_a_key_of_several_fields_is_proposed_where_one_does_not_tell_rows_apart() -> None:
    lines = [f"{plant},{line},{{t}},1.5" for plant in ("Ulm", "Bonn") for line in ("north", "south")]
    key, why = propose_key("plant,line,time,level", *lines)
    assert key == '["plant","line"]'
    assert "120 of 240 events share plant and time with one before them" in why
    assert "with line each is one of its own" in why


def test_one_field_stays_the_key_where_it_tells_rows_apart_or_no_other_does() -> None:
    lines = [f"{plant},{index % 2},{{t}},1.5" for index, plant in enumerate(("Ulm", "Bonn", "Rom"))]
    assert propose_key("machine,shift,time,level", *lines)[0] == "machine"
    states = [f"m1,{state},{{t}}" for state in ("on", "off")]
    assert propose_key("machine,state,time", *states)[0] == "machine", "a state is no name"
    twice = ["m1,hall,{t},2.5"] * 2
    assert propose_key("machine,room,time,level", *twice)[0] == "machine", "no other field differs"


def test_a_sample_is_guessed_with_its_fields_mapped() -> None:
    body = "Anlage;Zeit;Pegel;Werk\n" + "".join(
        f"m{index % 3};{1_719_824_400_000 + index};{index},5;Ulm\n" for index in range(9)
    )
    rules = [{"to": "machine", "from": "Anlage"}, {"to": "level", "from": "Pegel", "cast": "decimal_comma"},
             {"to": "site", "constant": "Ulm"}]  # fmt: skip
    sample = read_sample(body.encode(), parse_mapping(rules))
    guessed = guess(sample, {"time": "Zeit"})
    assert guessed.document["key"] == "machine"
    assert guessed.document["fields"] == {"Werk": "text", "level": "number", "site": "text"}
    assert guessed.rows[1].values == {"level": "1.5", "Werk": "Ulm", "site": "Ulm"}
    assert sample.before[0] == {"Anlage": "m0", "Zeit": "1719824400000", "Pegel": "0,5", "Werk": "Ulm"}
