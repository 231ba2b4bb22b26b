"""The test kit for authors of functions, plugins and platforms.

Talk to a bot without a network, a key or waiting:

- `platform.FakePlatform`: a chat in memory: say something, read what the bot answered.
- `clocks.LoopClock`, `FixedClock`, `StandingClock`: clocks that follow the event loop, stand until set, or just stand.
- `clocks.LoopTimetable`, `InlineExecutor`: wake-ups and threads in the event loop's time.
- `in_memory.build_in_memory`: a whole bot whose days pass in no time.
- `in_memory.open_rehearsal`, `play`, `dialogues.load_dialogue`: dialogues as TOML files, run against such a bot.
- `in_memory.talk_to_bot`: the answers of a whole bot, with your functions and plugins.
- `fixtures`: pytest fixtures `call_tool`, `talk`, `fake_clock`.

Check a platform:

- `contracts.PlatformContract`: what every platform must do, as tests; `platform_rig.PlatformRig` is what it needs.

Check a function:

- `tool_contracts.assert_tool_contract`: both checks agree on arguments made from the schema, and no broken one runs.
- `turns.make_turn`, `make_context`, `make_message`, `make_tool`: what interpreters and functions are given.

Stand in for a language model:

- `models.ScriptedModel`, `ScriptedInterpreter`: play completions or calls in order and remember what they were shown.
"""
