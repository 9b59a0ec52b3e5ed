//! A schedule against the real node: every operation over HTTP, jobs one at a time, and the comparison at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lethe::accounts;
use lethe::args;
use lethe::jobs::{self, Lane};
use lethe::store::{Owner, Statement, StoreFault};
use lethe::work::order_events;
use serde_json::{Value, json};

use super::loss::{Saved, Since};
use super::model::{Held, Model, Place, Told};
use super::operations::{Act, Id, Operation, Row, SHOPS, STUMBLES, UPLOADS, is_of_users};
use crate::support::feed_server::Answer;
use crate::support::uploads;
use crate::support::world::{NOON, Shop, World, statement};

/// An open upload that an erasure waits for is given up when it was idle for so long.
const IDLE_MILLIS: i64 = 15 * 60 * 1000;
/// Number of checks for the end, and the time between two: a clock that was set back has to come up again.
const LOOKS: usize = 40;
const LOOK_SECONDS: u64 = 16 * 60;
const LATE_LOOK_SECONDS: u64 = 3 * 60 * 60;
const DAY_MILLIS: i64 = 86_400_000;

const HEADER: &str = "OrderID,AccountId,UserId,Email,DateTime,ProdCode,Quantity,UnitPrice\n";

/// Something that was accepted and is not applied yet.
#[derive(Clone)]
pub struct Pending {
    pub shop: usize,
    pub token: String,
    is_delta: bool,
    accepted: Place,
    content: Content,
    /// It came with a backup and had ended since, and so has its key.
    pub may_be_lost: bool,
}

/// Subject of a submission.
#[derive(Clone)]
enum Content {
    Users(Vec<Row>),
    Orders(Vec<Row>),
    Text(u8),
    Removal(u8),
}

/// An upload that was begun and not closed.
#[derive(Clone)]
pub struct Open {
    pub accepted: Place,
    rows: Vec<Row>,
    begun_at: i64,
    touched_at: i64,
    /// As with [`Pending`].
    pub may_be_lost: bool,
}

/// A schedule that runs.
pub struct Drive<'a> {
    pub world: &'a mut World,
    seed: u64,
    pub shops: Vec<Shop>,
    pub models: Vec<Model>,
    pub pending: Vec<Pending>,
    pub open: BTreeMap<(usize, usize), Open>,
    /// True if each may be lost, because it came with a backup and was done since, and its key is gone.
    pub erasures: BTreeMap<(usize, String), bool>,
    submitted: usize,
    has_jumped: bool,
    pub saved: Option<Saved>,
    /// Number of losses of the data folder.
    pub losses: usize,
    /// Observations, step by step: the same for the same seed.
    trace: Vec<String>,
}

impl<'a> Drive<'a> {
    /// Two new shops on the world's node. `run` sets them apart from those of the same seed before.
    pub async fn new(world: &'a mut World, seed: u64, run: usize) -> Self {
        let mut shops = Vec::new();
        for shop in 0..SHOPS {
            let shop = world.shop(&format!("shop-{seed:x}-{run}-{shop}")).await;
            // Something to look at and to order.
            world.apply_delta(&shop, json!({"Products": [{"Id": "p1", "Title": "Thing"}]})).await;
            shops.push(shop);
        }
        let mut models: Vec<_> = (0..SHOPS).map(|_| Model::default()).collect();
        for model in &mut models {
            model.accept();
        }
        Self {
            world,
            seed,
            shops,
            models,
            pending: Vec::new(),
            open: BTreeMap::new(),
            erasures: BTreeMap::new(),
            submitted: 0,
            has_jumped: false,
            saved: None,
            losses: 0,
            trace: Vec::new(),
        }
    }

    /// Runs the operations, ends all work, and compares; returns the observations.
    pub async fn run(mut self, operations: &[Operation]) -> Vec<String> {
        for operation in operations {
            let saw = self.step(operation).await;
            self.trace.push(format!("{operation:?}: {saw}"));
        }
        self.finish().await;
        self.compare().await;
        self.saved.take().into_iter().for_each(Saved::remove);
        self.trace
    }

