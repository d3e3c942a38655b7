"""Flow graphs: nodes that are visited one after the other, over state that they share."""
