"""What a person sees: tables, the summary of a bench, listings, comparisons, the report."""
