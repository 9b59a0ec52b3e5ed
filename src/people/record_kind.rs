//! Kinds of the records of people.

/// A kind of records. Only the kinds of the table exist: nothing else can be stored.
pub struct RecordKind {
    name: &'static str,
    pub(super) list: &'static str,
}

impl RecordKind {
    /// Its name in the store.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The list of an export in which its records stand.
    #[must_use]
    pub const fn list(&self) -> &'static str {
        self.list
    }
}

/// Every kind of records.
pub static KINDS: [RecordKind; 4] = [
    RecordKind { name: "profile", list: "Profiles" },
    RecordKind { name: "order", list: "Orders" },
    RecordKind { name: "event", list: "Events" },
    RecordKind { name: "log-in", list: "LogIns" },
];

/// A person as a user feed or a delta describes one.
pub static PROFILE: &RecordKind = &KINDS[0];

/// An order.
pub static ORDER: &RecordKind = &KINDS[1];

/// Something that a person did in the shop.
pub static EVENT: &RecordKind = &KINDS[2];

/// Log-in of a person with no other record.
pub static LOG_IN: &RecordKind = &KINDS[3];

/// Record that another program stored: exported unchanged.
pub static OTHER: RecordKind = RecordKind { name: "", list: "Others" };
