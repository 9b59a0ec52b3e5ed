//! After an erasure every model and every answer is that of a shop where the person has never been: compared with a
//! model that the test makes by itself from the events of those who stay, and with one rebuilt from the store.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use lethe::clock::{day_of, days};
use lethe::ids::AccountId;
use lethe::jobs::Lane;
use lethe::limits;
use lethe::recommend::co_view::{also_viewed, most_viewed};
use lethe::recommend::history::{ClickHistory, SessionKey};
use lethe::recommend::leave_one_out::OtherSessions;
use lethe::recommend::model_diff::compare_models;
use lethe::recommend::session::SessionRecommender;
use lethe::work::order_events;
use serde_json::{Value, json};

use crate::support::events::{open_shop, post_events, post_view};
use crate::support::repetitions::read_wanted_people;
use crate::support::world::{Shop, World, on_both_engines};

on_both_engines! {
    after_each_forget_the_model_is_that_of_a_shop_without_the_person
    people_who_are_forgotten_while_the_model_is_read_are_in_no_page_of_it
    who_is_forgotten_while_others_are_proven_is_unlearned_meanwhile
    a_model_is_compared_while_an_erasure_is_going_on
}

const PRODUCTS: u64 = 16;
/// Number of people, each with about as many events, and of those forgotten one by one: 100 and 7,000 events in all,
/// or as many as `LETHE_TEST_UNLEARNED` says, and 100 events a person.
const PEOPLE: u64 = 160;
const EVENTS: u64 = 7_000;
const ONE_BY_ONE: u64 = 100;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A number that only looks random: the same in every run.
fn scatter_number(number: u64) -> u64 {
    number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
}

/// An event of a person.
enum Did {
    Viewed(String),
    Basket(Vec<String>),
    Ordered(Vec<String>),
}

/// An event that was taken, as the test knows it.
struct Taken {
    person: u64,
    /// None of an order: it is one of its own.
    session: Option<u128>,
    at: i64,
    did: Did,
}

/// A shop, and all that anybody did there.
struct Seeded {
    people: u64,
    shop: Shop,
    taken: Vec<Taken>,
    sent: u64,
    gone: BTreeSet<u64>,
}

impl Seeded {
    async fn new(world: &World, people: u64) -> Self {
        Self {
            people,
            shop: open_shop(world, PRODUCTS as usize).await,
            taken: Vec::new(),
            sent: 0,
            gone: BTreeSet::new(),
        }
    }

    /// So many events more, each within a few minutes of those before it; the shop has two popular products. Now and
    /// then a person changes their basket or orders.
    async fn go_on(&mut self, world: &World, count: u64, mut at: impl FnMut(u64) -> i64) {
        let mut waiting = Vec::new();
        for _ in 0..count {
            let number = self.sent;
            self.sent += 1;
            let person = scatter_number(number / 3) % self.people;
            let item = |n: u64| {
                let popular = n.is_multiple_of(3);
                format!("p{}", if popular { 1 + n % 2 } else { 1 + scatter_number(n * 7) % PRODUCTS })
            };
            let goods = || -> Vec<String> {
                let goods: BTreeSet<_> = (0..number % 4).map(|more| item(number + more)).collect();
                goods.into_iter().collect()
            };
            let did = match scatter_number(number) % 25 {
                0 | 1 => Did::Basket(goods()),
                2 if !number.is_multiple_of(4) => Did::Ordered(goods()),
                _ => Did::Viewed(item(number)),
            };
            waiting.push((number, person, at(number), did));
            if waiting.len() == limits::EVENTS_OF_REQUEST {
                self.send(world, std::mem::take(&mut waiting)).await;
            }
        }
        self.send(world, waiting).await;
        order_events::record_orders(world.node(), AccountId(1)).await.expect("noted");
    }

    async fn send(&mut self, world: &World, waiting: Vec<(u64, u64, i64, Did)>) {
        let event = |(number, person, at, did): &(u64, u64, i64, Did)| {
            let mut event = json!({"UserId": format!("user-{person}"), "At": at});
            match did {
                Did::Viewed(item) => (event["Name"], event["Product"]) = (json!("product_view"), json!(item)),
                Did::Basket(items) => (event["Name"], event["Items"]) = (json!("set_basket"), json!(items)),
                Did::Ordered(items) => {
                    (event["Name"], event["Items"]) = (json!("order"), json!(items));
                    event["Order"] = number.to_string().into();
                }
            }
            event
        };
        let events: Vec<Value> = waiting.iter().map(event).collect();
        let answers = post_events(world, &self.shop, &events).await;
        for ((_, person, at, did), answer) in waiting.into_iter().zip(answers) {
            let session =
                answer["SessionId"].as_str().map(|id| uuid::Uuid::try_parse(id).expect("a session"));
            assert!(session.is_some() || answer["Order"] == "stored", "{answer}");
            if !self.gone.contains(&person) {
                self.taken.push(Taken { person, session: session.map(|id| id.as_u128()), at, did });
            }
        }
    }

