//! Refused starts: going on would lose a person, or keep one who was forgotten.

use std::os::unix::fs::{FileExt, symlink};
use std::path::PathBuf;

use lethe::api::user_forget::ERASURE_ID;
use lethe::maintenance::backup;
use serde_json::{Value, json};

use crate::support::world::{Shop, World, on_both_engines, on_sqlite};

on_both_engines! {
    a_lost_or_cut_file_of_keys_is_refused_until_it_is_said_to_be_lost
    people_whose_keys_are_damaged_are_told
    a_mirror_that_was_in_use_has_to_be_named
    a_link_that_leads_out_of_the_folders_is_refused_and_ends_no_erasure
    no_backup_goes_into_a_folder_of_the_server
    a_start_without_the_catalogues_files_is_not_ready_and_says_what_is_missing
}

fn beside(world: &World, name: &str) -> PathBuf {
    world.config.data_dir.with_file_name(name)
}

async fn with_people(world: &World, count: usize) -> Shop {
    let shop = world.shop("one").await;
    let user = |n| json!({"UserId": format!("{n}"), "Email": format!("person-{n}@shop.test")});
    world.apply_delta(&shop, json!({"Users": (1..=count).map(user).collect::<Vec<_>>()})).await;
    shop
}

async fn a_lost_or_cut_file_of_keys_is_refused_until_it_is_said_to_be_lost(mut world: World) {
    let shop = with_people(&world, 5).await;
    world.stop().await;
    let file = world.config.key_dir.join("slots.key");
    let whole = std::fs::read(&file).expect("the keys");
    std::fs::remove_file(&file).expect("lost");
    for _ in 0..2 {
        let refused = world.open_fault().await.to_string();
        assert!(refused.contains("slots.key is missing") && refused.contains("`restored`"), "{refused}");
        assert!(!file.exists(), "no new keys are made");
    }
    std::fs::write(&file, &whole[..64 * 3]).expect("cut");
    let refused = world.open_fault().await.to_string();
    assert!(refused.contains("slots.key was cut short"), "{refused}");
    assert_eq!(std::fs::read(&file).expect("as it was").len(), 64 * 3);
    std::fs::write(&file, &whole).expect("put back");
    world.restart().await;
    assert_eq!((world.subjects(&shop).await, world.node().unreadable), (5, 0));
    world.stop().await;
    std::fs::remove_file(&file).expect("lost for ever");
    std::fs::write(world.config.data_dir.join("restored"), "").expect("said to be lost");
    world.restart().await;
    assert_eq!((world.node().recovered.lost, world.subjects(&shop).await), (5, 0));
    assert_eq!(world.node().unreadable, 0);
    world.restart().await;
}

async fn people_whose_keys_are_damaged_are_told(mut world: World) {
    let shop = with_people(&world, 4).await;
    let other = world.shop("other").await;
    world.apply_delta(&other, json!({"Users": [{"UserId": "1"}]})).await;
    let told = async |world: &World| {
        let ready = world.get("/ready").await.json()["Warnings"].to_string();
        let doctor = world.control("/control/doctor", json!({})).await;
        let line =
            doctor.as_array().expect("findings").iter().find(|found| found["Check"] == "keys of people");
        let line = line.expect("a line");
        let sentence = line["Sentence"].as_str().expect("a sentence");
        let by_account = sentence.split_once(" (").and_then(|(_, told)| told.split_once("):"));
        let by_account = by_account.map(|(told, _)| told.to_owned());
        (ready.contains("keys are gone or damaged"), line["Standing"].clone(), by_account)
    };
    let good = (false, json!("Good"), None);
    world.restart().await;
    assert_eq!(told(&world).await, good);
    world.stop().await;
    let file = std::fs::File::options().read(true).write(true).open(world.config.key_dir.join("slots.key"));
    let file = file.expect("the keys");
    let length = file.metadata().expect("the keys").len();
    for slot in 1..length / 64 {
        file.write_all_at(&[7; 5], slot * 64 + 20).expect("damaged");
    }
    world.restart().await;
    let lost = (true, json!("Act"), Some("one: 4, other: 1".to_owned()));
    assert_eq!((world.node().unreadable, told(&world).await), (5, lost));
    std::fs::write(world.config.data_dir.join("restored"), "").expect("what is left may go");
    world.restart().await;
    assert_eq!((told(&world).await, world.subjects(&shop).await), (good, 0));
}

