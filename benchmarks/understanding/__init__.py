"""Train and evaluate the network of `function_calls.understanding.reading`."""
