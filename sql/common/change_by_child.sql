-- The item to which the newest change after the cut gave this child, besides four that were tried.
SELECT change.item FROM change_child JOIN change
ON change.account_id = change_child.account_id AND change.seq = change_child.seq AND change.n = change_child.n
WHERE change_child.account_id = $1 AND change.section = $2 AND change_child.child = $3 AND change_child.seq > $4
  AND change.item NOT IN ($5, $6, $7, $8)
ORDER BY change_child.seq DESC, change_child.n DESC LIMIT 1
