"""Routes that speak as earlier systems did, for clients that were written for them."""
