"""The page of our own API, for people with a browser."""
