"""From words to calls to results: tools, validation and the loop; knows no chat platform."""
