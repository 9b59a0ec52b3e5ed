-- Writes counters down that were counted up in memory.
UPDATE account SET seq = counted.seq, feeds = counted.feeds, deltas = counted.deltas
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS counted(id, seq, feeds, deltas)
WHERE account.id = counted.id
