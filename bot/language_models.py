"""Makes the language model and its interpreter from the settings."""

from bot.settings import ModelSettings
from function_calls.call_styles.choosing import make_styles
from function_calls.llm import FunctionCallLLM
from services.language_model.fallback import FallbackChain
from services.language_model.openai_model import OpenAIModel
from services.language_model.retry import RetryPolicy, Timeouts

_OPENAI = "https://api.openai.com/v1"


def language_model(settings: ModelSettings) -> FallbackChain | None:
    """The configured model behind a circuit breaker; None when there is none."""
    if not settings.is_configured:
        return None
    # A message waits for one answer and its retries, and is then answered offline.
    total = settings.timeout_seconds * (settings.max_retries + 1)
    model = OpenAIModel(
        settings.name,
        base_url=settings.base_url or _OPENAI,
        api_key=settings.api_key.get_secret_value(),
        timeouts=Timeouts(silence=settings.timeout_seconds, total=total),
        retries=RetryPolicy(attempts=settings.max_retries + 1),
        extra={"temperature": settings.temperature},
    )
    return FallbackChain([model])


def model_interpreter(model: FallbackChain, settings: ModelSettings) -> FunctionCallLLM:
    """The interpreter that asks `model`, offering tools in the way the settings name."""
    return FunctionCallLLM(model, styles=make_styles(settings.function_calling, model), is_streaming=settings.stream)
