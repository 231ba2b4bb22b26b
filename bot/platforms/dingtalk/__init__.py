"""DingTalk, over its Stream mode."""
