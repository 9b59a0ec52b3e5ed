//! A key folder, and what was sealed and hashed with it, made by another program (Python's `cryptography`): a build
//! that reads them differently could not go on with the keys of an earlier one, nor recognise the people it forgot.

use std::io::Read;

use lethe_verify::hex;
use zeroize::Zeroizing;

use super::*;
use crate::ids::AccountId;
use crate::ids::identifier::Identifier;

const SHOP: AccountId = AccountId(7);
const OTHER: AccountId = AccountId(8);
const OPERATOR: [u8; 16] = [3; 16];
const STATICS: &[u8] = include_bytes!("fixtures/static.key");

/// Opens a copy of the folder.
fn open_keys() -> (tempfile::TempDir, Keys) {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("static.key", STATICS),
        ("epoch.key", include_bytes!("fixtures/epoch.key").as_slice()),
        ("slots.key", include_bytes!("fixtures/slots.key").as_slice()),
    ] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let keys = Keys::open(folder.path()).ok().unwrap();
    (folder, keys)
}

fn bytes(sealed: &str) -> Vec<u8> {
    hex::decode(sealed).unwrap()
}

#[test]
fn the_hashes_of_an_earlier_build_recognise_the_same() {
    let (_folder, keys) = open_keys();
    let email = Identifier::email("Anna@Example.com").ok().unwrap();
    let user = Identifier::user_id("7").ok().unwrap();
    let tags = [
        keys.lookup_tag(SHOP, &email),
        keys.lookup_tag(SHOP, &user),
        keys.suppression_tag(SHOP, &email),
        keys.order_tag(SHOP, "O-1"),
        keys.url_tag(SHOP, "https://shop.test/feed.json"),
        keys.upload_tag(SHOP, "feed.json"),
        keys.content_tag(SHOP, "delta", b"{}"),
        keys.visitor_tag(SHOP, "b1946ac92492d234"),
        keys.operator_tag("ann"),
    ];
    let tags = tags.map(|tag| hex::encode(&tag));
    assert_eq!(
        tags,
        [
            "7a3561e4df1e7a42bbf5da068aa3399c",
            "8fd948ba416dc9dbdab5af2a3b2cf9cb",
            "392234b0d75945ef770db444aaa41d39",
            "95fdc899190924ea798e7bc972ec352f",
            "a4d58f899a63d3cfb588428c1e94322d",
            "ed52b07418effe75e8997e8fd5326c18",
            "39beab94419bfa4c0ed44dd4088f84ee",
            "38766ed85c6bada3701c2571b35bb792",
            "d0345c0baf4a694032dbac13030b06c5",
        ]
    );
    assert_eq!(keys.account_tag(SHOP, "company-7"), "a8d3cf7d0eef12d4b5cd8b7889b8e2aa");
    assert_eq!(hex::encode(&keys.secret_hash("ls_x")), SECRET_HASH);
    assert_eq!(hex::encode(&keys.ledger_public_key().unwrap()), LEDGER_KEY);
    let recognition = LookupKeys::parse(Zeroizing::new(STATICS.to_vec())).ok().unwrap();
    assert_eq!(hex::encode(&recognition.mac("backup", b"text")), BACKUP_MAC);
}

#[test]
fn the_key_of_a_slot_of_an_earlier_build_opens_what_it_sealed() {
    let (_folder, keys) = open_keys();
    assert_eq!((keys.epoch().number, keys.epoch().made_at), (2, 86_400_000));
    let sealer = keys.sealer(SlotNumber::from_row(1).unwrap()).ok().unwrap();
    assert_eq!(&**sealer.open(b"row", &bytes(RECORD)).ok().unwrap(), b"anna");
    assert!(sealer.open(b"other row", &bytes(RECORD)).is_err());
    let read = |place: &[u8]| {
        let stored = bytes(STREAM);
        let mut plain = Vec::new();
        let mut reader = SealedReader::new(&sealer, place, stored.as_slice()).unwrap();
        reader.read_to_end(&mut plain).map(|_| plain)
    };
    assert_eq!(read(b"spool/1").unwrap(), b"anna");
    assert!(read(b"spool/2").is_err());
}

