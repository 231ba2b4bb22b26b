"""Whether each `undo="name"` names a function that can take the change back; asked when all functions are there."""

from collections.abc import Iterable, Mapping

from function_calls.checking.argument_errors import nearest
from function_calls.declaring.parameters import Fault
from function_calls.registry import RegisteredTool, declared_wrongly

_OTHERWISE = "Or give undo= a function of arguments and result that returns the UndoStep."


def check_inverses(tools: Iterable[RegisteredTool], among: Iterable[RegisteredTool]) -> None:
    """Look for the inverses of `tools` among all functions that there are.

    Raises:
        SignatureInvalid: there is none of that name, or it needs arguments that the other may be called without.
        ValueError: the same, of a class tool.
    """
    known = {each.name: each for each in among}
    for tool in tools:
        name = tool.options.undo
        if isinstance(name, str):
            try:
                _check(tool.spec.parameters, name, known)
            except Fault as fault:
                raise declared_wrongly(tool.source, fault) from fault


def _check(parameters: Mapping[str, object], name: str, known: Mapping[str, RegisteredTool]) -> None:
    inverse = known.get(name)
    if inverse is None:
        near = nearest(name, known)
        first = f"Write undo={near!r}." if near else "Register that function too."
        raise Fault("", f"undo={name!r} is no function", f"{first} {_OTHERWISE}")
    taken = inverse.spec.parameters
    missing = _names(taken, "required") - _names(parameters, "required")
    if missing:
        raise _unlike(name, f"needs {_listed(missing)}, which it need not be called with")


def _unlike(name: str, problem: str) -> Fault:
    return Fault("", f"undo={name!r} {problem}", f"Give {name} the same arguments. {_OTHERWISE}")


def _names(parameters: Mapping[str, object], keyword: str) -> set[str]:
    names = parameters.get(keyword)
    return set(names) if isinstance(names, Mapping | list) else set()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
