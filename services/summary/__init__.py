"""Summarise stored chat history; each bullet cites its source messages."""
