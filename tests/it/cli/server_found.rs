//! The operator's commands find the running server by its socket, wherever its store is.

use crate::support::postgres::Database;
use crate::support::program::Program;

#[test]
fn the_running_server_is_found_whatever_its_store() {
    let Some(database) = Database::create() else { return };
    let mut program = Program::new();
    program.set("LETHE_STORE", &database.url());
    let served = program.serve();
    // From here on no command names the store.
    program.variables.retain(|(name, _)| name != "LETHE_STORE");
    for words in [
        "account create shop",
        "account list",
        "account guard shop 50",
        "account quota shop 20GB",
        "account search shop --language de --renew",
        "key list shop",
        "key-epoch show",
        "ledger key",
        "ledger export shop",
        "ledger check",
        "submissions --account shop",
        "status x --account shop",
        "forget ann@mail.example --yes --account shop",
        "backup copy",
    ] {
        let ended = program.run(words);
        assert_eq!(ended.code, 0, "{words}: {}", ended.err);
    }
    assert!(program.run("doctor").code < 2, "it is answered");
    assert!(!program.path().join("lethe-data/lethe.db").exists(), "no other store is begun");
    assert!(served.terminate().success());
    let refused = program.run("account list");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("name it with --store"), "{}", refused.err);
    program.set("LETHE_STORE", &database.url());
    assert!(program.run("account list").out.contains("shop"));
}
