"""Train and measure the network of `function_calls.understanding.reading`."""
