"""What plugins add to the HTTP API: under `/plugins/NAME`, behind the same guard as everything else."""

from fastapi import Depends, FastAPI
from loguru import logger

from bot.http.auth import viewer_of
from bot.http.context import HttpContext


def add_plugin_pages(app: FastAPI, context: HttpContext) -> None:
    """Serve the pages of all plugins, to those who may use the API; one that cannot be made is logged and left out."""
    for plugin, make_page in context.app.plugins.pages():
        try:
            routes = make_page(context)
            app.include_router(routes, prefix=f"/plugins/{plugin}", dependencies=[Depends(viewer_of)])
        except Exception as error:  # noqa: BLE001 - a plugin is anybody's code; the API must be served without it
            logger.opt(exception=error).error("a page of the plugin {} cannot be served", plugin)