#[test]
fn what_an_earlier_build_sealed_with_the_key_of_secrets_opens_in_its_place_alone() {
    let (_folder, keys) = open_keys();
    let token_key = |account, number| keys.open_token_key(account, number, &bytes(TOKEN_KEY)).ok();
    assert_eq!(token_key(SHOP, 2).unwrap().bytes(), b"key");
    assert!(token_key(OTHER, 2).is_none() && token_key(SHOP, 3).is_none());
    let webhook = |account, what| keys.open_webhook(account, what, &bytes(WEBHOOK)).ok();
    assert_eq!(&**webhook(SHOP, "address").unwrap(), b"https://shop.test/hook");
    assert!(webhook(OTHER, "address").is_none() && webhook(SHOP, "secret").is_none());
    let name = |operator| keys.open_operator_name(operator, &bytes(NAME)).ok();
    assert_eq!(&**name(&OPERATOR).unwrap(), b"ann");
    assert!(name(&[4; 16]).is_none() && keys.open_operator_code(&OPERATOR, &bytes(NAME)).is_err());
    let code = |operator| keys.open_operator_code(operator, &bytes(CODE)).ok();
    assert_eq!(&**code(&OPERATOR).unwrap(), b"code");
    assert!(code(&[4; 16]).is_none() && keys.open_operator_name(&OPERATOR, &bytes(CODE)).is_err());
}

const SECRET_HASH: &str = "6a21a11043b29f3d6f37fa347fa6afad9fd20aa5bd5fc0c2b983d3c2959e3d20";
const LEDGER_KEY: &str = "af06a3e3291714e4f356c19c9b15cd1951ec6e6662aa77be07547f289383341d";
const BACKUP_MAC: &str = "14bf61b6110692dde98bd9cc65de8eed067814129dfbc50aa9e051ca291719fd";
const RECORD: &str = "01000102030405060708090a0b093e93adbd3fe836f0f8c1d9a3b2a5fb8225b66ddb7eb70bddd896d67ff933c9236c27\
    faa72e2e13615ba10f69fabbf9f836ebc017a71358238375b133cdec39845d887ea26536a5f1ef5c8d303b387a";
const STREAM: &str = "01000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f7f53f70936e8e0a677eb8b7aff4235\
    a57b5208af";
const TOKEN_KEY: &str = "01000102030405060708090a0bbc2f0d73b40568d391d1f5854f684f56ac72bb88ad63e344644bb1e7cefdb55480b4bc\
    3981ce78d7298b3bafa7f2e42bd05ba5ad171c1415f4858a670c1b9bdf9a19b88b9bc8e96838eefa4f2a92a615";
const WEBHOOK: &str = "01000102030405060708090a0b9ef9a66263a4d8d0e9346ae6d35cd41e6f9ea58375dd5d4cc126a8cc84a808889911e8\
    b2af49e6a1325802f342a7a70d45d2b924e17ca4be2dfdbcdcc9eed23fd9694f086b70876874b311810493b51b";
const NAME: &str = "01000102030405060708090a0bbaf6c637ce873e8cca79c8390b70d14af71d56d81f403c8ad1c0300a7ae79f2080bc92\
    26d7069084d5a41675b871ec7230e8e4a8b31dcde753bf380e1908f33ffa46f7bb253970d76943dcc8a43e104b";
const CODE: &str = "01000102030405060708090a0bbdf6c637cc8634e9ca79c8390b70d14af71d56d81f403c8ad1c0300a7ae79f2080bc92\
    26d7069084d5a41675b871ec7230e8e4a8b31dcde753bf380e1908f33f63bbc63f80c50242e1de7e09e1e3b7a2";
