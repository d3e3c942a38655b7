"""What is told as it happens: one reader of the store for many subscribers, and streams that end in order."""