async fn a_mirror_that_was_in_use_has_to_be_named(mut world: World) {
    let keys = beside(&world, "key-mirror");
    let journal = beside(&world, "journal-mirror");
    std::fs::create_dir(&journal).expect("a folder");
    (world.config.key_mirror, world.config.journal_mirror) = (Some(keys.clone()), Some(journal));
    world.restart().await;
    world.stop().await;
    let journal = world.config.journal_mirror.take();
    let refused = world.open_fault().await;
    assert_eq!(refused.exit_code(), 2);
    let refused = refused.to_string();
    assert!(refused.contains("--journal-mirror") && refused.contains("remove journal.mirrored"), "{refused}");
    world.config.key_mirror = None;
    world.config.journal_mirror = journal;
    let refused = world.open_fault().await;
    assert_eq!(refused.exit_code(), 2);
    let refused = refused.to_string();
    assert!(refused.contains("--key-mirror") && refused.contains("`mirrored`"), "{refused}");
    for mark in ["mirrored", "journal.mirrored"] {
        std::fs::remove_file(world.config.key_dir.join(mark)).expect("given up");
    }
    world.config.journal_mirror = None;
    world.restart().await;
}

async fn a_link_that_leads_out_of_the_folders_is_refused_and_ends_no_erasure(mut world: World) {
    let shop = with_people(&world, 3).await;
    let forgotten = async |world: &World, n: usize| {
        let body = json!({"Identifier": format!("person-{n}@shop.test")});
        let reply = world.ask(&shop, "/api/user/forget", body).await;
        let id = json!({"Erasure": reply.header(ERASURE_ID.as_str())});
        world.run_all_jobs().await;
        (world.ask_json(&shop, "/api/erasure", id.clone()).await, id)
    };
    let certificate = async |world: &World, id: Value| {
        world.ask_json(&shop, "/api/erasure/certificate", id).await["Body"]["Scan"]["Folders"].clone()
    };
    let (done, id) = forgotten(&world, 1).await;
    assert_eq!(
        (&done["State"], certificate(&world, id).await),
        (&json!("verified"), json!(["data", "keys"]))
    );
    let link = world.config.data_dir.join("blobs").join("zz");
    symlink(beside(&world, "elsewhere"), &link).expect("a link");
    let (waiting, _) = forgotten(&world, 2).await;
    assert_eq!(waiting["State"], world.unprovable_state());
    assert!(waiting["Fault"].as_str().expect("a fault").contains("symbolic link"), "{waiting}");
    world.stop().await;
    let refused = world.open_fault().await.to_string();
    assert!(refused.contains("blobs/zz is a symbolic link"), "{refused}");
    std::fs::remove_file(&link).expect("the link goes");
    for inside in [world.config.data_dir.join("blobs"), world.config.key_dir.join("slots.key")] {
        std::fs::rename(&inside, beside(&world, "moved")).expect("moved away");
        symlink(beside(&world, "moved"), &inside).expect("a link");
        assert!(world.open_fault().await.to_string().contains("is a symbolic link"));
        std::fs::remove_file(&inside).expect("the link goes");
        std::fs::rename(beside(&world, "moved"), &inside).expect("moved back");
    }
    // Everything that is scanned is named.
    let keys = beside(&world, "key-mirror");
    let journal = beside(&world, "journal-mirror");
    std::fs::create_dir(&journal).expect("a folder");
    (world.config.key_mirror, world.config.journal_mirror) = (Some(keys), Some(journal.clone()));
    world.restart().await;
    world.run_all_jobs().await;
    let (done, id) = forgotten(&world, 3).await;
    let folders = json!(["data", "keys", "key mirror", "journal mirror"]);
    assert_eq!((&done["State"], certificate(&world, id).await), (&json!("verified"), folders));
    std::fs::write(journal.join("note"), "somebody-else@shop.test").expect("a file");
    let who = json!({"Account": "one", "Identifier": "somebody-else@shop.test"});
    let seen = world.control("/api/user/scan", who).await;
    assert_eq!(seen["Scan"]["Found"], 1, "{seen}");
}

