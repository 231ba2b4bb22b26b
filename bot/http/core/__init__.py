"""Parts that every route uses: context, errors, bodies and tokens."""
