"""What is behind TraceAnalysis and has a name of its own in HTA."""
