"""Helpers, by HTA's names."""
