//! Schedules of a catalogue that run, with a search index that follows or without one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::store::Statement;
use serde_json::{Value, json};

use super::search_index::{self, Torn, assert_answers, assert_renewed};
use crate::support::backups::{back_up, stop_and_restore};
use crate::support::catalogue_follower::{Watcher, assert_list, find_account};
use crate::support::feed_server::Answer;
use crate::support::postgres::Database;
use crate::support::random::Random;
use crate::support::refusals::{REFUSE_END, REFUSE_SECOND_PART, REFUSE_SWEEP, plant_refusal, remove_refusal};
use crate::support::world::{Shop, World, copy_folder, remove_folder, runtime};

/// Schedules on one node, one after the other.
const ON_ONE_NODE: usize = 25;
const STEPS: u64 = 20;
/// Products that a feed or a delta may be about.
const ITEMS: u64 = 8;

/// Runs schedules, with a search index that follows or without one.
pub fn run_seeds(is_postgres: bool, seeds: &[u64], is_searched: bool) {
    for seeds in seeds.chunks(ON_ONE_NODE) {
        let run = |seeds: &[u64], steps| run_steps(is_postgres, seeds, steps, is_searched);
        if let Err(why) = run(seeds, STEPS) {
            // The failing seed, and the fewest steps that it needs.
            for seed in seeds {
                let fails = |steps: u64| run(&[*seed], steps).err();
                if let Some(steps) = (1..=STEPS).find(|steps| fails(*steps).is_some()) {
                    panic!("seed {seed} fails after {steps} steps: {}", fails(steps).unwrap_or_default());
                }
            }
            panic!("only one after the other fail {seeds:?}: {why}");
        }
    }
}

fn run_steps(is_postgres: bool, seeds: &[u64], steps: u64, is_searched: bool) -> Result<(), String> {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        runtime().block_on(async {
            let database = if is_postgres {
                match tokio::task::spawn_blocking(Database::create).await.expect("a database") {
                    None => return,
                    database => database,
                }
            } else {
                None
            };
            let mut world = World::open_in_memory(database).await;
            for (run, seed) in seeds.iter().enumerate() {
                Drive::new(&mut world, *seed, run, is_searched).await.run(steps).await;
            }
        });
    }));
    ran.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
    })
}

impl Random {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    pub fn is_one_in(&mut self, parts: u64) -> bool {
        self.below(parts) == 0
    }

    /// A product; two may have the same SKU.
    fn product(&mut self, id: u64) -> Value {
        let mut product = json!({"Id": id.to_string(), "Title": format!("Title {}", self.below(2))});
        if !self.is_one_in(3) {
            product["Sku"] = format!("s{}", id - self.below(2).min(id)).into();
        }
        if self.is_one_in(2) {
            product["Categories"] = json!([format!("c{}", self.below(3))]);
        }
        if self.is_one_in(3) {
            let variant = |n| json!({"Id": format!("{id}-{n}"), "Sku": format!("s{id}-{n}"), "StockQty": n});
            product["Variants"] = (0..=self.below(2)).map(variant).collect();
        }
        product
    }

    /// A row that names a variant, with or without its product.
    fn variant(&mut self) -> Value {
        let id = self.below(ITEMS);
        let number = self.below(3);
        let mut row = match self.below(3) {
            0 => json!({"Id": format!("{id}-{number}")}),
            1 => json!({"Sku": format!("s{id}-{number}")}),
            _ => json!({"Id": format!("{id}-{number}"), "Sku": format!("s{id}-{}", self.below(3))}),
        };
        if !self.is_one_in(3) {
            row["ProductId"] = self.key().into();
        }
        row
    }

    fn feed(&mut self) -> Value {
        let mut ids: Vec<u64> = (0..ITEMS).filter(|_| !self.is_one_in(3)).collect();
        if self.is_one_in(2) {
            ids.reverse();
        }
        let mut feed = json!({"Products": ids.into_iter().map(|id| self.product(id)).collect::<Vec<_>>()});
        if feed["Products"].as_array().is_some_and(Vec::is_empty) {
            feed["Products"] = json!([self.product(0)]);
        }
        if self.is_one_in(3) {
            let names =
                (0..3).filter(|_| !self.is_one_in(3)).map(|n| json!({"Id": format!("c{n}"), "Name": "n"}));
            feed["Categories"] = names.collect::<Vec<_>>().into();
        }
        if self.is_one_in(4) {
            feed["AccountPrices"] = json!([{"AccountId": "acme", "Id": "1", "Prices": ["1 GBP"]}]);
        }
        feed
    }

