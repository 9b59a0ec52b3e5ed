-- Writes counters down that were counted up in memory.
UPDATE account SET seq = counted.seq FROM unnest($1::bigint[], $2::bigint[]) AS counted(id, seq)
WHERE account.id = counted.id