    async fn step(&mut self, Operation { shop, act }: &Operation) -> String {
        let shop = *shop;
        match act {
            Act::Users(rows) => {
                let users: Vec<Value> = rows.iter().map(|row| self.profile(row)).collect();
                self.delta(shop, json!({"Users": users}), Content::Users(rows.clone())).await
            }
            Act::Removal(user) => {
                let users = json!({"DeleteUsers": [Id::User(*user).text(self.seed)]});
                self.delta(shop, users, Content::Removal(*user)).await
            }
            Act::Text { product, email } => {
                let title = format!("Ask {} first", Id::Email(*email).text(self.seed));
                let products = json!({"Products": [{"Id": format!("p{product}"), "Title": title}]});
                self.delta(shop, products, Content::Text(*product)).await
            }
            Act::Feed(rows) => self.feed(shop, rows).await,
            Act::Orders(rows) => {
                let upload = UPLOADS.len();
                let rows = &rows.iter().map(|row| self.dated(shop, upload, row)).collect::<Vec<_>>();
                self.piece(shop, "/feed-create", upload, HEADER, &[]).await;
                let lines: String = rows.iter().map(|row| self.line(row)).collect();
                self.piece(shop, "/feed-close", upload, &lines, rows).await
            }
            Act::View(row) => self.view(shop, row).await,
            Act::Create { upload, row } => {
                self.open.remove(&(shop, *upload));
                let row = &self.dated(shop, *upload, row);
                let first = if is_of_users(*upload) {
                    format!("{{\"Version\":2,\"Users\":[{}", self.profile(row))
                } else {
                    format!("{HEADER}{}", self.line(row))
                };
                self.piece(shop, "/feed-create", *upload, &first, std::slice::from_ref(row)).await
            }
            Act::Append { upload, row } => {
                let row = &self.dated(shop, *upload, row);
                let next =
                    if is_of_users(*upload) { format!(",{}", self.profile(row)) } else { self.line(row) };
                self.piece(shop, "/feed-append", *upload, &next, std::slice::from_ref(row)).await
            }
            Act::Close { upload } => {
                let last = if is_of_users(*upload) { "]}" } else { "" };
                self.piece(shop, "/feed-close", *upload, last, &[]).await
            }
            Act::Forget(id) => self.forget(shop, *id).await,
            Act::Return(id) => self.come_back(shop, *id).await,
            Act::Work(lane) => self.run_jobs(*lane).await,
            Act::Crash(held) => self.crash(*held).await,
            Act::Stumble(at) => self.stumble(*at).await,
            Act::Restart => {
                self.world.restart().await;
                String::new()
            }
            Act::Advance { seconds } => {
                self.world.clock.advance(Duration::from_secs(*seconds));
                String::new()
            }
            Act::Jump { is_back } => {
                self.has_jumped = true;
                self.world.clock.jump(if *is_back { -DAY_MILLIS } else { DAY_MILLIS });
                String::new()
            }
            Act::Rotate => {
                let rotated = self.world.control("/control/key-epoch/rotate", json!({})).await;
                assert_eq!(rotated["Damaged"], 0, "{rotated}");
                String::new()
            }
            Act::Backup => self.back_up().await,
            Act::Restore => self.restore().await,
        }
    }

    fn profile(&self, row: &Row) -> Value {
        let text = |id: Option<Id>| id.map(|id| id.text(self.seed));
        let mut user = json!({"UserId": text(row.user.map(Id::User)), "FirstName": row.mark});
        for (field, id) in [("Email", row.email.map(Id::Email)), ("GroupId", row.company.map(Id::Company))] {
            if let Some(text) = text(id) {
                user[field] = text.into();
            }
        }
        user
    }

