"""Speed and memory, measured: ``python -m benchmarks`` runs every module here that has ``main``."""
