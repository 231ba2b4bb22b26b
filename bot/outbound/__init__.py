"""Sending of messages: outbox, drafts, reminders, retries and platform leases."""