    /// The row with the date that an order has when it is sent now, to the second: no file is told of days that come
    /// after it.
    fn dated(&self, shop: usize, upload: usize, row: &Row) -> Row {
        const LONG_AGO: i64 = NOON - 20 * DAY_MILLIS;
        let latest = self.open.get(&(shop, upload)).map_or(i64::MAX, |open| open.begun_at + DAY_MILLIS);
        let sent_at = self.world.clock.now().min(latest);
        Row { ordered_at: if row.is_old { LONG_AGO } else { sent_at / 1000 * 1000 }, ..row.clone() }
    }

    fn line(&self, row: &Row) -> String {
        let text = |id: Option<Id>| id.map(|id| id.text(self.seed)).unwrap_or_default();
        let company = text(row.company.map(Id::Company));
        let user = text(row.user.map(Id::User));
        let email = text(row.email.map(Id::Email));
        let at = jiff::Timestamp::from_millisecond(row.ordered_at).expect("a time");
        let at = at.strftime("%Y-%m-%d %H:%M:%S");
        format!("{},{company},{user},{email},{at},p1,1,5.00\n", row.mark)
    }

    async fn delta(&mut self, shop: usize, body: Value, content: Content) -> String {
        let token = self.world.delta(&self.shops[shop], body).await;
        let accepted = self.models[shop].accept();
        self.pending.push(Pending { shop, token, is_delta: true, accepted, content, may_be_lost: false });
        "accepted".to_owned()
    }

    async fn feed(&mut self, shop: usize, rows: &[Row]) -> String {
        let users: Vec<Value> = rows.iter().map(|row| self.profile(row)).collect();
        self.submitted += 1;
        let path = format!("/{}/{}", self.shops[shop].name, self.submitted);
        let url = self.world.feeds.serve(&path, [Answer::ok(json!({"Users": users}).to_string())]);
        let token = self.world.feed(&self.shops[shop], &url).await;
        let accepted = self.models[shop].accept();
        let content = Content::Users(rows.to_vec());
        self.pending.push(Pending { shop, token, is_delta: false, accepted, content, may_be_lost: false });
        "accepted".to_owned()
    }

    /// A piece of an upload. One that is not open is refused; one that was open only when it was idle for long enough.
    async fn piece(&mut self, shop: usize, path: &str, upload: usize, piece: &str, rows: &[Row]) -> String {
        let name = UPLOADS.get(upload).copied().unwrap_or("orders-whole");
        let bytes = (!piece.is_empty()).then_some(piece.as_bytes());
        let reply = uploads::post_piece(self.world, &self.shops[shop], path, name, bytes).await;
        let now = self.world.clock.now();
        if reply.status == 409 {
            let open = self.open.remove(&(shop, upload));
            assert!(path != "/feed-create", "{}", reply.text);
            if let Some(open) = open {
                let is_idle = now - open.touched_at >= IDLE_MILLIS || self.has_jumped;
                assert!(is_idle, "an upload was given up: {}", reply.text);
                assert!(!self.erasures.is_empty(), "an upload was given up for nothing");
            }
            return "not open".to_owned();
        }
        if reply.status == 503 {
            let is_lost = self.open.get(&(shop, upload)).is_some_and(|open| open.may_be_lost);
            assert!(is_lost, "{path}: {}", reply.text);
            return "its key is lost".to_owned();
        }
        assert_eq!((reply.status, reply.text.as_str()), (200, "OK"), "{path}");
        if path == "/feed-create" {
            let accepted = self.models[shop].accept();
            let rows = rows.to_vec();
            let begun = Open { accepted, rows, begun_at: now, touched_at: now, may_be_lost: false };
            self.open.insert((shop, upload), begun);
            return "open".to_owned();
        }
        let open = self.open.get_mut(&(shop, upload)).expect("an upload that is not open was gone on with");
        open.rows.extend_from_slice(rows);
        open.touched_at = now;
        if path == "/feed-close" {
            let closed = self.open.remove(&(shop, upload)).expect("it is open");
            let Open { accepted, rows, may_be_lost, .. } = closed;
            let token = reply.header("x-feed-token").to_owned();
            let content =
                if name.starts_with("orders") { Content::Orders(rows) } else { Content::Users(rows) };
            self.pending.push(Pending { shop, token, is_delta: false, accepted, content, may_be_lost });
        }
        "taken".to_owned()
    }

