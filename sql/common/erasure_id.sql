-- The public id of an erasure that goes on or has ended well.
SELECT id FROM erasure WHERE account_id = $1 AND seq = $2 AND state <> 'lost'
