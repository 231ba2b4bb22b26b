"""Base class of the response bodies."""

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """The body of an answer, or a part of one.

    What writes it is made when the first one is given: fifty that nobody has asked for yet would keep a megabyte.
    """

    model_config = ConfigDict(defer_build=True)
