"""Traces, their symbols and filters, by HTA's names."""
