"""The HTTP API: thin routes over the client."""
