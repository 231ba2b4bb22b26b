"""Import documents of OpenAPI 2.0, 3.0 and 3.1 as tools, without network; see `importer.import_document`."""
