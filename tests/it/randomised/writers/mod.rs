//! Two programs on one PostgreSQL database: one program's unit is stopped in front of each of its statements, and the
//! other does a whole unit of the same account meanwhile. The result is that of one after the other (decision 0024).

mod gate;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use lethe::accept::product_feed::NewFeed;
use lethe::accept::upload::Upload;
use lethe::accept::{self, user_forget::Forget};
use lethe::accounts::quota::DefaultQuota;
use lethe::args;
use lethe::ids::identifier::Identifier;
use lethe::ids::{AccountId, SubmissionToken};
use lethe::jobs::{self, Lane, Lease};
use lethe::keys::Tag;
use lethe::store::{Owner, PostgresAddress, Statement, Store, StoreFault, StoreOptions};
use lethe::submissions::{PublishMode, SubmissionPayload, UploadKind};
use lethe::work::WorkFault;

use tokio::task::JoinHandle;

use crate::support::postgres::Database;
use crate::support::world::{World, statement};
use gate::Gate;

/// No limit.
const PART: DefaultQuota = DefaultQuota(i64::MAX);

/// An accepting unit, or a unit of a job.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Delta,
    SentAgain,
    Feed,
    Begin,
    Append,
    Close,
    Forget,
    Return,
    Claim,
    Work,
    End,
    GiveBack,
}

const UNITS: [Unit; 12] = [
    Unit::Delta,
    Unit::SentAgain,
    Unit::Feed,
    Unit::Begin,
    Unit::Append,
    Unit::Close,
    Unit::Forget,
    Unit::Return,
    Unit::Claim,
    Unit::Work,
    Unit::End,
    Unit::GiveBack,
];

/// An account that has a delta whose job is held, a feed that waits, and an open upload.
struct Case {
    world: Arc<World>,
    account: AccountId,
    lease: Lease,
}

const BODY: &[u8] = br#"{"Products":[{"Id":"1"}]}"#;
const UPLOAD: Tag = [7; 16];
const URL: Tag = [8; 16];
/// Sender of the data that is there before.
const FIRST: u8 = 1;

/// Each program has tokens of its own, except for repeated submissions and for the one upload.
fn token(program: u8, unit: Unit) -> SubmissionToken {
    match unit {
        Unit::SentAgain => SubmissionToken::from_bytes([250; 16]),
        Unit::Begin => SubmissionToken::from_bytes([100 + program; 16]),
        // Token of the open upload.
        Unit::Append | Unit::Close => token(FIRST, Unit::Begin),
        _ => SubmissionToken::from_bytes([program; 16]),
    }
}

async fn new_case(world: &Arc<World>, store: &Store) -> Case {
    const NO_JOBS: Statement = statement("no_jobs", "DELETE FROM job");
    let keys = world.node().keys.clone();
    let now = world.clock.now();
    let made = store.write(Owner::STORE, move |tx| {
        tx.exec(&NO_JOBS, args![])?;
        let name = uuid::Uuid::new_v4().simple().to_string();
        lethe::accept::account::create(tx, &keys, &name, None, now).map(|(account, _)| account.id)
    });
    let account = made.await.map_err(|fault| fault.to_string()).expect("an account");
    run(world, account, None, Unit::Delta, store, 0).await;
    let lease = jobs::claim(store, Lane::DELTA, "a test", now, None).await.expect("a claim").expect("a job");
    for unit in [Unit::Begin, Unit::Feed] {
        run(world, account, None, unit, store, FIRST).await;
    }
    Case { world: world.clone(), account, lease }
}

