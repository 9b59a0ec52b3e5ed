//! Tables of the embedded store that go away and come back: a store that fails, and is mended.

use super::world::World;

/// Changes the end of the names of some tables, chosen by their names.
pub fn rename_tables(world: &World, (from, to): (&str, &str), is_chosen: impl Fn(&str) -> bool) {
    let store = rusqlite::Connection::open(world.config.data_dir.join("lethe.db")).expect("the store");
    let mut listed = store
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .expect("a statement");
    let names = listed.query_map([], |row| row.get::<_, String>(0)).expect("tables");
    let names: Vec<_> = names.map(|name| name.expect("a name")).filter(|name| is_chosen(name)).collect();
    let rename = |name: &String| {
        let own = name.strip_suffix(from).expect("the end of its name");
        format!("ALTER TABLE {name} RENAME TO {own}{to};")
    };
    let all: String = names.iter().map(rename).collect();
    store.execute_batch(&format!("BEGIN IMMEDIATE; {all} COMMIT")).expect("the tables have other names");
}
