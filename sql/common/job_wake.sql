-- Gives a job a reason to run; an ended one comes back. While it waits it keeps its turn.
INSERT INTO job (account_id, lane, seq, turn, run_at, wake, attempts, lease, beat, phase, rows_done, bytes_done, reading_ms)
VALUES ($1, $2, $3, $4, $5, 1, 0, 0, 0, 'waiting', 0, 0, 0)
ON CONFLICT (account_id, lane, seq) DO UPDATE SET wake = job.wake + 1,
  run_at = CASE WHEN job.run_at > excluded.run_at THEN excluded.run_at ELSE job.run_at END
