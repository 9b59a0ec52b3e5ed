-- All ledgers, with how many entries each has: at a start.
SELECT account_id, size FROM ledger_head ORDER BY account_id
