"""What the bot can do: reminders, history, search, summaries; knows neither networks nor tools."""
