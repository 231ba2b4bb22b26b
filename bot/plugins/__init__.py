"""Plugins: loading, validation, failure isolation and reloading.

A plugin is a module: a file or package in the plugins folder, or what an entry point of the group `bubbles.plugins`
names. Either it only has functions under `@tool_function`, or it has `setup(add)`, which appends to the lists of
`bot.plugins.contributions.Contributions`.
"""
