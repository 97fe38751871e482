"""The page of mechanisms with code that takes data frames."""

import numpy as np

import workbench as wb
from workbench.pages.mechanism.page import MechanismPage

DOMAIN = wb.TableDomain({"x": (0.0, 1.0), "y": ["a", "b"]}, user="id", max_rows_per_user=3)


def total(frame, size, rng):
    return frame.x.sum() + rng.laplace(size=size)


def test_given_code_brings_its_tables_and_relations():
    given = wb.mechanism_from(total, "pure(1)", domain=DOMAIN, neighboring_relation="user")
    page = MechanismPage(given)
    assert list(page.param.relation.objects.values() if isinstance(
        page.param.relation.objects, dict) else page.param.relation.objects) == [
        "add-remove", "substitute", "user",
    ]  # fmt: skip
    assert page.relation == "user"
    assert DOMAIN.in_words().rstrip(".") in page.described()
    asked = page.choice.source()
    assert asked["neighboring_relation"] == "user"
    assert "domain" not in asked  # the mechanism has it
    page.relation = "substitute"
    assert page.choice.source()["neighboring_relation"] == "substitute"


def test_code_without_tables_is_asked_for_arrays():
    page = MechanismPage(lambda dataset, size, rng: np.sum(dataset) + rng.laplace(size=size))
    assert page.choice.tables() is None
    assert page.choice.source()["domain"] == wb.Domain()
    assert page.relation == "add-remove"
