//! Operators in a store: what adding, changing and removing one leaves behind, and who may do what.

use totp_rs::Builder;
use zeroize::Zeroizing;

use super::testing::operator;
use super::update::store;
use super::*;
use crate::clock::{Millis, millis};
use crate::ids::AccountId;
use crate::keys::Keys;
use crate::store::{Owner, Store, StoreOptions, Tx};
use crate::{args, limits, sql};

const DAY: Millis = 24 * 60 * 60 * 1000;

/// Secret of RFC 6238, appendix B.
const SECRET: &[u8] = b"12345678901234567890";

/// A store of operators, with its keys.
struct Register {
    store: Store,
    keys: Keys,
    folder: tempfile::TempDir,
}

impl Register {
    fn open() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&StoreOptions::Sqlite(folder.path().join("lethe.db"))).expect("a store");
        let keys = Keys::open(&folder.path().join("keys")).expect("keys");
        Self { store, keys, folder }
    }

    /// Does something in a transaction.
    async fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Tx<'_>, &Keys) -> Result<T, OperatorFault> + Send + 'static,
    ) -> Result<T, OperatorFault> {
        let keys = self.keys.clone();
        self.store.write(Owner::STORE, move |tx| work(tx, &keys)).await
    }

    /// Adds an operator at time 1000; gives their id and their link.
    async fn add(
        &self,
        name: &'static str,
        role: OperatorRole,
        shops: &'static [i64],
    ) -> Result<(OperatorId, Zeroizing<String>), OperatorFault> {
        let shops: Vec<_> = shops.iter().copied().map(AccountId).collect();
        self.write(move |tx, keys| add(tx, keys, name, (role, &shops), 1000)).await
    }

    /// Adds an owner who has chosen a password.
    async fn add_owner(&self, name: &'static str) -> OperatorId {
        let (id, link) = self.add(name, OperatorRole::Owner, &[]).await.expect("added");
        self.write(move |tx, keys| choose_password(tx, keys, &link, "hash", 1000)).await.expect("chosen");
        id
    }

    async fn get(&self, id: OperatorId) -> Operator {
        self.write(move |tx, keys| get(tx, keys, id)).await.expect("read").expect("an operator")
    }

    async fn change(&self, name: &'static str, update: OperatorUpdate) -> Result<(), OperatorFault> {
        self.write(move |tx, keys| change(tx, keys, name, &update, 2000)).await
    }

    /// Returns true if a link leads to an operator at a time.
    async fn counts(&self, link: &str, now: Millis) -> bool {
        let link = link.to_owned();
        match self.write(move |tx, keys| by_link(tx, keys, &link, now).map(drop)).await {
            Ok(()) => true,
            Err(OperatorFault::LinkUnknown) => false,
            Err(fault) => panic!("{fault}"),
        }
    }

    async fn switch_on(&self, id: OperatorId, code: String, now: Millis) -> Option<Operator> {
        self.write(move |tx, keys| totp::switch_on(tx, keys, id, (SECRET, &code), now)).await.expect("tried")
    }

    /// Returns true if this code is theirs, and then it is used.
    async fn spend(&self, id: OperatorId, code: String, now: Millis) -> bool {
        let spent = self.write(move |tx, keys| totp::spend(tx, keys, id, &code, now)).await;
        spent.expect("tried").is_some()
    }
}

/// Code of the app at a second.
fn code_at(second: u64) -> String {
    let app = Builder::new().with_secret(SECRET.to_vec()).build().expect("an app");
    app.generate(second).to_string()
}

fn disabled() -> OperatorUpdate {
    OperatorUpdate { is_enabled: Some(false), ..OperatorUpdate::default() }
}

fn viewer() -> OperatorUpdate {
    OperatorUpdate {
        role: Some(OperatorRole::Viewer),
        shops: Some(vec![AccountId(1)]),
        ..OperatorUpdate::default()
    }
}