    /// The expected model: no person who is gone, no session that has ended. Views, baskets, and the content of each
    /// order, which the test knows by no number.
    fn expected(&self, world: &World) -> (ClickHistory, ClickHistory, Vec<Vec<String>>) {
        let today = day_of(world.clock.now());
        let counts = |start: i64| day_of(start) + days(limits::MODEL_DURATION) > today;
        let mut starts = BTreeMap::new();
        let mut views = ClickHistory::default();
        let mut baskets = ClickHistory::default();
        let mut orders = Vec::new();
        for Taken { person, session, at, did } in &self.taken {
            let key = session.map(|id| SessionKey { start: *starts.entry(id).or_insert(*at), id });
            if self.gone.contains(person) || !counts(key.map_or(*at, |key| key.start)) {
                continue;
            }
            match (did, key) {
                (Did::Viewed(item), Some(key)) => views.add(key, item),
                (Did::Basket(items), Some(key)) => baskets.set_session(key, items),
                (Did::Ordered(items), None) => orders.push(items.clone()),
                _ => panic!("an order is in no session, anything else is"),
            }
        }
        orders.sort_unstable();
        (views, baskets, orders)
    }

    async fn assert_exact(&self, world: &World, when: &str) {
        let expected = self.expected(world);
        let compare = |live: &lethe::recommend::model::Model, anew: &lethe::recommend::model::Model| {
            assert!(live.canonical() == anew.canonical(), "{when}: made anew it is another");
            let (views, baskets, orders) = &expected;
            assert!(live.views().canonical() == views.canonical(), "{when}: views are others");
            assert!(live.baskets().canonical() == baskets.canonical(), "{when}: baskets are others");
            assert_eq!(&list_orders(live.orders()), orders, "{when}");
            assert!(compare_models(live, anew, usize::MAX).is_same(), "{when}: answers of one made anew");
            let answers = answers(live.views());
            assert_eq!(answers, self::answers(views), "{when}");
            assert_eq!(answers, self::answers(anew.views()), "{when}: made anew");
        };
        world.node().derived.models().compare_with_rebuilt(AccountId(1), compare).await.expect("a model");
    }

    async fn forget(&mut self, world: &World, people: &[u64]) {
        for person in people {
            world.forget(&self.shop, &format!("userid:user-{person}")).await;
            self.gone.insert(*person);
        }
        world.run_all_jobs().await;
    }
}

/// Content of each order.
fn list_orders(orders: &ClickHistory) -> Vec<Vec<String>> {
    let mut slots: Vec<_> =
        orders.items().flat_map(|item| orders.places(item)).map(|place| place.session).collect();
    slots.sort_unstable();
    slots.dedup();
    let items = |slot: &u32| orders.clicks(*slot).iter().map(|item| orders.id(*item).to_owned()).collect();
    let mut all: Vec<Vec<String>> = slots.iter().map(items).collect();
    all.sort_unstable();
    all
}

/// Answers of every recommender, for sessions of two items.
fn answers(history: &ClickHistory) -> Vec<Vec<(i64, String)>> {
    let others = OtherSessions::including_all(history);
    let named = |scored: Vec<(i64, u32)>| -> Vec<(i64, String)> {
        scored.into_iter().map(|(score, item)| (score, history.id(item).to_owned())).collect()
    };
    let mut all = vec![named(most_viewed(&others, 20, |_| true))];
    let mut recommender = SessionRecommender::default();
    for one in 1..=PRODUCTS {
        let clicks = [format!("p{}", 1 + scatter_number(one) % PRODUCTS), format!("p{one}")];
        all.push(named(recommender.recommend(&others, &clicks, 20, |_| true)));
        all.push(named(also_viewed(&others, &clicks[1], 20, |_| true)));
    }
    all
}

