"""Run a call: approval, execution, receipts."""
