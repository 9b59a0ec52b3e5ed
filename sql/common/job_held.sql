-- Whether the lease is still good; asked inside every transaction of the job.
SELECT wake FROM job WHERE key = $1 AND lease = $2 AND holder IS NOT NULL
