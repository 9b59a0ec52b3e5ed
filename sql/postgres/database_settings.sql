-- What a database of PostgreSQL is, before anything is made in it. There is none of this on SQLite.
SELECT current_setting('server_version_num')::bigint,
       current_setting('server_encoding'),
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
       current_database()::text,
       current_user::text
