"""Make calls of requests to be reminded: contents, people, times and options."""