/// Does one unit; returns its answer.
async fn run(
    world: &World,
    account: AccountId,
    lease: Option<&Lease>,
    unit: Unit,
    store: &Store,
    program: u8,
) -> String {
    let keys = world.node().keys.clone();
    let now = world.clock.now();
    let token = token(program, unit);
    let slot = keys.take_slot_async().await.expect("a key");
    let asked = Arc::new(Identifier::parse_forget("ada@shop.test").map_err(|_| ()).expect("an address"));
    match unit {
        Unit::Delta | Unit::SentAgain => {
            let digest = matches!(unit, Unit::SentAgain).then_some(URL);
            let accepted = store.write(account, move |tx| {
                accept::delta::accept(
                    tx,
                    account,
                    token,
                    SubmissionPayload::Plain(BODY),
                    digest.as_ref(),
                    now,
                )
            });
            describe_outcome(accepted.await)
        }
        Unit::Feed => {
            let accepted = store.write(account, move |tx| {
                let manner = PublishMode::Guarded;
                let digest = &URL;
                let feed =
                    NewFeed { token, host: "shop.test", manner, format: None, slot, url: BODY, digest };
                accept::product_feed::accept(tx, account, &feed, now).map(|accepted| accepted.is_stored())
            });
            describe_outcome(accepted.await)
        }
        Unit::Begin => {
            let holds = UploadKind::Product;
            let manner = PublishMode::Guarded;
            let upload = Upload { name: UPLOAD, token, slot, holds, manner, format: None };
            let begun =
                store.write(account, move |tx| accept::upload::create(tx, account, &upload, None, PART, now));
            describe_outcome(begun.await)
        }
        Unit::Append | Unit::Close => {
            let is_last = matches!(unit, Unit::Close);
            let taken = store.write(account, move |tx| {
                let taken = if is_last {
                    accept::upload::close(tx, account, &UPLOAD, token, None, PART, now)?
                } else {
                    accept::upload::append(tx, account, &UPLOAD, token, None, PART, now)?
                };
                Ok::<_, StoreFault>(taken.map(|open| (open.seq, open.bytes)))
            });
            describe_outcome(taken.await)
        }
        Unit::Forget => {
            let forgotten = store.write(account, move |tx| {
                let sealer = keys.sealer(slot)?;
                let id = uuid::Uuid::new_v4();
                let forget = Forget { asked: &asked, slot, sealer: &sealer, id, reference: None };
                accept::user_forget::accept(tx, &keys, account, &forget, now)
                    .map(|forgotten| forgotten.is_new)
            });
            describe_outcome(forgotten.await.map_err(|fault| fault.to_string()))
        }
        Unit::Return => {
            let returned = store.write(account, move |tx| {
                accept::user_forget::accept_return(tx, &keys, account, &asked, now)
            });
            describe_outcome(returned.await.map_err(|fault| fault.to_string()))
        }
        Unit::Claim => describe_outcome(
            jobs::claim(store, Lane::FETCH, "a test", now, None)
                .await
                .map(|lease| lease.map(|lease| lease.seq)),
        ),
        Unit::Work | Unit::End | Unit::GiveBack => {
            let Some(lease) = lease else { return String::new() };
            match unit {
                Unit::Work => describe_outcome(
                    lease
                        .write(store, move |tx| {
                            Ok::<_, WorkFault>(lethe::submissions::published::finish_deltas(
                                tx,
                                account,
                                &(0..=i64::MAX),
                                now,
                            )?)
                        })
                        .await
                        .map(drop)
                        .map_err(|fault| fault.to_string()),
                ),
                Unit::End => {
                    let ended = lease.write_last(store, |_| Ok::<_, WorkFault>(Some(())));
                    describe_outcome(ended.await.map_err(|fault| fault.to_string()))
                }
                _ => describe_outcome(jobs::release(store, lease, again(now)).await),
            }
        }
    }
}

fn again(at: i64) -> jobs::RetryState {
    jobs::RetryState { at, attempts: 1, phase: "waiting", setback: None }
}

fn describe_outcome<T: std::fmt::Debug, E: std::fmt::Debug>(answer: Result<T, E>) -> String {
    format!("{answer:?}")
}

/// All stored rows of an account, except for random values.
async fn rows(store: &Store, account: AccountId) -> String {
    const COLUMNS: Statement = statement(
        "columns",
        "SELECT c.table_name::text AS name, string_agg(format('%I::text', c.column_name), ', ' ORDER BY c.column_name) AS columns
         FROM information_schema.columns c JOIN information_schema.columns a
           ON a.table_name = c.table_name AND a.table_schema = c.table_schema AND a.column_name = 'account_id'
         WHERE c.table_schema = current_schema() AND c.data_type <> 'bytea'
           AND c.column_name NOT IN ('account_id', 'slot', 'lease', 'beat', 'blob')
           AND (c.table_name, c.column_name) <> ('ledger', 'entry')
         GROUP BY c.table_name ORDER BY c.table_name",
    );
    let read = store.read(move |tx| {
        let mut text = String::new();
        for table in tx.run(&COLUMNS, args![])? {
            let columns = table.text("columns")?.to_owned();
            let table = table.text("name")?.to_owned();
            let all = format!(
                "SELECT coalesce(string_agg(one, ' ' ORDER BY one), '') AS contents FROM
                 (SELECT ROW({columns})::text AS one FROM {table} WHERE account_id = $1) AS rows"
            );
            let all = statement("all", Box::leak(all.into_boxed_str()));
            let row = tx.row(&all, args![account.0])?;
            text += &format!(
                "{table}: {}\n",
                row.map_or(Ok(String::new()), |row| row.text("contents").map(str::to_owned))?
            );
        }
        Ok::<_, StoreFault>(text)
    });
    read.await.expect("rows")
}