#[test]
fn each_role_has_its_rights_in_its_shops_alone() {
    let rights = [Right::View, Right::Merchandise, Right::Privacy, Right::Admin];
    let expected = [
        ("owner", [true; 4]),
        ("merchandiser", [true, true, false, false]),
        ("privacy-officer", [true, false, true, false]),
        ("viewer", [true, false, false, false]),
    ];
    let found = OperatorRole::ALL.map(|role| (role.name(), rights.map(|right| role.has(right))));
    assert_eq!(found, expected);
    for role in OperatorRole::ALL {
        assert_eq!(OperatorRole::from_name(role.name()), Some(role));
        let mut one = Operator { role, shops: vec![AccountId(1)], ..operator(1) };
        let is_owner = role == OperatorRole::Owner;
        assert_eq!([1, 2].map(|shop| one.works_for(AccountId(shop))), [true, is_owner]);
        for right in rights {
            let has = role.has(right);
            let shops = [None, Some(AccountId(1)), Some(AccountId(2))];
            assert_eq!(shops.map(|shop| one.is_allowed(right, shop)), [has, has, has && is_owner]);
        }
        one.disabled_at = Some(1);
        assert!(!one.is_allowed(Right::View, None) && !one.is_allowed(Right::View, Some(AccountId(1))));
    }
    assert_eq!(["", "Owner", "king"].map(OperatorRole::from_name), [None; 3]);
    assert_eq!(operator(0x1f).id.to_string(), "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f");
}

#[tokio::test]
async fn an_operator_is_added_with_a_link_for_a_day() {
    let register = Register::open();
    let (id, link) = register.add("  Ann Lee ", OperatorRole::Viewer, &[2, 1, 2]).await.expect("added");
    let ann = register.get(id).await;
    assert_eq!(
        (ann.name.as_deref(), ann.role, &ann.password),
        (Some("Ann Lee"), OperatorRole::Viewer, &None)
    );
    assert_eq!(ann.shops, [AccountId(1), AccountId(2)]);
    assert_eq!((ann.version, ann.made_at, ann.link_until), (1, 1000, Some(1000 + DAY)));
    assert_eq!((ann.disabled_at, ann.has_code()), (None, false));
    let found = register.write(|tx, keys| by_name(tx, keys, " ANN lee ")).await.expect("found");
    assert_eq!((found.id, found.shops), (id, ann.shops));
    assert_eq!(
        [register.counts(&link, 999 + DAY).await, register.counts(&link, 1000 + DAY).await],
        [true, false]
    );
    assert!(!register.counts("another", 1000).await);
    let taken = register.add("ann lee", OperatorRole::Owner, &[]).await;
    assert!(matches!(taken, Err(OperatorFault::NameTaken)));
    let of_no_shop = register.add("Bo", OperatorRole::PrivacyOfficer, &[]).await;
    assert!(matches!(of_no_shop, Err(OperatorFault::NoShop(OperatorRole::PrivacyOfficer))));
    for name in ["", " ", "a\u{202e}b"] {
        let none = register.add(name, OperatorRole::Owner, &[]).await;
        assert!(matches!(none, Err(OperatorFault::NameMalformed)), "{name:?}");
    }
    let (second, _) = register.add("B", OperatorRole::Owner, &[]).await.expect("one letter is a name");
    let all = register.write(list).await.expect("listed");
    let mut listed: Vec<_> = all.into_iter().map(|one| (one.id, one.name, one.shops)).collect();
    listed.sort_by(|one, other| one.1.cmp(&other.1));
    let ann = (id, Some("Ann Lee".to_owned()), vec![AccountId(1), AccountId(2)]);
    assert_eq!(listed, [ann, (second, Some("B".to_owned()), Vec::new())]);
}

