"""Feishu and Lark, over the long connection of their SDK."""
