"""Defaults of arguments."""

# Where traces are looked for unless a folder is named.
DEFAULT_TRACE_DIR = "/tmp/trace"
