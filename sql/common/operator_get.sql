-- An operator, with what they are called, if they are still called anything.
SELECT operator.id, role, password, link, link_until, version, made_at, disabled_at, code_secret, code_step,
  operator_name.name
FROM operator LEFT JOIN operator_name ON operator_name.operator_id = operator.id WHERE operator.id = $1
