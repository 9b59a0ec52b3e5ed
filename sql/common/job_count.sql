-- Jobs that wait or run, by lane.
SELECT lane, count(*) FROM job GROUP BY lane ORDER BY lane
