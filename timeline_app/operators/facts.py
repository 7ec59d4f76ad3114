"""Facts of the results of operators on numbers, before any event; shared by several operators."""

from collections.abc import Mapping
from dataclasses import replace

from timeline_app.algebra.kinds import Kind
from timeline_app.operators.base import Facts, WrongInputs

Inputs = Mapping[str, Facts]


def derive_comparison_facts(inputs: Inputs, *_: object) -> Facts:
    """Derive the facts of a comparison: a ratio has no second number beside it."""
    if inputs["of"].kind is Kind.RATIO and "other" in inputs:
        hint = "compare the ratio with a value, or multiply both sides out"
        raise WrongInputs("other", "a ratio of climbing numbers is compared with a value only", hint)
    return Facts(Kind.BOOL)


def derive_sum_facts(inputs: Inputs, *_: object) -> Facts:
    """Derive the facts of a sum or difference: it climbs where one does, and accumulates where both do."""
    accumulates = "other" in inputs and all(item.accumulates for item in inputs.values())
    return Facts(Kind.NUMBER, all(item.steady for item in inputs.values()), accumulates)


def derive_product_facts(inputs: Inputs, *_: object) -> Facts:
    """Derive the facts of a product: only one side may climb; with a value it accumulates as the number does."""
    of, other = inputs["of"], inputs.get("other", Facts(Kind.NUMBER))
    if not of.steady and not other.steady:
        hint = "multiply by a count, a field or a value"
        raise WrongInputs("other", "both numbers climb; their product is no line", hint)
    return Facts(of.kind, of.steady and other.steady, of.accumulates and "other" not in inputs)


def derive_quotient_facts(inputs: Inputs, *_: object) -> Facts:
    """Derive the facts of a quotient: a ratio for a climbing divisor; by a value it accumulates as the number does."""
    of, other = inputs["of"], inputs.get("other", Facts(Kind.NUMBER))
    if other.steady:
        return replace(of, accumulates=of.accumulates and "other" not in inputs)
    if of.kind is Kind.RATIO:
        hint = "divide by a value or a steady number"
        raise WrongInputs("other", "a ratio is divided by a number that climbs", hint)
    return Facts(Kind.RATIO, steady=False)


def derive_same_facts(inputs: Inputs, *_: object) -> Facts:
    """Derive the facts of an operator that keeps the values of `of`, without accumulation and runs."""
    return replace(inputs["of"], accumulates=False, runs=False)


def derive_choice_facts(inputs: Inputs, *_: object) -> Facts:
    """Derive the facts of a choice between `of` and `otherwise`."""
    branches = [inputs[port] for port in ("of", "otherwise") if port in inputs]
    kinds = {item.kind for item in branches}
    kind = Kind.RATIO if Kind.RATIO in kinds else branches[0].kind
    return Facts(kind, all(item.steady for item in branches))


def derive_run_facts(inputs: Inputs, *_: object) -> Facts:
    """Derive the facts of an operator that queries the runs of a sequence."""
    if not inputs["of"].runs:
        hint = "wire the sequence itself; changed_to counts how often any other text becomes a value"
        raise WrongInputs("of", "only a sequence has runs", hint)
    return Facts(Kind.NUMBER)
