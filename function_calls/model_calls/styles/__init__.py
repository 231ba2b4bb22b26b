"""Request and parse calls: native, by Open WebUI's prompt, or by enforced JSON."""
