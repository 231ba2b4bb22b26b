"""Documents of OpenAPI 2.0, 3.0 and 3.1 as tools: pure, no network. `importer.import_document` is the way in."""
