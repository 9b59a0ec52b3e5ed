//! Kinds of the records of people.

/// A kind of records. Only the kinds of the table exist: nothing else can be stored.
pub struct RecordKind {
    name: &'static str,
    list: &'static str,
    form: RecordForm,
}

/// Form of the bytes of a record.
#[derive(Clone, Copy)]
pub(super) enum RecordForm {
    /// JSON or text, as it was sent.
    AsSent,
    /// An order.
    Order,
    /// An event.
    Event,
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

    pub(super) const fn form(&self) -> RecordForm {
        self.form
    }
}

/// Every kind of records.
pub static KINDS: [RecordKind; 4] = [
    RecordKind { name: "profile", list: "Profiles", form: RecordForm::AsSent },
    RecordKind { name: "order", list: "Orders", form: RecordForm::Order },
    RecordKind { name: "event", list: "Events", form: RecordForm::Event },
    RecordKind { name: "log-in", list: "LogIns", form: RecordForm::AsSent },
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
pub static OTHER: RecordKind = RecordKind { name: "", list: "Others", form: RecordForm::AsSent };
