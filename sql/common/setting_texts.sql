-- All else of shops and of the server that is text and random, or theirs to choose.
SELECT attributes AS cell FROM search_settings UNION ALL SELECT origins FROM search_settings
UNION ALL SELECT synonyms FROM search_settings UNION ALL SELECT pictures FROM search_settings
UNION ALL SELECT group_by FROM search_settings UNION ALL SELECT mapping FROM feed_settings WHERE mapping IS NOT NULL
UNION ALL SELECT etag FROM feed_source UNION ALL SELECT last_modified FROM feed_source
UNION ALL SELECT about FROM operator_act UNION ALL SELECT holder FROM node UNION ALL SELECT holder FROM job
UNION ALL SELECT blob FROM snapshot UNION ALL SELECT sku_blob FROM snapshot
UNION ALL SELECT blob FROM held_snapshot UNION ALL SELECT sku_blob FROM held_snapshot
