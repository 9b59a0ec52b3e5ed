//! The limits of the console.

use std::time::Duration;

/// Operators that there may be.
pub const OPERATORS: usize = 500;
/// Characters of an operator's name.
pub const OPERATOR_NAME_CHARS: usize = 64;
/// Characters that a password has at least.
pub const PASSWORD_CHARS: usize = 12;
/// The longest password.
pub const PASSWORD_BYTES: usize = 1024;
/// Lifetime of the link with which an operator chooses a password.
pub const OPERATOR_LINK_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
/// Passwords that are checked at once, of all clients together: each takes 19 MiB and some hundredths of a second of a
/// processor …
pub const SIGN_INS_AT_ONCE: usize = 2;
/// … and of one client.
pub const SIGN_INS_OF_CLIENT: usize = 1;
/// Longest wait of a sign-in for its turn to be checked.
pub const SIGN_IN_WAIT_DURATION: Duration = Duration::from_secs(10);
/// Passwords that a client tries in a minute; more are not checked.
pub const SIGN_INS_OF_MINUTE: u32 = 10;
/// Time to enter the code after the password, for operators who sign in with both …
pub const CODE_WAIT_DURATION: Duration = Duration::from_secs(5 * 60);
/// … and codes that are checked after one password; then the password has to be given again.
pub const CODE_TRIES: u32 = 5;
/// Codes of one operator, and passwords typed to switch codes on, that are checked, wherever they come from; one more
/// in each [`CODE_OF_OPERATOR_DURATION`]. Only a client with the operator's password, or a session of theirs, gets so
/// far: so no stranger keeps them out.
pub const CODES_OF_OPERATOR: u32 = 10;
/// See [`CODES_OF_OPERATOR`].
pub const CODE_OF_OPERATOR_DURATION: Duration = Duration::from_secs(90);
/// A session ends when it was not used for so long …
pub const CONSOLE_IDLE_DURATION: Duration = Duration::from_secs(60 * 60);
/// … and at last after so long.
pub const CONSOLE_SESSION_DURATION: Duration = Duration::from_secs(12 * 60 * 60);
/// Time, from the start of a session, for which a form that was filled in while it ended is given back: a day.
pub const CONSOLE_SESSION_KEPT_DURATION: Duration = Duration::from_secs(24 * 60 * 60);
/// Sessions of an operator; the oldest goes.
pub const CONSOLE_SESSIONS: usize = 10;
/// Lifetime of the address of a person's page, and of the address of a form's answer.
pub const HANDLE_DURATION: Duration = Duration::from_secs(60 * 60);
/// Such addresses of an operator, of people and of answers each; the oldest goes.
pub const HANDLES: usize = 100;
/// Memory for them: two lists that are tried; the oldest goes.
pub const HANDLES_BYTES: usize = 2 * LIST_FORM_BYTES;
/// The same for all operators together; the oldest goes, of the operator with most.
pub const HANDLES_OF_ALL_BYTES: usize = 8 * HANDLES_BYTES;
/// The largest form of a client that is not signed in.
pub const SIGN_IN_BYTES: usize = 4 << 10;
/// The largest form.
pub const FORM_BYTES: usize = 256 << 10;
/// Longest time for a form to arrive.
pub const FORM_DURATION: Duration = Duration::from_secs(30);
/// Time that the figures of a shop's start page are remembered.
pub const FIGURES_REMEMBERED_DURATION: Duration = Duration::from_secs(5 * 60);
/// Time that a part of a page follows events before the sign-in is checked again.
pub const FOLLOWED_PART_DURATION: Duration = Duration::from_secs(5 * 60);
/// The largest form with a list of rules or campaigns, as a browser writes it: letters that are no letters of words
/// take three bytes each.
pub const LIST_FORM_BYTES: usize = 4 << 20;
/// Feeds that operators send as files at the same moment: each holds a connection and a thread …
pub const FEED_FILES_AT_ONCE: usize = 8;
/// … and those of one shop: a slow client keeps a turn for as long as a feed may take.
pub const FEED_FILES_OF_ACCOUNT: usize = 2;
/// Bytes of such a form before its file.
pub const FEED_FORM_BYTES: usize = 1 << 20;
/// Bytes of a refused file that are read and thrown away: browsers show the reason only after all is sent.
pub const FEED_FILE_DISCARDED_BYTES: usize = 32 << 20;
/// Synonyms that the console shows as rows of a form; longer lists are a text.
pub const SYNONYM_ROWS: usize = 100;
/// The same in bytes: a page stays below 150 kB.
pub const SYNONYM_ROWS_BYTES: usize = 12 << 10;
/// Rows of a list of shops or operators, or of a report, on one page. A page stays below 150 kB.
pub const PAGE_ROWS: usize = 200;
/// Rules or campaigns on one page …
pub const LIST_PAGE_ROWS: usize = 50;
/// … and their bytes as JSON, but for a single one.
pub const LIST_PAGE_BYTES: usize = 12 << 10;
/// A list of rules or campaigns that a page has as a text to edit, in bytes as HTML writes them; longer ones are files.
pub const LIST_TEXT_BYTES: usize = 12 << 10;
/// Days of a report that a page shows as rows, and with their numbers under the mouse.
pub const PAGE_DAYS: usize = 100;
/// Entries of an item's history on its page.
pub const TIMELINE_SHOWN: usize = 100;
/// Names of a section among which a form lets choose; others are typed.
pub const CHOICES_BYTES: usize = 8 << 10;
/// Records and rows on the page of an item.
pub const ROW_TEXTS_BYTES: usize = 48 << 10;
/// Hits on each side of two searches that are compared, with their reasons.
pub const HITS_COMPARED: i64 = 25;
/// Recommendations on a page, with their reasons.
pub const RECOMMENDATIONS_SHOWN: i64 = 50;
/// Shops that a form shows as boxes to tick; more are typed.
pub const SHOP_BOXES: usize = 100;
/// Products that are typed into the preview of recommendations; more are left out.
pub const TYPED_PRODUCTS: usize = 20;
