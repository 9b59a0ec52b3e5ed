-- The subjects of visitors in whose browsers somebody is logged in, each with who that is.
SELECT visitor.subject_id AS visitor, person.subject_id AS person
FROM identifier AS person JOIN identifier AS visitor ON visitor.account_id = person.account_id AND visitor.tag = person.tag
WHERE person.account_id = $1 AND person.role = 15 AND visitor.role = 6
