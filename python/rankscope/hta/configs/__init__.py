"""Configuration, by HTA's names."""
