//! The tables of limits in the reference, compared with the limits.

use std::collections::BTreeMap;

use super::*;

/// A number with commas between its thousands.
fn number(number: impl TryInto<u64>) -> String {
    let number = number.try_into().ok().expect("a number that is not negative");
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", self::number(number / 1000), number % 1000),
    }
}

fn bytes(bytes: impl TryInto<u64>) -> String {
    let bytes = bytes.try_into().ok().expect("a number that is not negative");
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB")];
    let whole = units.into_iter().find(|(unit, _)| bytes.is_multiple_of(*unit));
    whole
        .map_or_else(|| format!("{} bytes", number(bytes)), |(unit, name)| format!("{} {name}", bytes / unit))
}

fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        0 => format!("{} ms", duration.as_millis()),
        seconds if seconds > 86_400 => format!("{} days", seconds / 86_400),
        seconds if seconds >= 3600 => format!("{} h", seconds / 3600),
        seconds => format!("{seconds} s"),
    }
}

macro_rules! told {
    ($all:ident: $($form:ident of $($name:ident)+;)+) => {
        $($($all.insert(stringify!($name), $form($name));)+)+
    };
}

/// Every limit as the reference tells it. A new one gets its name here, and a row there.
fn all() -> BTreeMap<&'static str, String> {
    let mut all = BTreeMap::new();
    told! { all:
        bytes of
            TEMPLATE_BYTES TEMPLATE_HTML_BYTES QUERY_COUNTED_BYTES REF_ID_BYTES ACCESS_KEY_BYTES BALLAST_BYTES CAMPAIGNS_BYTES CAMPAIGNS_BODY_BYTES CAMPAIGN_TEXT_BYTES EVENTS_BODY_BYTES EVENTS_KEY_BYTES SERVERSIDE_BODY_BYTES MODELS_BYTES BODY_RATE_MIN_BYTES_PER_SECOND CONTACT_BYTES
            CREDENTIALS_WITHIN_BYTES DELTA_BODY_BYTES DISPLAY_NAME_BYTES FEED_DECODED_BYTES
            FEED_RATIO_FREE_BYTES FEED_ROW_BYTES FEED_URL_BYTES FEED_WINDOW_SPARE_BYTES FEED_WIRE_BYTES
            FETCH_RATE_MIN_BYTES_PER_SECOND FETCH_VALIDATOR_BYTES FOLLOWED_PAGE_BYTES HEAD_BYTES
            IDENTIFIER_BYTES ISSUE_FIELD_BYTES ITEM_ID_BYTES LINGER_BYTES LISTED_BYTES RAW_ROW_KEPT_BYTES
            REQUEST_BODY_BYTES REQUEST_MEMORY_BYTES REQUEST_MEMORY_FREE_BYTES
            REQUEST_MEMORY_OF_ACCOUNT_BYTES REQUEST_MEMORY_OF_CLIENTS_BYTES
            REQUEST_MEMORY_OF_CLIENT_BYTES QUALITY_TEXT_BYTES RULES_BODY_BYTES SEARCH_ATTRIBUTE_BYTES SEARCH_NAMED_BYTES SEARCH_QUERY_BYTES SEARCH_RULES_BYTES SEARCH_RULE_TEXT_BYTES SEARCH_SYNONYMS_BYTES USER_TOKEN_BYTES SNAPSHOT_FRAME_BYTES SNAPSHOT_ID_BYTES SNAPSHOT_ROW_BYTES
            SPOOL_BYTES SPOOL_OF_ACCOUNT_BYTES UNIT_PROFILES_BYTES UPLOAD_NAME_BYTES UPLOAD_PIECE_BYTES UPLOAD_PIECE_QUOTA_BYTES;
        duration of
            ATTRIBUTED_DURATION TYPING_DURATION ZONES_SEEN_DURATION BODY_RATE_DURATION BODY_TOTAL_DURATION DERIVED_WAIT_DURATION DRAIN_DURATION
            ERASURE_TURN_DURATION ERASURE_WAIT_DURATION EVENTS_KEPT_DURATION EVENTS_WAIT_DURATION EVENT_STREAM_DURATION FEED_WINDOW_DURATION MODEL_DURATION MODEL_WAIT_DURATION PAGE_ANSWER_STEP_DURATION ZONES_WAIT_DURATION
            FETCH_CONNECT_DURATION FETCH_HEAD_DURATION FETCH_IDLE_DURATION FETCH_RATE_DURATION
            FETCH_TOTAL_DURATION HEAD_DURATION HOLDING_REMEMBERED_DURATION KEYS_REMEMBERED_DURATION KEY_EPOCH_DURATION
            KEY_POOL_WAIT_DURATION KEY_REFILL_PAUSE_DURATION LINGER_DURATION LOOK_WAIT_DURATION
            ORDER_AGE_DURATION ORDER_AHEAD_DURATION READING_WAIT_DURATION READY_DURATION
            REQUEST_MEMORY_ACCOUNT_WAIT_DURATION REQUEST_MEMORY_WAIT_DURATION SEARCH_RULES_DURATION SEARCH_WAIT_DURATION USER_TOKEN_DURATION CLOCKS_APART_DURATION SPOOL_WAIT_DURATION STATUS_KEPT_DURATION SWEEP_PATIENCE_DURATION UNIT_DURATION UPLOAD_IDLE_DURATION SESSION_DURATION SESSION_PAUSE_DURATION VISITS_KEPT_DURATION
            ERASURE_DUE_SOON_DURATION WEBHOOK_KEPT_DURATION WEBHOOK_REST_DURATION WEBHOOK_TRY_DURATION
            UPLOAD_IDLE_ERASURE_DURATION UPLOAD_PIECE_DURATION WRITE_DURATION;
        number of
            TEMPLATE_STEPS REPORT_DAYS REPORT_PAGE_RECORDS REPORT_ROWS REPORT_ROW_PEOPLE ZONES_SEEN_VISITORS CATCH_UP_TRIES CATEGORIES_NOTICED CHILD_KEYS CONNECTIONS CONNECTIONS_OF_CLIENT DELTAS_READ
            DELTA_ISSUES_KEPT DIFFERENCE_EXAMPLES ERASURES_AT_ONCE ERASURES_SHOWN EVENT_STREAMS EVENT_STREAMS_OF_ACCOUNT
            FAILED_CREDENTIALS_PER_MINUTE FEEDS_AT_ONCE FEED_COMPRESSIONS FEED_CUT_DEPTH_LEVELS
            FEED_FOLLOWERS FEED_GOOD_ROWS_PERCENT FEED_RATIO_MAX FEED_ROW_DEPTH_LEVELS FEED_ROW_FIELDS
            FEED_ZSTD_WINDOW_LOG2 FETCHES_AT_ONCE FETCHES_OF_ACCOUNT FETCH_PIECES_WAITING FETCH_REDIRECTS
            FIELD_NAMED_CHARACTERS FORGET_LEFT_TOLD FORGET_OPENED HEAD_FIELDS HELD_FEEDS JOB_CLAIMS
            JOB_TRIES KEYS_REMEMBERED KEY_FILE_GROWTH_SLOTS KEY_FILE_SLOTS KEY_POOL_SLOTS
            LEDGER_PAGE_ENTRIES LIVE_SECRETS LOGGED_IN_BROWSERS LOOKS LOOKS_OF_ACCOUNT MEMBERSHIPS EVENTS_AT_ONCE EVENTS_OF_ACCOUNT EVENTS_OF_REQUEST PAGE_EVENTS_AT_ONCE PAGE_EVENTS_OF_ACCOUNT NEW_VISITORS_AT_A_STROKE NEW_VISITORS_BUCKETS NEW_VISITORS_OF_CLIENT_PER_MINUTE NEW_VISITORS_PER_SECOND MODEL_EVENTS MODEL_PAGE_EVENTS RECOMMENDED_ITEMS RECOMMEND_IDS SERVERSIDE_EVENTS SERVERSIDE_EVENTS_OF_PAGE SERVERSIDE_REASONS SERVERSIDE_IDS SERVERSIDE_ZONES CAMPAIGNS ZONE_CAMPAIGNS_TRIED ZONE_ITEMS ZONE_VIEWED BASKET_LINES LINE_CHILDREN LINE_PRICE_MAX LINE_QUANTITY_MAX SESSION_EVENTS ORDER_LINES PAGE_ITEMS QUALITY_ATTRIBUTES QUALITY_QUERIES QUALITY_ROWS QUOTA_PART
            REMOVAL_GUARD_ITEMS REMOVAL_GUARD_PERCENT REQUEST_FIELDS ROW_ISSUES_KEPT SEARCHES_AT_A_STROKE
            SEARCHES_AT_ONCE SEARCHES_OF_ACCOUNT SEARCHES_PER_SECOND SEARCH_ATTRIBUTES SEARCH_CHANGED_PART SEARCH_CHANGED_ROWS SEARCH_COUNTED_CATEGORIES SEARCH_EXPLAINED_HITS SEARCH_FACETS SEARCH_FACET_VALUES SEARCH_FIELDS
            SEARCH_FILTERS SEARCH_FILTER_VALUES SEARCH_HITS
            SEARCH_INDICES SEARCH_ORIGINS SEARCH_PAGE_HITS SEARCH_SYNONYMS_OF_LINE SEARCH_SYNONYMS_OF_WORD SEARCH_SYNONYM_LINES
            SEARCH_NAMED_PRODUCTS_MIN SEARCH_RULES SEARCH_RULE_BANNERS SEARCH_RULE_LOOKS SEARCH_RULE_PINS SEARCH_RULE_VERSIONS SEARCH_RULE_WORDS SEARCH_STEP_PART SEARCH_SYNONYM_WORDS SEARCH_WORDS SEARCH_WRITERS SECRET_OVERLAP_HOURS
            SECRET_OVERLAP_MAX_HOURS SNAPSHOTS_KEPT SNAPSHOT_RUN_ENTRIES STATUS_TOKENS SUBMISSIONS_SHOWN
            ERASURES_DUE_TOLD QUOTA_NEAR_PERCENT WEBHOOKS_AT_ONCE WEBHOOK_MESSAGES WEBHOOK_REASON_CHARACTERS WEBHOOK_TURN_MESSAGES
            UNIT_PROFILES UNIT_ROWS UPLOADS_OPEN UPLOAD_PIECES;
    }
    all.insert("FEED_PORTS", FEED_PORTS.map(|port| port.to_string()).join(", "));
    all
}

#[test]
fn the_tables_of_limits_tell_all_of_them_as_they_are() {
    let reference = include_str!("../../docs/reference.md");
    let rows = reference.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let is_name = |name: &str| {
        name.len() > 4
            && name.bytes().all(|sign| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == b'_')
    };
    let rows: Vec<_> = rows
        .filter(|(name, _)| is_name(name))
        .map(|(name, rest)| (name, rest.split(" |").next().unwrap_or_default()))
        .collect();
    let all = all();
    let told = rows.iter().copied().collect::<BTreeMap<_, _>>();
    assert_eq!(rows.len(), told.len(), "a limit stands there twice");
    for (name, value) in &told {
        assert_eq!(all.get(name).map(String::as_str), Some(*value), "{name}");
    }
    let constants = [include_str!("../limits.rs"), include_str!("events.rs"), include_str!("webhooks.rs")];
    let constants = constants
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.strip_prefix("pub const ")?.split_once(':'));
    let constants: Vec<_> = constants.map(|(name, _)| name).collect();
    assert!(constants.len() > 100, "{constants:?}");
    for name in &constants {
        assert!(told.contains_key(name), "{name} is not in docs/reference.md");
    }
    assert_eq!(told.len(), constants.len());
}
