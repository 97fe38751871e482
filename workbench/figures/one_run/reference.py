"""The value with which bounds on ε are compared."""

from __future__ import annotations

from dataclasses import dataclass

from workbench._format import round_safely
from workbench.figures.kit import dot_rows
from workbench.figures.kit.marks import LEFT, Mark, label, rule


@dataclass(frozen=True)
class ReferenceValue:
    """What bounds on ε are compared with: the truth, or what is claimed."""

    name: str
    epsilon: float

    def rule(self) -> list[Mark]:
        """A level rule at ε, and its name and value above the left end."""
        text = f"{self.name}: {round_safely(self.epsilon, 'nearest')}"
        return [
            rule(dot_rows.COMPARED, y=self.epsilon),
            label(LEFT, self.epsilon, text, "ink", ha="left", va="bottom", dx=4),
        ]
