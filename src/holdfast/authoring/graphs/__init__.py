"""Graphs of workflows and their drawings. A DAG or a flow becomes a `Graph`; terminal and Mermaid draw from
it."""
