"""Login through OpenID Connect."""
