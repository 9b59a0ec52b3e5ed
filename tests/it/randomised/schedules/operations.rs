//! Operations of a schedule, and how a seed draws them.
//!
//! A few people in two shops share things on purpose: two siblings have one email under two user ids, colleagues one
//! company, guests order under the email of a user, and any row may come under another number.

use lethe::jobs::Lane;

/// Shops of a schedule: they know the same people.
pub const SHOPS: usize = 2;
/// Emails users normally have, by user: the first two are siblings.
const EMAIL_OF: [u8; USERS as usize] = [0, 0, 1, 2, 3];
pub const USERS: u8 = 5;
pub const EMAILS: u8 = 4;
pub const COMPANIES: u8 = 2;
/// Names of uploads: those of users, then those of orders.
pub const UPLOADS: [&str; 4] = ["user-1", "user-2", "orders-1", "orders-2"];
/// The steps of an erasure at which it can be made to stumble.
pub const STUMBLES: [&str; 6] = ["fenced", "shredded", "deleted", "unlearned", "settled", "verified"];

/// An identifier of the cast.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Id {
    User(u8),
    Email(u8),
    Company(u8),
    Visitor(u8),
}

/// Stands in every email of every schedule.
pub const EMAIL_CANARY: &str = "@canary-of-a-schedule.example";
/// Stands in every other identifier.
pub const ID_CANARY: &str = "canary-uidzqxwvkj-";

impl Id {
    /// Everybody who can have data.
    pub fn all() -> impl Iterator<Item = Self> {
        let users = (0..USERS).map(Self::User);
        users.chain((0..EMAILS).map(Self::Email)).chain((0..COMPANIES).map(Self::Company))
    }

    /// As the shop writes it; of this schedule alone.
    pub fn text(self, seed: u64) -> String {
        match self {
            Self::Email(n) => format!("quill{n}.{seed:x}{EMAIL_CANARY}"),
            Self::User(n) => format!("{ID_CANARY}u{n}-{seed:x}"),
            Self::Company(n) => format!("{ID_CANARY}c{n}-{seed:x}"),
            Self::Visitor(n) => format!("{ID_CANARY}v{n}-{seed:x}"),
        }
    }

    /// As a request names it.
    pub fn requested_identifier(self, seed: u64) -> String {
        let kind = match self {
            Self::Email(_) => "",
            Self::User(_) => "userid:",
            Self::Company(_) => "accid:",
            Self::Visitor(_) => "visitor:",
        };
        format!("{kind}{}", self.text(seed))
    }
}

/// A row about a person.
#[derive(Clone, Debug)]
pub struct Row {
    pub user: Option<u8>,
    pub email: Option<u8>,
    pub company: Option<u8>,
    /// Stands in the profile, or is the number of the order.
    pub mark: String,
    /// For an order: whether it is old; otherwise it is from the moment in which it is sent.
    pub is_old: bool,
    /// When that is, in milliseconds; known when it is sent.
    pub ordered_at: i64,
}

impl Row {
    fn new(user: Option<u8>, email: Option<u8>, company: Option<u8>) -> Self {
        Self { user, email, company, mark: String::new(), is_old: false, ordered_at: 0 }
    }
}

/// One step, in one of the shops.
#[derive(Clone, Debug)]
pub struct Operation {
    pub shop: usize,
    pub act: Act,
}

#[derive(Clone, Debug)]
pub enum Act {
    /// A delta about users.
    Users(Vec<Row>),
    /// A delta that removes a user's profile.
    Removal(u8),
    /// A delta about a product with an address in its title.
    Text {
        product: u8,
        email: u8,
    },
    /// A feed by URL with users.
    Feed(Vec<Row>),
    /// An order file in one go.
    Orders(Vec<Row>),
    /// A person looks at a product, if it is shown.
    View(Row),
    /// An upload is begun, goes on, ends.
    Create {
        upload: usize,
        row: Row,
    },
    Append {
        upload: usize,
        row: Row,
    },
    Close {
        upload: usize,
    },
    Forget(Id),
    Return(Id),
    /// One job of a lane runs.
    Work(Lane),
    /// The process dies, perhaps while it holds a job.
    Crash(Option<Lane>),
    /// A step of the erasure cannot be written, and the process dies.
    Stumble(usize),
    Restart,
    Advance {
        seconds: u64,
    },
    /// The clock goes a day forward or back.
    Jump {
        is_back: bool,
    },
    /// The keys are wrapped again.
    Rotate,
    Backup,
    /// The data folder is lost, and the last backup takes its place.
    Restore,
}

