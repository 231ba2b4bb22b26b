"""Pages of the web as readable text, fetched without being led into the network of the bot's own machine."""
