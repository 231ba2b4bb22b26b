"""Define the argument models of the functions for people's own data."""

from pydantic import Field

from function_calls.models import Arguments


class OptOutArgs(Arguments):
    """Arguments of `history_opt_out`: none."""


class OptInArgs(Arguments):
    """Arguments of `history_opt_in`: none."""


class ForgetMeArgs(Arguments):
    """Arguments of `forget_me`: none."""


class ExportArgs(Arguments):
    """Arguments of `export_my_data`: none."""


class RetentionArgs(Arguments):
    """Arguments of `history_retention`."""

    days: int | None = Field(
        default=None,
        ge=0,
        le=36_500,
        description="保留几天 / how many days to keep this chat's messages, 0 = for ever; leave it out to only ask",
    )