#[tokio::test]
async fn a_change_leaves_everything_else_as_it_is() {
    let register = Register::open();
    let (id, link) = register.add("Ann", OperatorRole::Viewer, &[1]).await.expect("added");
    let shops = |shops: &[i64]| shops.iter().copied().map(AccountId).collect::<Vec<_>>();
    register.change("ann", disabled()).await.expect("changed");
    let ann = register.get(id).await;
    assert_eq!(
        (ann.role, ann.shops, ann.disabled_at, ann.version),
        (OperatorRole::Viewer, shops(&[1]), Some(2000), 2)
    );
    assert!(!register.counts(&link, 2000).await, "that of one who may do nothing");
    register.write(|tx, keys| change(tx, keys, "Ann", &disabled(), 3000)).await.expect("changed");
    assert_eq!(register.get(id).await.disabled_at, Some(2000), "since the first time");
    let more =
        OperatorUpdate { shops: Some(shops(&[3, 2])), is_enabled: Some(true), ..OperatorUpdate::default() };
    register.change("Ann", more).await.expect("changed");
    let role = OperatorUpdate { role: Some(OperatorRole::Merchandiser), ..OperatorUpdate::default() };
    register.change("Ann", role).await.expect("changed");
    let ann = register.get(id).await;
    assert_eq!((ann.role, ann.shops, ann.disabled_at), (OperatorRole::Merchandiser, shops(&[2, 3]), None));
    assert_eq!((ann.version, ann.made_at, ann.name.as_deref()), (5, 1000, Some("Ann")));
    assert!(register.counts(&link, 2000).await, "it stays");
    let none = OperatorUpdate { shops: Some(Vec::new()), ..OperatorUpdate::default() };
    let refused = register.change("Ann", none).await;
    assert!(matches!(refused, Err(OperatorFault::NoShop(OperatorRole::Merchandiser))));
    assert_eq!(register.get(id).await.shops, shops(&[2, 3]));
    assert!(matches!(register.change("Nobody", disabled()).await, Err(OperatorFault::Unknown)));
}

#[tokio::test]
async fn one_owner_stays_who_can_sign_in() {
    let register = Register::open();
    let (id, link) = register.add("Ann", OperatorRole::Owner, &[]).await.expect("added");
    register.add("Bo", OperatorRole::Owner, &[]).await.expect("added");
    // As long as nobody can sign in, nobody is the last who can.
    register.change("Ann", disabled()).await.expect("changed");
    let enabled = OperatorUpdate { is_enabled: Some(true), ..OperatorUpdate::default() };
    register.change("Ann", enabled).await.expect("changed");
    register.write(move |tx, keys| choose_password(tx, keys, &link, "hash", 1000)).await.expect("chosen");
    // A viewer lets nobody in, nor does an owner who is disabled or has no password.
    register.add_owner("Vi").await;
    register.change("Vi", viewer()).await.expect("changed");
    register.add_owner("Di").await;
    register.change("Di", disabled()).await.expect("changed");
    let version = register.get(id).await.version;
    for update in [disabled(), viewer()] {
        assert!(matches!(register.change("Ann", update).await, Err(OperatorFault::LastOwner)));
    }
    let removed = register.write(|tx, keys| remove(tx, keys, "Ann", 2000)).await;
    assert!(matches!(removed, Err(OperatorFault::LastOwner)));
    let ann = register.get(id).await;
    assert_eq!((ann.version, ann.disabled_at, ann.role), (version, None, OperatorRole::Owner));
    let shops = OperatorUpdate { shops: Some(vec![AccountId(1)]), ..OperatorUpdate::default() };
    register.change("Ann", shops).await.expect("she stays an owner");
    register.change("Bo", disabled()).await.expect("he could not sign in");
    register.add_owner("Cy").await;
    register.change("Ann", disabled()).await.expect("there is another");
}

#[tokio::test]
async fn a_link_is_used_up_by_the_password_and_another_takes_its_place() {
    let register = Register::open();
    let (id, link) = register.add("Ann", OperatorRole::Owner, &[]).await.expect("added");
    let chosen = link.clone();
    let choosing = register.write(move |tx, keys| choose_password(tx, keys, &chosen, "hash", 1000)).await;
    assert_eq!(choosing.expect("chosen"), id);
    let ann = register.get(id).await;
    assert_eq!((ann.password.as_deref(), ann.version), (Some("hash"), 2));
    assert!(!register.counts(&link, 1000).await, "it was used");
    assert!(register.switch_on(id, code_at(59), 59_000).await.is_some());
    let renewed = register.write(|tx, keys| renew(tx, keys, "ANN", 5000)).await.expect("renewed");
    let ann = register.get(id).await;
    assert_eq!((ann.has_code(), ann.code_step, ann.password), (false, None, None));
    assert_eq!((ann.version, ann.link_until), (4, Some(5000 + millis(limits::OPERATOR_LINK_DURATION))));
    assert!(register.counts(&renewed, 4999 + DAY).await && !register.counts(&renewed, 5000 + DAY).await);
    let unknown = register.write(|tx, keys| renew(tx, keys, "Nobody", 5000).map(drop)).await;
    assert!(matches!(unknown, Err(OperatorFault::Unknown)));
}

