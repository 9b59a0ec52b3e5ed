-- Nobody is logged in anywhere any more.
DELETE FROM identifier WHERE role = 15
