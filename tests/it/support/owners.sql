-- Watches in a test's database that whoever writes a row holds the row of its owner: of its account, or of the store.

-- Whether a row that somebody may hold is held by this transaction: locked by it, or changed by it since.
CREATE FUNCTION is_mine(locked xid, written xid) RETURNS boolean LANGUAGE sql AS $$
  SELECT locked = pg_current_xact_id()::xid OR pg_xact_status(written::text::xid8) = 'in progress'
$$;

CREATE FUNCTION must_be_held(number bigint, written text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM account WHERE id = number AND is_mine(xmax, xmin))
     AND NOT EXISTS (SELECT FROM node WHERE id = 1 AND is_mine(xmax, xmin)) THEN
    RAISE EXCEPTION 'a row of % is written by a unit of work of another owner', written;
  END IF;
END $$;

CREATE FUNCTION watch_rows_of_an_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM must_be_held(OLD.account_id, TG_TABLE_NAME); END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  PERFORM must_be_held(NEW.account_id, TG_TABLE_NAME);
  RETURN NEW;
END $$;

-- Before the statement: a row that it changes is locked by then.
CREATE FUNCTION watch_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM account WHERE is_mine(xmax, xmin)) THEN PERFORM must_be_held(NULL, TG_TABLE_NAME); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION watch_rows_of_the_store() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM must_be_held(NULL, TG_TABLE_NAME);
  RETURN NULL;
END $$;

DO $$
DECLARE one record;
BEGIN
  FOR one IN
    SELECT t.table_name AS name,
           CASE WHEN c.column_name IS NOT NULL THEN 'ROW EXECUTE FUNCTION watch_rows_of_an_account()'
                WHEN t.table_name = 'account' THEN 'STATEMENT EXECUTE FUNCTION watch_accounts()'
                ELSE 'STATEMENT EXECUTE FUNCTION watch_rows_of_the_store()' END AS watch
    FROM information_schema.tables t LEFT JOIN information_schema.columns c
      ON c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.column_name = 'account_id'
    WHERE t.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
  LOOP
    EXECUTE format('CREATE TRIGGER whose BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH %s', one.name, one.watch);
  END LOOP;
END $$;