#[tokio::test]
async fn nothing_is_left_of_who_leaves_but_a_number() {
    let register = Register::open();
    register.add_owner("Owner").await;
    let (id, link) = register.add("Ann", OperatorRole::Viewer, &[1, 2]).await.expect("added");
    let chosen = link.clone();
    register.write(move |tx, keys| choose_password(tx, keys, &chosen, "hash", 1000)).await.expect("chosen");
    assert!(register.switch_on(id, code_at(59), 59_000).await.is_some());
    // A link beside the password, as no path leaves one.
    let mut ann = register.get(id).await;
    ann.link = Some(vec![1; 32]);
    register.write(move |tx, _| store(tx, &ann)).await.expect("stored");
    register.write(|tx, keys| remove(tx, keys, "Ann", 7000)).await.expect("removed");
    let left = register.get(id).await;
    assert_eq!((left.has_code(), left.code_step, left.disabled_at), (false, None, Some(7000)));
    assert_eq!((left.name, left.password, left.link, left.shops), (None, None, None, Vec::new()));
    let again = register.write(|tx, keys| remove(tx, keys, "Ann", 8000)).await;
    assert!(matches!(again, Err(OperatorFault::Unknown)));
    let all = register.write(list).await.expect("listed");
    assert_eq!(all.iter().filter(|one| one.id == id && one.name.is_none()).count(), 1);
    let (anew, _) = register.add("Ann", OperatorRole::Viewer, &[1]).await.expect("the name is free");
    assert_ne!(anew, id);
}

#[tokio::test]
async fn a_code_counts_once_and_none_before_it() {
    let register = Register::open();
    let id = register.add_owner("Ann").await;
    assert!(!register.spend(id, code_at(59), 59_000).await, "no codes are asked for");
    assert!(register.switch_on(id, code_at(600), 59_000).await.is_none(), "the code is wrong");
    assert!(!register.get(id).await.has_code());
    let on = register.switch_on(id, code_at(59), 59_000).await.expect("switched on");
    assert_eq!((on.has_code(), on.code_step, on.version), (true, Some(1), 3));
    assert!(register.switch_on(id, code_at(65), 65_000).await.is_none(), "they are on already");
    assert!(!register.spend(id, code_at(59), 61_000).await, "it was used to switch them on");
    assert!(!register.spend(id, code_at(600), 95_000).await);
    assert!(register.spend(id, code_at(95), 95_000).await);
    assert!(!register.spend(id, code_at(95), 95_000).await, "it was used");
    assert!(!register.spend(id, code_at(65), 95_000).await, "it is one before");
    let spent = register.get(id).await;
    assert_eq!((spent.code_step, spent.version), (Some(3), 3), "no session ends by it");
    let off = |code: String| {
        register
            .write(move |tx, keys| totp::switch_off(tx, keys, id, &code, 125_000).map(|off| off.is_some()))
    };
    assert!(!off(code_at(95)).await.expect("tried"), "it was used");
    assert!(register.get(id).await.has_code());
    assert!(off(code_at(125)).await.expect("tried"));
    let off = register.get(id).await;
    assert_eq!((off.has_code(), off.code_step, off.version), (false, None, 4));
    let nobody = OperatorId([9; 16]);
    assert!(register.switch_on(nobody, code_at(59), 59_000).await.is_none());
    assert!(!register.spend(nobody, code_at(59), 59_000).await);
}

#[tokio::test]
async fn after_a_restore_nobody_has_anything_to_sign_in_with() {
    let register = Register::open();
    let id = register.add_owner("Ann").await;
    assert!(register.switch_on(id, code_at(59), 59_000).await.is_some());
    let (_, link) = register.add("Bo", OperatorRole::Owner, &[]).await.expect("added");
    register.write(|tx, _| Ok(lock_out_all(tx)?)).await.expect("locked out");
    let ann = register.get(id).await;
    assert_eq!((ann.has_code(), ann.code_step, ann.version, ann.password), (false, None, 4, None));
    assert!(!register.counts(&link, 1000).await);
}

