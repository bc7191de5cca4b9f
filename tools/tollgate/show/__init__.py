"""Output for people: tables, the summary of a bench, listings, comparisons, the report."""
