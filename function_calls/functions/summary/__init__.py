"""What is summed up, and how it is worded: windows of time, bullets, offers, digests."""
