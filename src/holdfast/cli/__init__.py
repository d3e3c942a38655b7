"""The command line: a thin face over the client. One file a noun; `main` puts them together."""
