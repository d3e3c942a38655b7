"""`Holdfast("https://…")`: the calls of a client, over the HTTP API of a server."""
