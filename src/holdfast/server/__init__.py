"""The HTTP server: a thin face that speaks through the client."""
