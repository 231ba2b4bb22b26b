"""Remove thoughts, tokens of chat templates and invented turns from a model's text.

Sources: the chat templates of Qwen, DeepSeek, Magistral, Seed-OSS, Kimi-VL, Command A, GLM-V, Llama, Gemma, and
https://cookbook.openai.com/articles/openai-harmony for gpt-oss.
"""

import re

_TAGS = r"think(?:ing)?|thoughts?|reasoning|reflection|scratchpad"
_THOUGHTS = (
    rf"(?is)<(?:\w+:)?({_TAGS})>.*?(?:</(?:\w+:)?\1>|\Z)"
    r"|\[THINK\].*?(?:\[/THINK\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)"
    r"|<\|START_THINKING\|>.*?(?:<\|END_THINKING\|>|\Z)|<\|begin_of_thought\|>.*?(?:<\|end_of_thought\|>|\Z)"
    r"|<\|channel\|>analysis<\|message\|>.*?(?:<\|end\|>|(?=<\|start\|>|<\|channel\|>)|\Z)"
    r"|\Aanalysis(?=[A-Z\u4e00-\u9fff]).*?assistant(?:final|(?=commentary))"
)
# If the template opened the block, or blocks are nested, everything before the last end tag is a thought.
_END_OF_THOUGHTS = r"(?is)\A.*</(?:\w+:)?(?:think|thinking)>"
_SIGNS = ("hink", "THINK", "hought", "easoning", "eflection", "scratchpad", "analysis")

_INVENTED_TURN = (
    r"(?s)(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>)\s*(?:user|system|tool|ipython)\b.*"
    r"|\[INST\].*"
)
# Prompt text that a model repeats.
_ECHOES = (
    r"(?s)<tool_(?:response|result|output)s?>.*?(?:</tool_(?:response|result|output)s?>|\Z)"
    r"|<context>\s*user:.*?(?:</context>|\Z)"
)
_TOKENS = (
    r"(?i)(?:<\|start\|>\w+)?<\|channel\|>\w+(?:<\|constrain\|>\w+)?<\|message\|>|<\|start\|>assistant|"
    r"<\|start_header_id\|>\w+<\|end_header_id\|>|<\|im_start\|>(?:assistant)?|<start_of_turn>(?:model)?|<end_of_turn>|"
    r"</?(?:tools?|tool_calls?|toolcalls?|tool-use|function_calls?|tool_use|tool_response|function|invoke|parameter)"
    r"(?:[=\s][^<>]*)?>"
    r"|</?(?:s|eos|bos|answer|final_answer)>|<[|｜][^<>\s]{1,40}[|｜]>|\[/?(?:TOOL_CALLS|INST)\]|◁/?think▷"
)
_TURN_SIGNS = ("<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "[INST]")


def remove_thoughts(text: str) -> str:
    """Return `text` without the thoughts of a reasoning model, and without invented turns."""
    if any(sign in text for sign in _TURN_SIGNS):
        text = re.sub(_INVENTED_TURN, "", text)
    if not any(sign in text for sign in _SIGNS):
        return text
    return re.sub(_END_OF_THOUGHTS, "", re.sub(_THOUGHTS, "", text))


def remove_echoes(text: str) -> str:
    """Return `text` without repeated results and circumstances from the prompt."""
    return re.sub(_ECHOES, "", text) if "<tool_" in text or "<context>" in text else text


def remove_tokens(text: str) -> str:
    """Return `text` without tokens of a chat template and tags of calls."""
    return re.sub(_TOKENS, "", text) if "<" in text or "[" in text or "◁" in text else text