    /// One that is not shown is left out.
    async fn view(&mut self, shop: usize, row: &Row) -> String {
        let mut event = json!({"Name": "product_view", "Product": "p1"});
        let ids = [
            ("UserId", row.user.map(Id::User)),
            ("Email", row.email.map(Id::Email)),
            ("AccountId", row.company.map(Id::Company)),
        ];
        for (field, id) in ids {
            if let Some(id) = id {
                event[field] = id.text(self.seed).into();
            }
        }
        let answer = self.world.ask_json(&self.shops[shop], "/api/events", json!({"Events": [event]})).await;
        // The model is there from now on.
        let node = self.world.node();
        let name = self.shops[shop].name.clone();
        let account = node.store.read(move |tx| accounts::by_name(tx, &name)).await.expect("the account");
        drop(node.derived.models().get_or_build(account.id).await);
        order_events::record_orders(node, account.id).await.expect("orders are noted");
        if answer["Accepted"] == 0 {
            return "not shown".to_owned();
        }
        let accepted = self.models[shop].accept();
        self.models[shop].apply_view(row, accepted);
        "taken".to_owned()
    }

    async fn forget(&mut self, shop: usize, id: Id) -> String {
        let body = json!({"Identifier": id.requested_identifier(self.seed)});
        let reply = self.world.ask(&self.shops[shop], "/api/user/forget", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        self.models[shop].accept();
        let told = self.models[shop].forget(id);
        let erasure = (shop, reply.header("x-erasure-id").to_owned());
        let is_new = !self.erasures.contains_key(&erasure);
        if is_new {
            self.since(Since { shop, told, erasure: Some(erasure.1.clone()) });
            self.erasures.insert(erasure, false);
        }
        format!("a new erasure: {is_new}")
    }

    /// Refused while an erasure is not verified: new data would be taken for data that have to go.
    async fn come_back(&mut self, shop: usize, id: Id) -> String {
        let body = json!({"Identifier": id.requested_identifier(self.seed)});
        let reply = self.world.ask(&self.shops[shop], "/api/user/return", body).await;
        if reply.status == 409 {
            assert!(!self.unverified().await.is_empty(), "{}", reply.text);
            return "too early".to_owned();
        }
        assert_eq!(reply.status, 200, "{}", reply.text);
        let returned = reply.json()["Returned"] == true;
        match (returned, self.models[shop].is_shut(id)) {
            (true, true) => {
                self.models[shop].come_back(id, self.world.clock.now());
                self.since(Since { shop, told: Told::CameBack(id), erasure: None });
            }
            (false, false) => drop(self.models[shop].accept()),
            // The identifiers that a request links are shut with the first step of its erasure.
            (false, true) => assert!(!self.unverified().await.is_empty(), "{id:?} cannot come back"),
            (true, false) => panic!("{id:?} came back without having been forgotten"),
        }
        format!("came back: {returned}")
    }

    /// The erasures that are not verified.
    pub async fn unverified(&self) -> BTreeMap<(usize, String), String> {
        let mut open = BTreeMap::new();
        for ((shop, id), may_be_lost) in &self.erasures {
            let shown = self.world.ask_json(&self.shops[*shop], "/api/erasure", json!({"Erasure": id})).await;
            if shown["State"] != "verified" && !(*may_be_lost && shown["State"] == "lost") {
                open.insert((*shop, id.clone()), shown.to_string());
            }
        }
        open
    }

    async fn run_jobs(&mut self, lane: Lane) -> String {
        let stop = tokio_util::sync::CancellationToken::new();
        let ran = lethe::work::run_due(self.world.node(), lane, &stop).await.expect("a job is claimed");
        if ran {
            self.apply_what_ended().await;
            crate::support::quota::assert_sizes_counted(self.world).await;
        }
        format!("ran: {ran}")
    }

    /// The process dies; a job that it held is taken over.
    async fn crash(&mut self, held: Option<Lane>) -> String {
        let node = self.world.node();
        if let Some(lane) = held {
            let claimed = jobs::claim(&node.store, lane, &node.id, node.clock.now(), None).await;
            claimed.expect("a job is claimed");
        }
        self.world.crash().await;
        String::new()
    }

    /// An erasure that comes to a step finds that it cannot be written; then the process dies.
    async fn stumble(&mut self, at: usize) -> String {
        self.ddl(&PLANTS[at]).await;
        let saw = self.run_jobs(Lane::ERASE).await;
        self.world.crash().await;
        self.ddl(&UNPLANT).await;
        saw
    }

    async fn ddl(&self, statements: &'static [Statement]) {
        let changed = self.world.node().store.write(Owner::STORE, move |tx| {
            statements.iter().try_for_each(|statement| tx.exec(statement, args![]).map(drop))
        });
        changed.await.map_err(|fault: StoreFault| fault).expect("the trigger");
    }

    /// Asks which submissions have ended, and lets the model apply them in the order of their acceptance.
    async fn apply_what_ended(&mut self) {
        let mut left = Vec::new();
        for pending in std::mem::take(&mut self.pending) {
            let shop = &self.shops[pending.shop];
            let status = if pending.is_delta {
                self.world.delta_status(shop, &pending.token).await
            } else {
                self.world.feed_status(shop, &pending.token).await
            };
            if status == json!([0, null]) || status == json!(["Processing", null]) {
                left.push(pending);
                continue;
            }
            if pending.may_be_lost && status[1].as_str().is_some_and(|why| why.contains("its key is")) {
                continue;
            }
            assert!(status == json!([1, null]) || status == json!(["Complete", null]), "{status}");
            self.apply(&pending);
        }
        self.pending = left;
    }

    fn apply(&mut self, Pending { shop, accepted, content, .. }: &Pending) {
        let model = &mut self.models[*shop];
        match content {
            Content::Users(rows) => rows.iter().for_each(|row| model.apply_profile(row, *accepted)),
            Content::Orders(rows) => rows.iter().for_each(|row| model.apply_order(row, *accepted)),
            Content::Text(product) => model.apply_text(*product),
            Content::Removal(user) => {
                if let Some(number) = model.apply_removal(*user, *accepted) {
                    self.since(Since { shop: *shop, told: Told::Removed(number), erasure: None });
                }
            }
        }
    }

    /// Lets everything come to its end, idle uploads too.
    async fn finish(&mut self) {
        for look in 0..LOOKS {
            loop {
                let mut ran = false;
                for lane in lethe::work::KINDS.iter().map(|kind| kind.lane) {
                    ran |= self.run_jobs(lane).await == "ran: true";
                }
                if !ran {
                    break;
                }
            }
            let waiting = self.unverified().await;
            if waiting.is_empty() && self.pending.is_empty() {
                return;
            }
            let seconds = if look < LOOKS / 2 { LOOK_SECONDS } else { LATE_LOOK_SECONDS };
            self.world.clock.advance(Duration::from_secs(seconds));
        }
        panic!("the work never ends: {} wait, {:?}", self.pending.len(), self.unverified().await);
    }

    /// Compares each shop with its model.
    async fn compare(&mut self) {
        for (number, (shop, model)) in self.shops.iter().zip(&self.models).enumerate() {
            for id in Id::all() {
                let (held, is_shut) = self.held(shop, id).await;
                assert_eq!(held, model.held(id, self.seed), "shop {number}, {id:?}");
                assert_eq!(is_shut, model.is_shut(id), "shop {number}: the door for {id:?}");
                self.trace.push(format!("{number} {id:?} {is_shut} {held:?}"));
            }
            assert_eq!(self.counts(shop).await, model.counts(), "shop {number}: rows");
            let verified = self.world.control("/control/model/verify", json!({"Name": shop.name})).await;
            let told = &verified[0];
            assert_eq!(told["SameBytes"], true, "shop {number}: the model, {told}");
            assert_eq!(told["Asked"], told["AnsweredAlike"], "shop {number}: answers of the model");
            for product in model.texts() {
                let title = self.world.title(shop, &format!("p{product}")).await;
                assert_eq!(title, "Ask *** first", "shop {number}, text {product}");
            }
        }
    }

    async fn held(&self, shop: &Shop, id: Id) -> (Held, bool) {
        let body = json!({"Identifier": id.requested_identifier(self.seed)});
        let export = self.world.ask_json(shop, "/api/user/export", body).await;
        let texts = |list: &str, field: &str| -> BTreeSet<String> {
            let all = export[list].as_array().expect("a list").iter();
            all.map(|one| one[field].as_str().expect("a text").to_owned()).collect()
        };
        let is_view = |event: &&Value| event["Event"] == "product_view";
        let held = Held {
            ids: texts("Identifiers", "Value"),
            profiles: texts("Profiles", "FirstName"),
            orders: texts("Orders", "Order"),
            views: export["Events"].as_array().expect("a list").iter().filter(is_view).count(),
        };
        (held, export["Suppression"]["Suppressed"] == true)
    }

    /// Events of orders are no views: each is one of an order that is there.
    async fn counts(&self, shop: &Shop) -> [usize; 5] {
        const COUNTS: Statement = statement(
            "counts",
            "SELECT (SELECT count(*) FROM subject WHERE account_id = account.id) AS subjects,
                    (SELECT count(*) FROM record WHERE account_id = account.id AND kind <> 'event') AS records,
                    (SELECT count(*) FROM identifier WHERE account_id = account.id) AS identifiers,
                    (SELECT count(*) FROM order_known WHERE account_id = account.id) AS orders,
                    (SELECT count(*) FROM record WHERE account_id = account.id AND kind = 'event')
                      - (SELECT count(*) FROM order_known WHERE account_id = account.id AND event_n IS NOT NULL) AS views
             FROM account WHERE access_key = $1",
        );
        let key = shop.key.clone();
        let counted = self.world.node().store.read(move |tx| {
            let row = tx.row(&COUNTS, args![key.as_str()])?.ok_or(StoreFault::Closed)?;
            Ok::<_, StoreFault>([
                row.int("subjects")?,
                row.int("records")?,
                row.int("identifiers")?,
                row.int("orders")?,
                row.int("views")?,
            ])
        });
        counted.await.expect("counts").map(|count| usize::try_from(count).expect("a count"))
    }
}

/// Statements that make the store refuse one step of every erasure, for each of `STUMBLES`.
macro_rules! plants {
    ($($step:literal)*) => {
        const PLANTS: [[Statement; 2]; STUMBLES.len()] = [$([
            Statement::new(
                "prepare",
                "DROP TRIGGER IF EXISTS stumble",
                "CREATE OR REPLACE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql
                 AS 'BEGIN RAISE EXCEPTION ''planted''; END'",
            ),
            Statement::new(
                "plant",
                concat!("CREATE TRIGGER stumble BEFORE INSERT ON erasure_step WHEN NEW.state = '", $step,
                        "' BEGIN SELECT RAISE(ABORT, 'planted'); END"),
                concat!("CREATE TRIGGER stumble BEFORE INSERT ON erasure_step FOR EACH ROW WHEN (NEW.state = '", $step,
                        "') EXECUTE FUNCTION stumble()"),
            ),
        ]),*];
    };
}
plants!("fenced" "shredded" "deleted" "unlearned" "settled" "verified");

/// Takes the trigger away again.
const UNPLANT: [Statement; 1] =
    [Statement::new("unplant", "DROP TRIGGER stumble", "DROP FUNCTION stumble() CASCADE")];
