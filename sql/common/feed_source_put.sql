-- Remembers what a URL gave.
INSERT INTO feed_source (account_id, url_tag, seq, sections, etag, last_modified)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account_id, url_tag) DO UPDATE SET seq = excluded.seq, sections = excluded.sections,
  etag = excluded.etag, last_modified = excluded.last_modified
