"""The functions of the memory: what somebody asked to be kept in mind."""
