"""One `holdfast run`: the session, and the watcher that looks at its run."""
