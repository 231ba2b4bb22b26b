"""Say again the verb that a second person of a list is left without: "call Ann at 9 and Bob at 10"."""

from collections.abc import Iterable

from function_calls.understanding.pack import LanguagePack


def with_their_verbs(contents: Iterable[str], pack: LanguagePack) -> list[str]:
    """`contents`, in order; one that is nothing but a person does what the one before it does with a person."""
    whole: list[str] = []
    verb = ""
    for content in contents:
        if pack.somebody.fullmatch(content):
            whole.append(f"{verb} {content}" if verb else content)
            continue
        deed = pack.to_somebody.match(content)
        verb = deed[0].rstrip() if deed and pack.somebody.compiled.fullmatch(content, deed.end()) else ""
        whole.append(content)
    return whole
