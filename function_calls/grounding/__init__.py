"""Compare the calls that an interpreter chose with the person's message, once, before they are dispatched."""
