"""Docstrings of several styles, which give the same description and parameter texts."""

import dataclasses
import inspect

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from function_calls.tools.declaration.signature import analyse
from function_calls.tools.validation.docstrings import parse_docstring

GOOGLE = """Search the web.

    Args:
        query (str): What to look for,
            with: a colon.
        limit (int, optional): How many.

    Returns:
        list: The hits.
    """
NUMPY = """Search the web.

    Parameters
    ----------
    query : str
        What to look for,
        with: a colon.
    limit : int, optional
        How many.

    Returns
    -------
    list
        The hits.
    """
SPHINX = """Search the web.

    :param str query: What to look for,
        with: a colon.
    :param limit: How many.
    :type limit: int
    :returns: The hits.
    :rtype: list
    """
EPYTEXT = """Search the web.

    @param query: What to look for, with: a colon.
    @param limit: How many.
    @return: The hits.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX, EPYTEXT], ids=["google", "numpy", "sphinx", "epytext"])
def test_every_style_gives_the_same_texts(text: str):
    docs = parse_docstring(text)

    assert docs.description == "Search the web."
    assert docs.parameters == {"query": "What to look for, with: a colon.", "limit": "How many."}


def test_chinese_titles_and_punctuation_are_understood():
    docs = parse_docstring("设置提醒。\n\n参数：\n    content（str）：提醒的内容\n    when: 时间\n返回：\n    结果")

    assert docs.description == "设置提醒。"
    assert docs.parameters == {"content": "提醒的内容", "when": "时间"}


def test_each_paragraph_of_the_description_is_one_line():
    docs = parse_docstring("Add a thing\n    to the list.\n\n    More about it.")

    assert docs.description == "Add a thing to the list.\n\nMore about it."


def test_text_after_a_section_belongs_to_the_description():
    docs = parse_docstring("Do it.\n\nArgs:\n    x: The x.\n\nOnly on weekdays.")

    assert docs.description == "Do it.\n\nOnly on weekdays."
    assert docs.parameters == {"x": "The x."}


def test_bullets_in_a_parameter_text_stay_on_their_lines():
    docs = parse_docstring(
        "Do it.\n\nArgs:\n    mode: One of:\n        - a: first\n        - b: second\n    n: Number."
    )

    assert docs.parameters == {"mode": "One of:\n- a: first\n- b: second", "n": "Number."}


@pytest.mark.parametrize("title", ["Returns", "Raises", "Yields", "Example", "Examples", "Note"])
def test_other_sections_are_not_in_the_description(title: str):
    docs = parse_docstring(f"Do it.\n\n{title}:\n    ValueError: secret words.\n")

    assert docs.description == "Do it."
    assert docs.parameters == {}


@pytest.mark.parametrize("sentence", ["Returns: the number of rows.", "Remember: this is costly."])
def test_a_title_with_its_text_on_the_line_is_a_section_only_if_it_is_known(sentence: str):
    docs = parse_docstring(f"Do it.\n\n{sentence}")

    assert ("Remember" in docs.description) is sentence.startswith("Remember")
    assert "Returns" not in docs.description


def test_entries_without_indentation_are_entries():
    docs = parse_docstring("Do it.\n\nArgs:\nx: The x.\ny: The y.\nReturns:\nNothing.")

    assert docs.parameters == {"x": "The x.", "y": "The y."}


def test_star_arguments_and_shared_entries_are_named_plainly():
    docs = parse_docstring("Do.\n\nParameters\n----------\nx, y : int\n    Both.\n**options\n    The rest.")

    assert docs.parameters == {"x": "Both.", "y": "Both.", "options": "The rest."}


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_missing_docstring_gives_empty_texts(text: str | None):
    docs = parse_docstring(text)

    assert (docs.description, docs.parameters) == ("", {})


def test_raw_and_cleaned_docstring_give_the_same_texts():
    def tool(x: int) -> None:
        """Do it.

        Args:
            x: The x.
        """

    assert parse_docstring(tool.__doc__) == parse_docstring(inspect.getdoc(tool))


class Place(BaseModel):
    """Somewhere to go.

    Attributes:
        city: The city.
        street: The street.
    """

    city: str
    street: str = Field("", description="With its number.")


@dataclasses.dataclass
class Box:
    """A box.

    :param width: In centimetres.
    :ivar height: In centimetres, too.
    """

    width: float
    height: float = 1.0


class Depth(TypedDict, total=False):
    """How deep it is.

    Parameters
    ----------
    metres : int
        Below the ground.
    """

    metres: int


class Folder(BaseModel):
    """A folder.

    Args:
        name: Its name.
        folders: Those inside it.
    """

    name: str
    folders: list["Folder"] = []


def described_fields(schema):
    return schema["description"], {name: each.get("description") for name, each in schema["properties"].items()}


def test_docstrings_of_nested_classes_describe_their_fields():
    def pack(place: Place, boxes: list[Box], depth: Depth, folder: Folder, then: Place | None = None):
        """Pack.

        Args:
            place: The goal.
        """

    schema = analyse(pack).parameters_schema
    fields = schema["properties"]

    assert described_fields(fields["place"]) == ("The goal.", {"city": "The city.", "street": "With its number."})
    assert described_fields(fields["boxes"]["items"]) == (
        "A box.",
        {"width": "In centimetres.", "height": "In centimetres, too."},
    )
    assert described_fields(fields["depth"]) == ("How deep it is.", {"metres": "Below the ground."})
    folder = ("A folder.", {"name": "Its name.", "folders": "Those inside it."})
    assert described_fields(fields["folder"]) == described_fields(schema["$defs"]["Folder"]) == folder
    assert described_fields(fields["then"])[0] == "Somewhere to go."
