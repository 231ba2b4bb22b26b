"""The test kit: what the bot itself is tested with, for those who write functions, plugins and platforms.

Talk to a bot without a network, a key or waiting:

- `platform.FakePlatform`: a chat in memory: say something, read what the bot answered.
- `clocks.LoopClock`, `FixedClock`, `StandingClock`: clocks that follow the event loop, stand until set, or just stand.
- `timetables.LoopTimetable`, `threads.InlineExecutor`: wake-ups and threads in the event loop's time.
- `rehearsal.build_in_memory`: a whole bot whose days pass in no time.
- `rehearsal.rehearsed`, `play`, `dialogues.load_dialogue`: dialogues as TOML files, run against such a bot.
- `talking.said`: what a whole bot, with your functions and plugins, says to a sentence.
- `fixtures`: pytest fixtures `call_tool`, `talk`, `fake_clock`.

Check a platform:

- `contracts.PlatformContract`: what every platform must do, as tests; `platform_rig.PlatformRig` is what it needs.
- `real_servers`: ngircd, miniircd, Prosody, Synapse on loopback; `conversation.converse`: three people and a bot there.

Check a function:

- `tool_contracts.assert_tool_contract`: both checks agree on arguments made from the schema, and no broken one runs.
- `turns.make_turn`, `make_context`, `make_message`, `make_tool`: what interpreters and functions are given.
- `records.make_turn_record`, `make_call_record`, `make_completion_record`: what records are tested with.

Stand in for a language model or a search engine:

- `models.ScriptedModel`, `ScriptedInterpreter`: play completions or calls in order and remember what they were shown.
- `model_traffic.RecordingModel`, `ReplayedModel`: real traffic, kept in a file without secrets and played back.
- `openai_server.OpenAIServer` with `openai_answers`: an OpenAI-compatible server on loopback, well or badly behaved.
- `search_server.SearchServer`: Perplexity, SearXNG, Tavily and Brave in their recorded forms.
"""
