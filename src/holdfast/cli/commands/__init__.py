"""The commands, one file per noun. Each registers itself with the app in `main`."""