async fn after_each_forget_the_model_is_that_of_a_shop_without_the_person(mut world: World) {
    let one_by_one = read_wanted_people().max(ONE_BY_ONE);
    let people = PEOPLE.max(one_by_one + 60);
    let events = EVENTS.max(read_wanted_people() * 100);
    let mut seeded = Seeded::new(&world, people).await;
    let noon = world.clock.now();
    // The first ones were 59 days ago, and go at the next midnights.
    let begin = noon - i64::try_from(DAY.as_millis()).expect("it fits") * 59;
    let step = (noon - begin) / i64::try_from(events).expect("it fits");
    seeded.go_on(&world, events, |number| begin + step * number as i64).await;
    seeded.assert_exact(&world, "all").await;
    let (history, ..) = seeded.expected(&world);
    let cut = (1..=2).map(|n| history.item(&format!("p{n}")).expect("an item"));
    let others = OtherSessions::including_all(&history);
    assert!(
        cut.map(|item| others.newest(item, 600).count()).all(|read| read == 600),
        "lists are cut when they are read"
    );
    for person in 0..one_by_one {
        seeded.forget(&world, &[person]).await;
        let now = world.clock.now();
        seeded.go_on(&world, 30, |_| now).await;
        seeded.assert_exact(&world, &format!("without {person}")).await;
    }
    seeded.forget(&world, &(one_by_one..one_by_one + 40).collect::<Vec<_>>()).await;
    seeded.assert_exact(&world, "without forty at once").await;
    world.clock.advance(DAY);
    seeded.assert_exact(&world, "behind midnight").await;
    let next = one_by_one + 40;
    seeded.forget(&world, &[next, next + 1]).await;
    world.crash().await;
    seeded.assert_exact(&world, "behind a crash").await;
    // Before the work is done: the next start does the rest after the crash.
    world.forget(&seeded.shop, &format!("userid:user-{}", next + 2)).await;
    seeded.gone.insert(next + 2);
    world.crash().await;
    world.run_all_jobs().await;
    seeded.assert_exact(&world, "forgotten behind a crash").await;
    let stored = world
        .ask_json(&seeded.shop, "/api/user/held", json!({"Identifier": format!("user-{}", next + 2)}))
        .await;
    assert!(!stored.to_string().contains("\"models\":1"), "{stored}");
}

/// A model that is being read takes a page at a time, and people are removed between two pages.
async fn people_who_are_forgotten_while_the_model_is_read_are_in_no_page_of_it(world: World) {
    let mut seeded = Seeded::new(&world, PEOPLE).await;
    let now = world.clock.now();
    seeded.go_on(&world, 3_000, |_| now).await;
    let models = world.node().derived.models().clone();
    let reading = tokio::spawn(async move { models.get_or_build(AccountId(1)).await.map(drop) });
    seeded.forget(&world, &(0..40).collect::<Vec<_>>()).await;
    // It may take longer than anybody waits.
    drop(reading.await.expect("it ran"));
    seeded.assert_exact(&world, "without those who went meanwhile").await;
}

/// A proof takes as long as reading all files: here one is very large, until it is cut.
async fn who_is_forgotten_while_others_are_proven_is_unlearned_meanwhile(world: World) {
    let shop = open_shop(&world, 2).await;
    for who in ["ada", "bob"] {
        post_view(&world, &shop, json!({"UserId": who}), "p1").await;
    }
    drop(world.node().derived.models().get_or_build(AccountId(1)).await.expect("a model"));
    let large = std::fs::File::create(world.config.data_dir.join("large")).expect("a file");
    large.set_len(1 << 36).expect("it is empty");
    let states = || async {
        let all = world.ask_json(&shop, "/api/erasures", json!({})).await;
        let of = |place: usize| all[place]["State"].as_str().unwrap_or_default().to_owned();
        // The newest first.
        [of(0), of(1)]
    };
    world.forget(&shop, "userid:ada").await;
    let meanwhile = async {
        let began = Instant::now();
        let is_late = || began.elapsed() > limits::READY_DURATION;
        while !["unlearned", "settled"].contains(&states().await[0].as_str()) && !is_late() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        world.forget(&shop, "userid:bob").await;
        while states().await[0] != "unlearned" && !is_late() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let seen = states().await;
        large.set_len(0).expect("it is cut");
        seen
    };
    let (_, [bob, ada]) = tokio::join!(world.run_jobs(Lane::ERASE), meanwhile);
    assert_eq!(bob, "unlearned");
    assert_ne!(ada, "verified", "its proof goes on");
    world.run_all_jobs().await;
    assert_eq!(states().await, ["verified", "verified"]);
}

/// Between the end of their key and the end of their rows a person is in the live model alone.
async fn a_model_is_compared_while_an_erasure_is_going_on(world: World) {
    let shop = open_shop(&world, 2).await;
    for who in ["anna", "berta"] {
        post_view(&world, &shop, json!({"UserId": who}), "p1").await;
    }
    let verified = async || {
        let told = world.control("/control/model/verify", json!({"Name": "one"})).await;
        (told[0]["People"].clone(), told[0]["SameBytes"].clone(), told[0]["Pending"].clone())
    };
    assert_eq!(verified().await, (json!(2), json!(true), json!(false)));
    // A delta that waits may hold the person.
    world.delta(&shop, json!({"Users": [{"UserId": "anna"}]})).await;
    world.forget(&shop, "userid:anna").await;
    world.run_jobs(Lane::ERASE).await;
    assert_eq!(verified().await, (json!(2), json!(false), json!(true)));
    world.run_all_jobs().await;
    assert_eq!(verified().await, (json!(1), json!(true), json!(false)));
}
