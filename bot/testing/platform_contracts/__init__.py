"""What every chat platform must do, as tests, by what is asked of it; `bot.testing.contracts` has them all."""
