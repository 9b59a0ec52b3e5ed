//! The fields of `Users`.

use super::{Field, Holds, Kind, Need, Others, Rows, StandsIn};
use crate::feeds::section::Part;

/// Rows of `Users`.
pub static USERS: Rows = Rows {
    part: Part::Users,
    also: &[],
    mistaken: &["user", "customers", "customer", "people", "profiles", "members", "kunden"],
    stands_in: StandsIn::Both,
    meaning: "The profile of a person who buys. A row replaces the profile of its user id; profiles that are not \
              in a feed stay. Do not send health, belief, origin or other data of this kind.",
    fields: FIELDS,
    others: Others::Attributes,
    example: r#"{"UserId":"1041","Email":"ann@shop.example","FirstName":"Ann","Country":"GB"}"#,
};

const FIELDS: &[Field] = &[
    Field::new(
        "UserId",
        Kind::Id,
        r#""1041""#,
        "The shop's id of the person, the same in orders and events.",
    )
    .holds(Holds::Key)
    .need(Need::Required)
    .mistaken(&["id", "user", "customerid", "customer", "uid", "entityid"]),
    Field::new("Email", Kind::Id, r#""ann@shop.example""#, "The person's email address, one.")
        .holds(Holds::Key)
        .mistaken(&["mail", "emailaddress", "mailaddress", "useremail", "customeremail"]),
    Field::new("FirstName", Kind::Text, r#""Ann""#, "First name.").mistaken(&[
        "givenname",
        "forename",
        "vorname",
    ]),
    Field::new("LastName", Kind::Text, r#""Lee""#, "Last name.").mistaken(&[
        "surname",
        "familyname",
        "nachname",
    ]),
    Field::new("Salutation", Kind::Text, r#""Ms""#, "How the person is addressed.")
        .mistaken(&["prefix", "anrede"]),
    Field::new("Title", Kind::Text, r#""Dr""#, "The person's title, or how they are addressed."),
    Field::new("DOB", Kind::Text, r#""1980-12-31""#, "Date of birth; 31/12/1980 is understood too.")
        .mistaken(&["dateofbirth", "birthdate", "birthday"]),
    Field::new("Gender", Kind::Text, r#""F""#, "Gender, as the shop keeps it.").mistaken(&["sex"]),
    Field::new("Group", Kind::Text, r#""Trade""#, "The name of the customer group.").mistaken(&[
        "groupname",
        "customergroup",
        "usergroup",
    ]),
    Field::new("GroupId", Kind::Text, r#""trade""#, "The id of the customer group, as in GroupPrices.")
        .mistaken(&["customergroupid", "usergroupid"]),
    Field::new("City", Kind::Text, r#""Leeds""#, "City.").mistaken(&["town"]),
    Field::new("State", Kind::Text, r#""West Yorkshire""#, "State, county or region.")
        .mistaken(&["region", "province"]),
    Field::new("Country", Kind::Text, r#""GB""#, "Country.").mistaken(&["countrycode", "countryid"]),
    Field::new("Roles", Kind::List, r#"["customer"]"#, "What the person may do in the shop.")
        .mistaken(&["role"]),
    Field::new("_index", Kind::Ignored, "0", "A counter that one client adds."),
    Field::new(
        "Attributes",
        Kind::Attributes,
        r#"{"Newsletter":true}"#,
        "The shop's own fields. They may also stand beside the other fields of the row.",
    ),
];