    fn key(&mut self) -> String {
        let id = self.below(ITEMS);
        if self.is_one_in(2) { id.to_string() } else { format!("s{id}") }
    }

    fn delta(&mut self) -> Value {
        let mut delta = json!({});
        for _ in 0..=self.below(2) {
            let key = self.key();
            match self.below(12) {
                0..3 => {
                    let id = self.below(ITEMS + 2);
                    delta["Products"] = json!([self.product(id)]);
                }
                3..5 => delta["DeleteProducts"] = json!([key]),
                5 => delta["SetCategoryOnProducts"] = json!([{"CategoryId": "c9", "ProductIds": [key]}]),
                6 => delta["RemoveCategoryFromProducts"] = json!([{"Sku": key, "Categories": ["c0", "c9"]}]),
                7 => delta["AccountPrices"] = json!([{"AccountId": "acme", "Id": key, "Prices": ["2 GBP"]}]),
                8..10 => {
                    let rows = (0..=self.below(2)).map(|_| {
                        let mut row = self.variant();
                        row["StockQty"] = self.below(5).into();
                        row
                    });
                    delta["SetVariants"] = rows.collect();
                }
                10 => delta["DeleteVariants"] = json!([self.variant()]),
                _ => delta["DeleteAccountPrices"] = json!([{"AccountId": "acme", "Id": "1"}]),
            }
        }
        delta
    }

    fn lane(&mut self) -> Lane {
        if self.is_one_in(2) { Lane::DELTA } else { Lane::FETCH }
    }
}

/// A schedule that runs.
struct Drive<'a> {
    world: &'a mut World,
    random: Random,
    shop: Shop,
    account: AccountId,
    /// Looks after every step; now and then; at the end.
    watchers: [Watcher; 3],
    /// True if a search index follows too.
    is_searched: bool,
    feeds: usize,
    urls: Vec<String>,
    /// Tokens of dry runs.
    held: Vec<String>,
    backup: Option<PathBuf>,
    restores: usize,
}

impl<'a> Drive<'a> {
    async fn new(world: &'a mut World, seed: u64, run: usize, is_searched: bool) -> Self {
        let name = format!("catalogue-{seed:x}-{run}");
        let shop = world.shop(&name).await;
        if is_searched && seed % 2 == 1 {
            // A language of compounds.
            world.control("/control/account/search", json!({"Name": name, "Language": "de"})).await;
        }
        let account = find_account(world, &shop).await;
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        random.below(1);
        let (watchers, urls, held) = Default::default();
        let (backup, feeds, restores) = Default::default();
        Self { world, random, shop, account, watchers, is_searched, feeds, urls, held, backup, restores }
    }

    async fn run(mut self, steps: u64) {
        for _ in 0..steps {
            self.step().await;
            self.look(0).await;
        }
        self.world.run_all_jobs().await;
        for watcher in 0..3 {
            self.look(watcher).await;
        }
        if self.is_searched {
            // Everything has ended: the index is up to date.
            assert_answers(self.world, self.account, &mut self.random, false).await;
        }
        if let Some(backup) = self.backup {
            std::fs::remove_dir_all(backup).expect("the backup goes");
        }
    }

    /// Some watcher catches up, and so does the list of the node.
    async fn look(&mut self, watcher: usize) {
        self.watchers[watcher].assert_follows(self.world, self.account).await;
        assert_list(self.world, self.account).await;
        if self.is_searched && self.random.is_one_in(3) {
            assert_answers(self.world, self.account, &mut self.random, true).await;
        }
    }

    async fn step(&mut self) {
        if self.is_searched && self.random.is_one_in(4) {
            return self.disturb_search().await;
        }
        match self.random.below(40) {
            0..5 => self.submit("").await,
            5..7 => self.submit_again().await,
            7 => self.submit("dry").await,
            8 => self.publish_held().await,
            9..18 => {
                self.send_delta().await;
            }
            18 => self.send_large().await,
            19..21 => self.go_back().await,
            21 => self.world.forget(&self.shop, "ada@shop.test").await,
            22..31 => {
                let lane = self.random.lane();
                self.world.run_jobs(lane).await;
            }
            31 => self.world.run_all_jobs().await,
            32..35 => self.stumble().await,
            35 => self.world.crash().await,
            36..38 => self.look(1).await,
            38 => self.back_up().await,
            _ => self.restore().await,
        }
    }

