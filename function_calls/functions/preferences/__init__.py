"""The functions about how a person or chat is served: time zone and quiet hours."""
