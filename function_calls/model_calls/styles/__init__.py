"""The ways of making a model choose a tool: native calls, the prompt of Open WebUI, and enforced JSON."""
