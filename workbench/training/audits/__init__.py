"""Audits that train models: who is in, what is scored, and what the scores become.

`base` has `TrainingAudit`, which every kind derives from, and `scored_models` what it shares with
runs of anything else; `rows` has the scores as they come, and `parameters` settings and audits as
plain tables. `registry` has all kinds by name:

- `black_box`: many models with and without one record;
- `one_shot`: one model, training records against held-out ones;
- `one_run`: one model, many canary records that are in by fair coins;
- `many_records`: many models, each record in by its own fair coin;
- `federated`: one model, random canary updates in it;
- `white_box`: canaries in the gradients, in many models or in one, scored by all noisy gradients.

`one_record` has what audits of many models share. Kinds choose an `audited_record`,
`initial_weights` and a `loss_score`.
"""
