-- Submissions that are not done yet, by kind.
SELECT kind, count(*) FROM submission WHERE state = 0 GROUP BY kind ORDER BY kind
