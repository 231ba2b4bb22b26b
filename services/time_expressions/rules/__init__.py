"""The rules of the languages: lexicons compiled into vocabularies, graphs of rules, idioms and actions."""