/// The operations of a seed.
pub fn draw_operations(seed: u64) -> Vec<Operation> {
    let mut draw = Draw(seed);
    let count = 12 + draw.below(20);
    let mut all: Vec<_> =
        (0..count).map(|at| Operation { shop: draw.below(SHOPS), act: draw.act(at) }).collect();
    // From random numbers of their own: the seeds that failed once still draw the same failure.
    let mut draw = Draw(!seed);
    for n in 0..draw.below(8) {
        let row = draw.order(count, n);
        let shop = draw.below(SHOPS);
        all.insert(draw.below(all.len() + 1), Operation { shop, act: Act::View(row) });
    }
    all
}

/// A source of numbers: SplitMix64 (Steele, Lea and Flood, 2014).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below")
    }

    fn digit(&mut self, end: u8) -> u8 {
        u8::try_from(self.below(usize::from(end))).expect("it is below")
    }

    fn act(&mut self, at: usize) -> Act {
        match self.below(57) {
            0..7 => Act::Users(self.users(at)),
            7..9 => Act::Text { product: self.digit(3), email: self.digit(EMAILS) },
            9..12 => Act::Feed(self.users(at)),
            12..16 => Act::Orders(self.orders(at)),
            16..20 => self.upload(at),
            20..26 => Act::Forget(self.id()),
            26..29 => Act::Return(self.id()),
            29..34 => Act::Work(Lane::DELTA),
            34..37 => Act::Work(Lane::FETCH),
            37..39 => Act::Work(Lane::FEED),
            39..44 => Act::Work(Lane::ERASE),
            44 => Act::Crash(
                [None, Some(Lane::DELTA), Some(Lane::FETCH), Some(Lane::FEED), Some(Lane::ERASE)]
                    [self.below(5)],
            ),
            45..47 => Act::Stumble(self.below(STUMBLES.len())),
            47 => Act::Restart,
            48 => Act::Advance { seconds: 1 },
            49 => Act::Advance { seconds: 16 * 60 },
            50..52 => Act::Removal(self.digit(USERS)),
            52 => Act::Jump { is_back: self.below(2) == 0 },
            53 => Act::Rotate,
            54..56 => Act::Backup,
            _ => Act::Restore,
        }
    }

    fn upload(&mut self, at: usize) -> Act {
        let upload = self.below(UPLOADS.len());
        let mut row = if is_of_users(upload) { self.user(at, 0) } else { self.order(at, 0) };
        match self.below(5) {
            0..2 => Act::Create { upload, row },
            2 => {
                // In one file a second line of an order would join the first.
                row.mark = format!("a-{at}");
                Act::Append { upload, row }
            }
            _ => Act::Close { upload },
        }
    }

    fn users(&mut self, at: usize) -> Vec<Row> {
        (0..1 + self.below(2)).map(|n| self.user(at, n)).collect()
    }

    fn orders(&mut self, at: usize) -> Vec<Row> {
        (0..1 + self.below(3)).map(|n| self.order(at, n)).collect()
    }

    fn user(&mut self, at: usize, n: usize) -> Row {
        let user = self.digit(USERS);
        let company = (self.below(2) == 0).then(|| self.digit(COMPANIES));
        Row { mark: format!("m-{at}-{n}"), ..Row::new(Some(user), self.email(user), company) }
    }

    /// Mostly the user's own, sometimes another's, sometimes none.
    fn email(&mut self, user: u8) -> Option<u8> {
        match self.below(10) {
            0..7 => Some(EMAIL_OF[usize::from(user)]),
            7..9 => Some(self.digit(EMAILS)),
            _ => None,
        }
    }

    fn order(&mut self, at: usize, n: usize) -> Row {
        let user = self.digit(USERS);
        let company = (self.below(2) == 0).then(|| self.digit(COMPANIES));
        let mut row = match self.below(6) {
            0..2 => Row::new(Some(user), self.email(user), company),
            2 => Row::new(Some(user), None, company),
            3..5 => Row::new(None, Some(self.digit(EMAILS)), company),
            _ => Row::new(None, None, Some(self.digit(COMPANIES))),
        };
        row.is_old = self.below(2) == 0;
        // A shop sends an order of the same customer again, in another file.
        let is_again = n == 0 && self.below(3) == 0;
        row.mark = match (is_again, row.user, row.email, row.company) {
            (true, Some(user), ..) => format!("o-u{user}"),
            (true, None, Some(email), _) => format!("o-e{email}"),
            (true, None, None, Some(company)) => format!("o-c{company}"),
            _ => format!("o-{at}-{n}"),
        };
        row
    }

    fn id(&mut self) -> Id {
        match self.below(10) {
            0..5 => Id::Email(self.digit(EMAILS)),
            5..8 => Id::User(self.digit(USERS)),
            8 => Id::Company(self.digit(COMPANIES)),
            _ => Id::Visitor(0),
        }
    }
}

/// Returns true if an upload of this name holds users; otherwise orders.
pub fn is_of_users(upload: usize) -> bool {
    UPLOADS[upload].starts_with("user")
}
