//! Many shops on one PostgreSQL: deltas of 1, 10, 100 and 10,000 accounts, while their jobs run.

use std::sync::Arc;

use serde_json::json;

use crate::report::{Options, load, median, p99};
use crate::scenario::{CONNECTIONS, delta};
use crate::server::{Server, fresh_database};
use crate::{bare, client};

/// `/api/delta` for as many accounts, compared with a bare loop that stores the same rows for them.
pub async fn accounts(options: &Options) {
    println!("\n== durable accepts of /api/delta by accounts on PostgreSQL, {CONNECTIONS} connections");
    let Some(url) = &options.postgres else {
        println!("  not run: no server is named (--postgres URL, or scripts/with-postgres)");
        return;
    };
    for shops in [1, 10, 100, 10_000] {
        let mut ours = Vec::new();
        let mut loops = Vec::new();
        let mut slowest = Vec::new();
        for round in 0..options.rounds {
            let body: Arc<[u8]> = delta().to_string().into_bytes().into();
            let bare = fresh_database(url).await;
            let bare = bare::accounts(&bare, shops, &body, CONNECTIONS, options.length).await;
            let server = Server::start(Some(url)).await;
            let keys = server.shops(shops).await;
            // A server that has run for a while knows the keys.
            client::each_once(server.address, keys.iter().map(question).collect(), CONNECTIONS).await;
            let requests: Vec<_> = keys.iter().map(request).collect();
            let mut run =
                client::load_each(server.address, requests.into(), CONNECTIONS, options.length, 0).await;
            let (deadlocks, undone, applied) = server.conflicts().await;
            let p99 = p99(&mut run.latencies);
            println!(
                "  {shops} accounts, round {round}: lethe {:.0}/s (p99 {p99:?}, refused {}), bare loop {bare:.0}/s, {deadlocks} \
                 deadlocks, {undone} transactions undone, {applied} applied meanwhile, {:.0} s of CPU in server and database, load {}",
                run.per_second,
                run.refused,
                server.cpu_seconds(),
                load()
            );
            ours.push(run.per_second);
            loops.push(bare);
            slowest.push(p99.as_secs_f64());
        }
        let ours = median(ours);
        let loops = median(loops);
        println!(
            "  {shops} accounts, median: lethe {ours:.0}/s (target 5,000), p99 {:.0} ms (target 100), bare loop {loops:.0}/s: \
             {:.0} % (target 50 %)",
            1000.0 * median(slowest),
            100.0 * ours / loops
        );
    }
}

fn question((access_key, _): &crate::server::Keys) -> Vec<u8> {
    let body = json!({"AppKey": access_key, "Tokens": [uuid::Uuid::new_v4()]});
    client::post("/api/deltastatus", body.to_string().as_bytes())
}

fn request((access_key, secret_key): &crate::server::Keys) -> Vec<u8> {
    let mut body = delta();
    body["AppKey"] = json!(access_key);
    body["SecretKey"] = json!(secret_key);
    client::post("/api/delta", body.to_string().as_bytes())
}
