"""How often a method exceeds the truth, and how far below it stays, measured by simulation."""
