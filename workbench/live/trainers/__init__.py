"""Audits from the training loops that people use: Hugging Face, Lightning, and loops of their own.

- `watch`: `TrainingWatch`, what every loop calls after a step; the two callbacks are made of it.
- `hugging_face`, `lightning`: their callbacks, subclasses of the real base class.
- `undisturbed`: a model is scored, and the training goes on as if it had not been.
- `ready_scores`: scores that are often wanted: losses of records, log-probabilities of texts.

The libraries are those of your program; none is imported before a function here is called.
"""
