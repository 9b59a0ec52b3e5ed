-- Which ledger an account has, and how many entries it has.
SELECT ledger, size FROM ledger_head WHERE account_id = $1
