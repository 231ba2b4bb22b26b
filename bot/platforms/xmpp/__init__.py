"""XMPP multi-user chat, through slixmpp."""
