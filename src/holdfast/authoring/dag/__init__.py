"""Workflows as YAML: a DAG of shell commands, plain functions, waits and other workflows."""
