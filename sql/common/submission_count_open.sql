-- Submissions that are not done yet, by what they are.
SELECT input, count(*) AS counted FROM submission WHERE state = 0 GROUP BY input ORDER BY input
