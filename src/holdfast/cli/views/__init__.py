"""What the commands show, and the words that they share."""
