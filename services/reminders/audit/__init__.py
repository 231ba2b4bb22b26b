"""Check that no occurrence of a period was lost or sent twice."""
