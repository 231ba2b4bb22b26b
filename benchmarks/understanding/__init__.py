"""Train and measure the classifier and the tagger of `function_calls.understanding.reading`."""
