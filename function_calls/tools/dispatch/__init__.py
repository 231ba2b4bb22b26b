"""Run a call: approval, hooks, execution, events and receipts."""
