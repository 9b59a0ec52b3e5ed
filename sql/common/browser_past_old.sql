-- Some of what is not kept any longer of browsers, of all accounts.
SELECT account_id, tag, since, until FROM browser_past WHERE day < $1 LIMIT $2
