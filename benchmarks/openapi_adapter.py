"""Adapter for the scorer of OpenAPI documents: what our importer makes of a document.

python score_openapi.py --adapter benchmarks/openapi_adapter.py:tools
"""

from function_calls.toolsets.openapi.importer import import_document


def tools(document, base_url):
    """The tools of a parsed document."""
    return [
        {
            "name": operation.name,
            "description": operation.spec.description,
            "parameters": operation.spec.parameters,
            "method": operation.method,
            "path": operation.path,
        }
        for operation in import_document(document, base_url).operations
    ]
