"""What every adapter of a chat platform needs: text in pieces and spans, pace, and connections that come back."""
