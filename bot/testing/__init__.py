"""The test kit for authors of functions, plugins and platforms.

Talk to a bot without a network, a key or waiting:

- `platform.FakePlatform`: a chat platform in memory.
- `clocks.LoopClock`, `FixedClock`, `StandingClock`: a clock that follows the event loop, one that naps and tests move,
  and one that only tests move.
- `clocks.LoopTimetable`, `InlineExecutor`: wake-ups and threads in the event loop's time.
- `in_memory.build_in_memory`: a whole bot in the event loop's time.
- `in_memory.open_rehearsal`, `play`, `dialogues.load_dialogue`: dialogues as TOML files, run against such a bot.
- `in_memory.talk_to_bot`: the answers of a whole bot, with your functions and plugins.
- `fixtures`: pytest fixtures `call_tool`, `talk`, `fake_clock`.

Check a platform:

- `contracts.PlatformContract`: tests that every platform must pass; a `platform_rig.PlatformRig` connects them to it.

Check a function:

- `tool_contracts.assert_tool_contract`: both validations agree on arguments made from the schema, and no invalid ones
  reach the function.
- `turns.make_turn`, `make_context`, `make_message`, `make_tool`: the arguments of interpreters and functions.

Replace a language model:

- `models.ScriptedModel`, `ScriptedInterpreter`: return completions or calls in order and record the requests.
"""
