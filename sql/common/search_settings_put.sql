-- What a shop's search is set to from now on.
INSERT INTO search_settings (account_id, language, attributes, origins, pictures, synonyms, popularity,
  bought_together, group_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (account_id) DO UPDATE SET language = excluded.language, attributes = excluded.attributes,
  origins = excluded.origins, pictures = excluded.pictures, synonyms = excluded.synonyms,
  popularity = excluded.popularity, bought_together = excluded.bought_together,
  group_by = excluded.group_by
