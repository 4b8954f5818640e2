"""Numbers with a name."""

# Launches that fit into the queue of a CUDA stream.
CUDA_MAX_LAUNCH_QUEUE_PER_STREAM = 1024
