"""The files of our laboratory: one table, with the columns attack_loss and was_in."""

import workbench as wb

LAB_NOTES = wb.LabeledScores(
    "lab notes", r"attack_\w+", "was_in", remarks=("Rows are independent runs",)
)
