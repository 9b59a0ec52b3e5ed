-- Whether the lease is still good; asked inside every transaction of the job.
SELECT wake FROM job WHERE account_id = $1 AND lane = $2 AND seq = $3 AND lease = $4 AND holder IS NOT NULL
