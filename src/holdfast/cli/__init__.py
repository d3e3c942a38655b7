"""The command line, thin over the client.

`commands` has one file per noun: options, one call, one view. `arguments` reads what users type. `watching`
is one `holdfast run`. `views` has everything that is shown.
"""
