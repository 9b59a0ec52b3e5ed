//! The console's page of backups and drills.

use std::time::Duration;

use reqwest::header::ACCEPT;
use serde_json::json;

use crate::support::console::Browser;
use crate::support::world::{World, on_both_engines};

on_both_engines! {
    an_owner_makes_a_backup_and_sees_it_checked
    a_backup_that_fails_says_why
}

/// The page once what runs has ended.
async fn await_end(owner: &Browser<'_>) -> String {
    let follow = owner.ask("GET", "/backups/live").header(ACCEPT, "text/event-stream");
    let stream = follow.send().await.expect("a stream");
    assert_eq!(stream.status().as_u16(), 200);
    let rest = tokio::time::timeout(Duration::from_secs(60), stream.text()).await.expect("it ends");
    assert!(rest.expect("a text").contains("event: end"));
    owner.page("/backups").await
}

async fn an_owner_makes_a_backup_and_sees_it_checked(world: World) {
    let shop = world.shop("shop").await;
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let officer = Browser::sign_in_as(&world, "Officer", "privacy-officer", &[&shop]).await;
    let page = owner.page("/backups").await;
    for said in
        ["none yet", "No backup was made yet", "lethe drill --report", "lethe restore ", "lethe backup "]
    {
        assert!(page.contains(said), "{said}: {page}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("backup");
    let target = target.to_str().expect("a path");
    assert_eq!(officer.get("/backups").await.status, 403);
    assert_eq!(officer.send_form("/backups", &[("target", target)]).await.status, 403);
    let relative = owner.send_form("/backups", &[("target", "backup")]).await;
    assert_eq!(relative.status, 422);
    assert!(
        relative.text.contains("has to be an absolute path") && relative.text.contains("value=\"backup\"")
    );
    let made = owner.send_form("/backups", &[("target", target)]).await;
    assert_eq!((made.status, made.header("location")), (303, "/backups"));
    let page = await_end(&owner).await;
    for said in ["checked by opening it", "1 accounts", target.rsplit('/').next().expect("a name")] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(
        page.contains("The newest backup is less than a week old.") && !page.contains("none yet"),
        "{page}"
    );
    assert!(folder.path().join("backup/manifest.json").exists());
    let acts = world.control("/control/operator/acts", json!({})).await.to_string();
    assert!(acts.contains("backup-begun") && !acts.contains(target), "{acts}");
}

async fn a_backup_that_fails_says_why(world: World) {
    let owner = Browser::sign_in_as(&world, "Owner", "owner", &[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a-file"), "x").expect("a file");
    let target = folder.path().to_str().expect("a path");
    assert_eq!(owner.send_form("/backups", &[("target", target)]).await.status, 303);
    let page = await_end(&owner).await;
    assert!(page.contains("failed") && page.contains("the target is not empty"), "{page}");
    let climbing = format!("{target}/none/../new");
    assert_eq!(owner.send_form("/backups", &[("target", &climbing)]).await.status, 303);
    let page = await_end(&owner).await;
    assert!(page.contains("the target has .. in it"), "{page}");
    assert!(!folder.path().join("none").exists() && !folder.path().join("new").exists());
    assert!(folder.path().join("a-file").exists());
}
