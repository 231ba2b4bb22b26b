"""Tools of other servers: fetched, called and kept alive here; `function_calls.toolsets` says what they are."""
