"""What machines ask: metrics, and whether all is well."""
