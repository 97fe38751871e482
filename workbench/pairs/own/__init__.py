"""Pairs of other people: `function_pair` makes one of functions, `kinds` lists pairs by name."""
