"""Random flows, and what must become of them."""