    /// Disturbs the index alone.
    async fn disturb_search(&mut self) {
        let account = self.account;
        match self.random.below(6) {
            0 => assert_renewed(self.world, account).await,
            1 => self.world.crash_and(|data| search_index::merge(data, account)).await,
            2..4 => {
                let mut torn = None;
                let random = &mut self.random;
                self.world.crash_and(|data| torn = Torn::tear(data, account, random)).await;
                assert_answers(self.world, account, &mut self.random, true).await;
                torn.iter().for_each(|torn| torn.assert_noticed(&self.world.config.data_dir, account));
            }
            // So many commits that segments are merged by themselves.
            _ => {
                for _ in 0..8 {
                    self.send_delta().await;
                    self.world.run_jobs(Lane::DELTA).await;
                }
            }
        }
    }

    async fn send_delta(&mut self) {
        let mut delta = self.random.delta();
        if self.is_searched {
            self.random.furnish(&mut delta, false);
        }
        self.world.delta(&self.shop, delta).await;
    }

    async fn submit(&mut self, manner: &str) {
        let mut body = self.random.feed();
        if self.is_searched {
            self.random.furnish(&mut body, true);
        }
        let body = body.to_string();
        self.feeds += 1;
        let path = format!("/{}/{}", self.shop.name, self.feeds);
        let whole = || Answer::ok(body.clone()).header("etag", "\"same\"");
        let answers =
            if self.random.is_one_in(2) { vec![whole()] } else { vec![whole(), Answer::status(304)] };
        let url = self.world.feeds.serve(&path, answers);
        let body = json!({"url": url, "DryRun": manner == "dry"});
        let reply = self.world.ask(&self.shop, "/api/productfeed", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        if manner == "dry" {
            self.held.push(reply.header("x-feed-token").to_owned());
        } else {
            self.urls.push(url);
        }
    }

    /// The same feed once more: unchanged, if its server says so or it gives the same bytes.
    async fn submit_again(&mut self) {
        if let Some(url) = self.urls.last().cloned() {
            self.world.feed(&self.shop, &url).await;
        }
    }

    async fn publish_held(&mut self) {
        let Some(token) = self.held.pop() else { return };
        let body = json!({"Token": token, "Anyway": self.random.is_one_in(2)});
        let reply = self.world.ask(&self.shop, "/api/feed/publish", body).await;
        assert!(matches!(reply.status, 200 | 404), "{}", reply.text);
    }

    /// A delta of two transactions.
    async fn send_large(&mut self) {
        let title = format!("Large {}", self.random.below(3));
        let products = (0..520).map(|n| json!({"Id": format!("m{}", n % 40), "Title": title}));
        self.world.delta(&self.shop, json!({"Products": products.collect::<Vec<_>>()})).await;
    }

    async fn go_back(&mut self) {
        let listed = self.world.ask_json(&self.shop, "/api/snapshots", json!({"Section": "Products"})).await;
        let Some(oldest) = listed.as_array().and_then(|listed| listed.last()) else { return };
        let body = json!({"Section": "Products", "Number": oldest["Number"]});
        let reply = self.world.ask(&self.shop, "/api/snapshots/back", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
    }

    /// A job comes to a step that cannot be written, a reader looks, and then the process dies.
    async fn stumble(&mut self) {
        const REFUSALS: [&Statement; 3] = [&REFUSE_END, &REFUSE_SECOND_PART, &REFUSE_SWEEP];
        let refusal = REFUSALS[self.random.below(3) as usize];
        let lane = self.random.lane();
        plant_refusal(self.world, refusal).await;
        self.world.run_jobs(lane).await;
        self.look(0).await;
        if self.random.is_one_in(2) {
            self.world.crash().await;
        }
        remove_refusal(self.world).await;
        self.world.clock.advance(Duration::from_secs(120));
    }

    async fn back_up(&mut self) {
        if let Some(old) = self.backup.take() {
            std::fs::remove_dir_all(old).expect("the backup goes");
        }
        self.backup = Some(back_up(self.world, &format!("backup-{}", self.shop.name)).await);
    }

    /// The data folder is lost; followers keep their state.
    async fn restore(&mut self) {
        let Some(backup) = self.backup.clone() else { return };
        self.restores += 1;
        let folder = format!("data-{}-{}", self.shop.name, self.restores);
        let lost = self.world.config.data_dir.clone();
        stop_and_restore(self.world, &backup, &folder).await;
        let indices = lost.join("search");
        if indices.exists() {
            // A copy from another history of the store, with a description to match.
            copy_folder(&indices, &self.world.config.data_dir.join("search"));
        }
        remove_folder(&lost);
        self.held.clear();
    }
}