/// Both answers and all that is stored, when each unit ran by itself: the first, then the second; or the other way.
async fn one_behind_the_other(
    world: &Arc<World>,
    store: &Store,
    units: [Unit; 2],
    is_turned: bool,
) -> (String, String, String) {
    let case = new_case(world, store).await;
    let one = async |n: usize| {
        let program = u8::try_from(n).expect("a number") + 2;
        run(&case.world, case.account, Some(&case.lease), units[n], store, program).await
    };
    let (first, second) = if is_turned {
        let second = one(1).await;
        (one(0).await, second)
    } else {
        let first = one(0).await;
        (first, one(1).await)
    };
    (first, second, rows(store, case.account).await)
}

/// Returns true if a connection waits for a row.
async fn is_somebody_waiting(store: &Store) -> bool {
    const WAITING: Statement = statement(
        "waiting",
        "SELECT count(*) AS counted FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    let waiting = store.read(|tx| tx.row(&WAITING, args![])?.map_or(Ok(0), |row| row.int("counted")));
    waiting.await.map_err(|fault: StoreFault| fault).expect("a count") > 0
}

fn open_store(address: String) -> Store {
    Store::open(&StoreOptions::Postgres(PostgresAddress::from(address))).expect("a store")
}

/// Step between the statements to stop at in CI, each pair beginning with another one; `LETHE_TEST_INTERLEAVED=all`
/// stops at all.
const STEPS: usize = 8;

macro_rules! first {
    ($(fn $name:ident() $unit:ident)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            beside_every_other(Unit::$unit).await;
        }
    )*};
}
first! {
    fn a_delta() Delta fn a_delta_sent_again() SentAgain fn a_feed() Feed fn an_upload_begun() Begin
    fn a_part_of_an_upload() Append fn an_upload_closed() Close fn an_erasure() Forget fn a_return() Return
    fn a_claim() Claim fn work_of_a_job() Work fn the_end_of_a_job() End fn a_job_given_back() GiveBack
}

/// One unit stopped in front of its statements, and each other one done meanwhile.
async fn beside_every_other(one: Unit) {
    let Some(database) = Database::create() else { return };
    let url = database.url();
    let world = Arc::new(World::open(Some(database)).await);
    // This test is about work in between, and not about who holds a row.
    world.database.iter().for_each(Database::watch_no_owners);
    let store = world.node().store.clone();
    let mut way = url::Url::parse(&url).expect("an address");
    let server: SocketAddr =
        format!("127.0.0.1:{}", way.port().expect("a port")).parse().expect("an address");
    let gate = Gate::before(server);
    way.set_port(Some(gate.address().port())).expect("a port");
    way.set_query(Some("sslmode=disable"));
    let other = tokio::task::spawn_blocking(move || open_store(way.to_string())).await.expect("opened");
    let every = match std::env::var("LETHE_TEST_INTERLEAVED") {
        Ok(which) if which == "all" => 1,
        _ => STEPS,
    };
    let mut stops = 0;
    for (pair, units) in UNITS.map(|two| [one, two]).into_iter().enumerate() {
        let right = [
            one_behind_the_other(&world, &store, units, false).await,
            one_behind_the_other(&world, &store, units, true).await,
        ];
        for statements in (pair % every..).step_by(every) {
            let case = Arc::new(new_case(&world, &store).await);
            gate.shut_after(statements);
            let first = spawn(&case, units[0], &other, 2);
            while !gate.is_waiting() && !first.is_finished() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let was_stopped = !first.is_finished();
            let second = spawn(&case, units[1], &store, 3);
            while !second.is_finished() && !is_somebody_waiting(&store).await {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            gate.open();
            let first = first.await.expect("it ran");
            let second = second.await.expect("it ran");
            let end = (first, second, rows(&store, case.account).await);
            assert!(
                right.contains(&end),
                "{units:?} after {statements}:\n{end:#?}\nbut one behind the other:\n{right:#?}"
            );
            if !was_stopped {
                break;
            }
            stops += 1;
        }
    }
    assert!(stops > UNITS.len() / 2, "only {stops} stops");
}

fn spawn(case: &Arc<Case>, unit: Unit, store: &Store, program: u8) -> JoinHandle<String> {
    let case = case.clone();
    let store = store.clone();
    tokio::spawn(
        async move { run(&case.world, case.account, Some(&case.lease), unit, &store, program).await },
    )
}
