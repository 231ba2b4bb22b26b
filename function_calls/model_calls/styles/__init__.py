"""Make a model choose a tool: by native calls, by Open WebUI's prompt, or by enforced JSON."""
