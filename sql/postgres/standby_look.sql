-- Whether commits wait for a standby, how many there are that they wait for, and how many cannot be seen.
SELECT (current_setting('synchronous_standby_names') <> '')::int::bigint AS has_names,
       count(*) FILTER (WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming') AS synchronous,
       count(*) FILTER (WHERE sync_state IS NULL) AS hidden
  FROM pg_stat_replication
