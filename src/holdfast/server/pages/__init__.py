"""The web pages: files that are built from `ui/`, and how they are served."""
