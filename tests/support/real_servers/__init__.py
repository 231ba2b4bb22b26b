"""Real chat servers on loopback for tests: ngircd, miniircd, Prosody, Synapse. A missing one is a skipped test."""