#[tokio::test]
async fn a_name_that_other_keys_sealed_is_a_fault_and_not_nobody() {
    let register = Register::open();
    let id = register.add_owner("Ann").await;
    register.add_owner("Bo").await;
    let sealed =
        Keys::open(&register.folder.path().join("other")).expect("keys").seal_operator_name(&[7; 16], b"x");
    let sealed = sealed.expect("sealed");
    let adding = register.write(move |tx, keys| {
        let link = keys.secret_hash("link");
        tx.exec(&sql::operator_insert, args![&[7_u8; 16], "owner", &link, DAY, 0_i64])?;
        let tag = keys.operator_tag("foreign");
        tx.exec(&sql::operator_name_insert, args![&tag, &[7_u8; 16], sealed.as_slice()])?;
        Ok(())
    });
    adding.await.expect("added");
    let foreign = OperatorId([7; 16]);
    let faults = [
        register.write(|tx, keys| list(tx, keys).map(drop)).await,
        register.write(move |tx, keys| get(tx, keys, foreign).map(drop)).await,
        register.write(|tx, keys| by_name(tx, keys, "Foreign").map(drop)).await,
        register.write(|tx, keys| by_link(tx, keys, "link", 1).map(drop)).await,
        register.add("Cy", OperatorRole::Owner, &[]).await.map(drop),
        register.change("Ann", viewer()).await,
        register.write(|tx, keys| remove(tx, keys, "Ann", 1)).await,
        register
            .write(move |tx, keys| totp::switch_on(tx, keys, foreign, (SECRET, "287082"), 59_000).map(drop))
            .await,
        register.write(move |tx, keys| totp::spend(tx, keys, foreign, "287082", 59_000).map(drop)).await,
    ];
    for (number, fault) in faults.iter().enumerate() {
        assert!(matches!(fault, Err(OperatorFault::Keys(_))), "{number}: {fault:?}");
    }
    assert_eq!(register.get(id).await.role, OperatorRole::Owner);
    // Nor is a secret of codes that other keys sealed none.
    let mut ann = register.get(id).await;
    ann.code_secret = Some(vec![1; 64]);
    register.write(move |tx, _| store(tx, &ann)).await.expect("stored");
    let spent = register.write(move |tx, keys| totp::spend(tx, keys, id, "287082", 59_000).map(drop)).await;
    assert!(matches!(spent, Err(OperatorFault::Keys(_))), "{spent:?}");
}

#[tokio::test]
async fn acts_are_listed_newest_first_from_the_line_after_one() {
    let register = Register::open();
    let line = |number: u8, at: Millis| audit_log::OperatorAct {
        id: [number; 16],
        about: (number == 2).then(|| "a feed".to_owned()),
        account: (number == 2).then_some(AccountId(5)),
        ..audit_log::OperatorAct::new(OperatorId([number; 16]), "looked", at)
    };
    let noting = register.write(move |tx, _| {
        for (number, at) in [(1, 10), (2, 20), (3, 20), (4, 30)] {
            audit_log::record(tx, &line(number, at))?;
        }
        Ok(())
    });
    noting.await.expect("noted");
    let list = async |before: (Millis, [u8; 16]), most: i64| {
        register.write(move |tx, _| Ok(audit_log::list(tx, before, most)?)).await.expect("listed")
    };
    let ids = |acts: &[audit_log::OperatorAct]| acts.iter().map(|act| act.id[0]).collect::<Vec<_>>();
    let first = list((Millis::MAX, [0; 16]), 2).await;
    assert_eq!(ids(&first), [4, 2]);
    assert_eq!(ids(&list((20, [2; 16]), 9).await), [3, 1]);
    let act = &first[1];
    assert_eq!((act.at, act.operator, act.act.as_str()), (20, OperatorId([2; 16]), "looked"));
    assert_eq!((act.account, act.about.as_deref()), (Some(AccountId(5)), Some("a feed")));
    assert_eq!((first[0].account, first[0].about.as_deref()), (None, None));
}
