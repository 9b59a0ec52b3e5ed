//! Limits of shoppers' events, and of recommendations.

use std::time::Duration;

/// Largest body of a request with events, in bytes.
pub const EVENTS_BODY_BYTES: usize = 256_000;
/// Longest key by which a shop knows a request with events when it sends it again.
pub const EVENTS_KEY_BYTES: usize = 200;
/// Events of a request: they are stored in one transaction, for which others wait.
pub const EVENTS_OF_REQUEST: usize = 200;
/// Events that are stored at once: the writer takes no longer for them than a moment.
pub const EVENTS_AT_ONCE: usize = 4 * EVENTS_OF_REQUEST;
/// Sub-limit for one account: the largest request.
pub const EVENTS_OF_ACCOUNT: usize = EVENTS_OF_REQUEST;
/// Sub-limit for events sent by pages, which have no secret …
pub const PAGE_EVENTS_AT_ONCE: usize = EVENTS_AT_ONCE / 2;
/// … and those of one account: the shop itself has the rest.
pub const PAGE_EVENTS_OF_ACCOUNT: usize = EVENTS_OF_ACCOUNT / 2;
/// Wait of a request with events for its turn.
pub const EVENTS_WAIT_DURATION: Duration = Duration::from_secs(5);
/// Browsers in which one user is logged in at the same time; beyond it the log-in of one is forgotten.
pub const LOGGED_IN_BROWSERS: i64 = 100;
/// New visitors of an account per second: each takes a key slot for as long as their data is kept.
pub const NEW_VISITORS_PER_SECOND: i64 = 20;
/// New visitors that may come at once: three of the largest requests.
pub const NEW_VISITORS_AT_A_STROKE: i64 = 3 * EVENTS_OF_REQUEST as i64;
/// New visitors of one client address that shows no secret.
pub const NEW_VISITORS_OF_CLIENT_PER_MINUTE: i64 = 10;
/// Accounts, and client addresses, whose number of new visitors is remembered.
pub const NEW_VISITORS_BUCKETS: usize = 1 << 16;
/// Time that events of a known person are kept.
pub const EVENTS_KEPT_DURATION: Duration = Duration::from_secs(395 * 24 * 60 * 60);
/// Time that events of a visitor are kept without any other data of theirs.
pub const VISITS_KEPT_DURATION: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// A log-in without a log-out lasts so long: a later shopper in that browser is another person.
pub const LOG_IN_DURATION: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// A session ends when nothing is done for so long, …
pub const SESSION_PAUSE_DURATION: Duration = Duration::from_secs(30 * 60);
/// … this long after it began, …
pub const SESSION_DURATION: Duration = Duration::from_secs(12 * 60 * 60);
/// … and after so many events.
pub const SESSION_EVENTS: u32 = 1000;
/// Whole days that recommendations are made of.
pub const MODEL_DURATION: Duration = Duration::from_secs(60 * 24 * 60 * 60);
/// Events that a model takes in one go.
pub const MODEL_PAGE_EVENTS: i64 = 1000;
/// Most events in a model; beyond it the oldest days are dropped. Events that count for their person alone have a limit
/// of their own, half as many.
pub const MODEL_EVENTS: usize = 10_000_000;
/// Longest wait of a request for a model that is not there; the model is made all the same.
pub const MODEL_WAIT_DURATION: Duration = Duration::from_millis(500);
/// Memory of the models of a node. The least recently used are dropped, and rebuilt when they are asked for.
pub const MODELS_BYTES: usize = 1 << 30;
/// Recommendations of a request.
pub const RECOMMENDED_ITEMS: usize = 100;
/// Ids that a recommendation is asked with, or without.
pub const RECOMMEND_IDS: usize = 1000;
/// Largest body of a call of a plugin about a shopper, in bytes: a basket of 10,000 lines is read, and cut.
pub const SERVERSIDE_BODY_BYTES: usize = 2 << 20;
/// Events of such a call; plugins send up to five.
pub const SERVERSIDE_EVENTS: usize = 50;
/// Events of a call of a page, which has no secret.
pub const SERVERSIDE_EVENTS_OF_PAGE: usize = 5;
/// Step at the end of which a page gets its answer, so that the time says little about suppression …
pub const PAGE_ANSWER_STEP_DURATION: Duration = Duration::from_millis(10);
/// … and then after a random while of up to so long: the machine's remaining work for a stored event takes some
/// hundredths of a millisecond.
pub const PAGE_ANSWER_SPREAD_DURATION: Duration = Duration::from_millis(5);
/// Zones that it asks for; a page shows up to eight.
pub const SERVERSIDE_ZONES: usize = 50;
/// Reasons for left-out parts in one answer.
pub const SERVERSIDE_REASONS: usize = 20;
/// Lines of a basket, or of an order that comes as an event.
pub const BASKET_LINES: usize = 500;
/// Products in one line.
pub const LINE_CHILDREN: usize = 100;
/// Most pieces of a product in such a line: more is a mistake.
pub const LINE_QUANTITY_MAX: u32 = 1_000_000;
/// Highest price of one piece there, in any currency: more is a mistake.
pub const LINE_PRICE_MAX: u32 = 1_000_000_000;
/// A search that is longer is not counted, in bytes.
pub const QUERY_COUNTED_BYTES: usize = 200;
/// The text that says where something was found, in bytes: two texts of a campaign, each byte in three, and a few more.
pub const REF_ID_BYTES: usize = 7 * CAMPAIGN_TEXT_BYTES;
/// A search that goes on with more letters within this time was still being typed.
pub const TYPING_DURATION: Duration = Duration::from_secs(10);
/// An order counts for the click that its product had last, if that was so long ago at most.
pub const ATTRIBUTED_DURATION: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Fewest people in a row of a report, and in a shown search that others made.
pub const REPORT_ROW_PEOPLE: usize = 5;
/// Rows of a report.
pub const REPORT_ROWS: usize = 10_000;
/// Days of a report.
pub const REPORT_DAYS: i64 = 400;
/// Records that a report takes in one go.
pub const REPORT_PAGE_RECORDS: i64 = 1000;
/// Interval at which impressions of zones are stored.
pub const ZONES_SEEN_DURATION: Duration = Duration::from_secs(1);
/// Memory for an account's events that the server itself saw: remembered for a minute, and waiting to be stored.
pub const OBSERVED_BYTES: usize = 8 << 20;
/// Days in which the people of a row are put into groups of five, counted from 1970: the days that a report has by
/// default. Groups start again in each such period, so that a report reads two periods and not everything stored.
pub const REPORT_PERIOD_DAYS: i64 = 28;
/// Things done in a place on a day, in such a period, that a report counts one by one: others are in the rest. Each
/// takes about 150 bytes, and half as much again while it is grouped. Views of products and variants have as much room
/// of their own. As many texts of searches are kept for a period.
pub const REPORT_CELLS_COUNTED: usize = 50_000;
/// Longest time to make a report.
pub const REPORT_DURATION: Duration = Duration::from_secs(120);
/// Texts of an item for a template, in bytes: longer ones are cut.
pub const TEMPLATE_ITEM_BYTES: usize = 4000;
/// Members of an item for a template, and elements of the lists in it.
pub const TEMPLATE_MEMBERS: usize = 200;
/// Products that a search in such a call finds, where their ids and article numbers are all that is asked for.
pub const SERVERSIDE_IDS: usize = 2000;
/// Campaigns of a shop's zones.
pub const CAMPAIGNS: usize = 500;
/// Their JSON, in bytes.
pub const CAMPAIGNS_BYTES: usize = 1 << 20;
/// Body of a request that sets or tries campaigns, in bytes: each sign may be escaped in two.
pub const CAMPAIGNS_BODY_BYTES: usize = 2 * CAMPAIGNS_BYTES + (16 << 10);
/// A text in one, but for its HTML, in bytes.
pub const CAMPAIGN_TEXT_BYTES: usize = 1000;
/// Campaigns of a zone that are tried; each may look through many products.
pub const ZONE_CAMPAIGNS_TRIED: usize = 5;
/// Longest wait of a page for its zones; then it is answered without them.
pub const ZONES_WAIT_DURATION: Duration = Duration::from_secs(1);
/// Smaller answers to pages are not compressed: the head would weigh more than the saving.
pub const PACKED_ANSWER_MIN_BYTES: usize = 1_024;
/// A template of a shop for its zones, in bytes.
pub const TEMPLATE_BYTES: usize = 16 << 10;
/// Steps of drawing a zone with it.
pub const TEMPLATE_STEPS: u64 = 50_000;
/// Bytes that it writes.
pub const TEMPLATE_HTML_BYTES: usize = 256 << 10;
/// Products, categories or brands of a zone.
pub const ZONE_ITEMS: usize = 50;
/// Rows of the catalogue that are read for the zones of one call: of categories, brands, and products with swatches.
pub const ZONE_ROWS: usize = 200;
/// Bytes taken from these rows: the rest is left out.
pub const ZONE_ROWS_BYTES: usize = 1 << 20;
/// Categories below one that are named with it.
pub const ZONE_CHILD_IDS: usize = 1000;
/// Products that a page says its shopper looked at.
pub const ZONE_VIEWED: usize = 100;