async fn no_backup_goes_into_a_folder_of_the_server(mut world: World) {
    let keys = beside(&world, "key-mirror");
    let journal = beside(&world, "journal-mirror");
    std::fs::create_dir(&journal).expect("a folder");
    (world.config.key_mirror, world.config.journal_mirror) = (Some(keys.clone()), Some(journal.clone()));
    world.restart().await;
    let data = world.config.data_dir.clone();
    let own = world.config.key_dir.clone();
    for folder in [data, own, keys, journal] {
        let refused = backup::make(world.node(), folder.join("backup"), |_| ()).await.err().expect("refused");
        assert!(refused.to_string().contains("a folder of this server"), "{refused}");
        assert!(!folder.join("backup").exists());
    }
}

#[test]
fn a_database_elsewhere_is_scanned_has_the_ballast_and_takes_no_backup() {
    on_sqlite(async |mut world: World| {
        world.stop().await;
        let folder = beside(&world, "elsewhere");
        let fresh = beside(&world, "fresh");
        std::fs::create_dir(&folder).expect("a folder");
        (world.config.data_dir, world.config.key_dir) = (fresh.clone(), beside(&world, "fresh-keys"));
        world.config.store = format!("sqlite:{}", folder.join("x.db").display());
        world.restart().await;
        assert!(folder.join("x.db-ballast").exists() && !fresh.join("ballast").exists());
        let shop = with_people(&world, 1).await;
        world.forget(&shop, "person-1@shop.test").await;
        world.run_all_jobs().await;
        let refused = backup::make(world.node(), folder.join("backup"), |_| ()).await.err().expect("refused");
        assert!(refused.to_string().contains("(database)"), "{refused}");
        let erasures = world.ask_json(&shop, "/api/erasures", json!({})).await;
        let id = json!({"Erasure": erasures[0]["Erasure"]});
        let scan = world.ask_json(&shop, "/api/erasure/certificate", id).await["Body"]["Scan"].clone();
        assert_eq!(scan["Folders"], json!(["data", "keys", "database"]));
    });
}

async fn finding(world: &World, check: &str) -> Value {
    let doctor = world.control("/control/doctor", json!({})).await;
    let found = doctor.as_array().expect("findings").iter().find(|found| found["Check"] == check);
    found.expect("a line").clone()
}

/// On another machine: the database and the keys are those of before, the data folder is empty.
async fn a_start_without_the_catalogues_files_is_not_ready_and_says_what_is_missing(mut world: World) {
    let shop = world.shop("one").await;
    let feed = |title: &str| json!({"Products": [{"Id": "1", "Title": title, "Prices": ["1 GBP"]}]});
    world.complete_feed(&shop, "/f", &feed("Chair")).await;
    assert_eq!(world.get("/ready").await.status, 200);
    assert_eq!(finding(&world, "catalogue files").await["Standing"], "Good");
    world.stop().await;
    for folder in ["blobs", "search"] {
        let _ = std::fs::remove_dir_all(world.config.data_dir.join(folder));
    }
    world.restart().await;
    let ready = world.get("/ready").await;
    assert_eq!(ready.status, 503);
    let told = ready.json()["Error"].as_str().expect("a reason").to_owned();
    assert!(told.contains("(one: Products)") && told.contains("`blobs`"), "{told}");
    let found = finding(&world, "catalogue files").await;
    assert_eq!((&found["Standing"], &found["Sentence"]), (&json!("Act"), &json!(told)));
    // The second one comes while no try to open the index runs.
    for _ in 0..2 {
        let refused = world
            .post("/api/search", &json!({"AppKey": shop.key, "Query": "chair"}))
            .await
            .expect_refusal(503);
        assert!(refused.starts_with("Files of the shop's catalogue are missing"), "{refused}");
    }
    world.complete_feed(&shop, "/g", &feed("Table")).await;
    assert_eq!(world.get("/ready").await.status, 200);
    assert_eq!(world.title(&shop, "1").await, "Table");
}
