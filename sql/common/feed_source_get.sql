-- What a URL gave the last time it was published.
SELECT seq, sections, etag, last_modified FROM feed_source WHERE account_id = $1 AND url_tag = $2
