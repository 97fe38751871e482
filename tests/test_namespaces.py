"""The public namespaces: every name resolves, and importing one loads nothing heavy."""

import subprocess
import sys
from types import ModuleType

import pytest

import workbench as wb


@pytest.mark.parametrize("name", ["mechanisms", "onerun", "selection", "training"])
def test_every_public_name_of_a_namespace_resolves(name):
    namespace = getattr(wb, name)
    assert len(namespace.__all__) > 10
    for public in namespace.__all__:
        assert getattr(namespace, public) is not None
    with pytest.raises(AttributeError, match="nothing"):
        namespace.nothing  # noqa: B018


@pytest.mark.parametrize(
    "name", [name for name in wb.__all__ if isinstance(getattr(wb, name), ModuleType)]
)
def test_a_module_is_found_by_a_program_that_has_imported_nothing_else(name):
    subprocess.run([sys.executable, "-c", f"import workbench; workbench.{name}"], check=True)


def test_a_namespace_and_the_flat_names_agree():
    assert wb.onerun.one_run_bound is wb.one_run_bound
    assert wb.mechanisms.Domain is wb.Domain
    assert wb.training.simulate_canaries is wb.simulate_canaries


def test_importing_a_lazy_namespace_loads_nothing_heavy():
    code = (
        "import sys, workbench.onerun, workbench.mechanisms, workbench.training; "
        "print([m for m in ('scipy', 'pandas', 'dp_accounting') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
