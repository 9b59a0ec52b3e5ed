-- The highest account number given so far, also in what an older copy of the data does not know.
SELECT max(id) AS id FROM (SELECT max(id) AS id FROM account UNION ALL SELECT journal_account FROM node WHERE id = 1) AS given
