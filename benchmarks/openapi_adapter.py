"""Adapter of the scorer of OpenAPI documents for the importer.

python score_openapi.py --adapter benchmarks/openapi_adapter.py:tools
"""

from function_calls.toolsets.openapi.importer import import_document


def tools(document, base_url):
    """Return the tools that the importer makes of a parsed document."""
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
