"""From what users type to values: workflows, runs, inputs, plans, documents."""
