"""`holdfast dev`: a supervisor with the terminal and the socket, and a child process that serves."""
