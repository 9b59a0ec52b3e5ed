-- What a shop set for its search.
SELECT language, attributes, origins, pictures, synonyms, popularity, bought_together, group_by
FROM search_settings WHERE account_id = $1
