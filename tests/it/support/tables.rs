//! Tables of the embedded store that go away and come back: a store that fails, and is mended.

use std::path::Path;

use rusqlite::Connection;

use super::world::World;

/// The names of all tables.
pub fn list_tables(world: &World) -> Vec<String> {
    names_in(&open(&world.config.data_dir))
}

/// Changes the end of the names of some tables, chosen by their names.
pub fn rename_tables(world: &World, ends: (&str, &str), is_chosen: impl Fn(&str) -> bool) {
    rename_tables_in(&world.config.data_dir, ends, is_chosen);
}

/// The same in a data folder.
pub fn rename_tables_in(data_dir: &Path, (from, to): (&str, &str), is_chosen: impl Fn(&str) -> bool) {
    let store = open(data_dir);
    let rename = |name: &String| {
        let own = name.strip_suffix(from).expect("the end of its name");
        format!("ALTER TABLE {name} RENAME TO {own}{to};")
    };
    let all: String = names_in(&store).iter().filter(|name| is_chosen(name)).map(rename).collect();
    store.execute_batch(&format!("BEGIN IMMEDIATE; {all} COMMIT")).expect("the tables have other names");
}

fn open(data_dir: &Path) -> Connection {
    Connection::open(data_dir.join("lethe.db")).expect("the store")
}

fn names_in(store: &Connection) -> Vec<String> {
    let mut listed = store
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .expect("a statement");
    let names = listed.query_map([], |row| row.get(0)).expect("tables");
    names.collect::<Result<_, _>>().expect("names")
}
