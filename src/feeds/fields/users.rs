//! The fields of `Users`.

use super::kind::{FieldType, TextRole};
use super::spec::{AllowedDocuments, FieldRequirement, FieldSpec, RowSchema, UnknownFieldPolicy};
use crate::feeds::section::FeedPart;

/// Rows of `Users`.
pub static USERS: RowSchema = RowSchema {
    part: FeedPart::Users,
    also: &[],
    mistaken: &["user", "customers", "customer", "people", "profiles", "members", "kunden"],
    stands_in: AllowedDocuments::Both,
    meaning: "The profile of a person who buys. A row replaces the profile of its user id; profiles that are not \
              in a feed stay. Do not send health, belief, origin or other data of this kind.",
    fields: FIELDS,
    others: UnknownFieldPolicy::Attributes,
    example: r#"{"UserId":"1041","Email":"ann@shop.example","FirstName":"Ann","Country":"GB"}"#,
};

const FIELDS: &[FieldSpec] = &[
    FieldSpec::new(
        "UserId",
        FieldType::Id,
        r#""1041""#,
        "The shop's id of the person, the same in orders and events.",
    )
    .holds(TextRole::Key)
    .need(FieldRequirement::Required)
    .mistaken(&["id", "user", "customerid", "customer", "uid", "entityid"]),
    FieldSpec::new("Email", FieldType::Id, r#""ann@shop.example""#, "The person's email address, one.")
        .holds(TextRole::Key)
        .mistaken(&["mail", "emailaddress", "mailaddress", "useremail", "customeremail"]),
    FieldSpec::new("FirstName", FieldType::Text, r#""Ann""#, "First name.").mistaken(&[
        "givenname",
        "forename",
        "vorname",
    ]),
    FieldSpec::new("LastName", FieldType::Text, r#""Lee""#, "Last name.").mistaken(&[
        "surname",
        "familyname",
        "nachname",
    ]),
    FieldSpec::new("Salutation", FieldType::Text, r#""Ms""#, "How the person is addressed.")
        .mistaken(&["prefix", "anrede"]),
    FieldSpec::new("Title", FieldType::Text, r#""Dr""#, "The person's title, or how they are addressed."),
    FieldSpec::new("DOB", FieldType::Text, r#""1980-12-31""#, "Date of birth; 31/12/1980 is understood too.")
        .mistaken(&["dateofbirth", "birthdate", "birthday"]),
    FieldSpec::new("Gender", FieldType::Text, r#""F""#, "Gender, as the shop keeps it.").mistaken(&["sex"]),
    FieldSpec::new("Group", FieldType::Text, r#""Trade""#, "The name of the customer group.").mistaken(&[
        "groupname",
        "customergroup",
        "usergroup",
    ]),
    FieldSpec::new(
        "GroupId",
        FieldType::Text,
        r#""trade""#,
        "The id of the customer group, as in GroupPrices.",
    )
    .mistaken(&["customergroupid", "usergroupid"]),
    FieldSpec::new("City", FieldType::Text, r#""Leeds""#, "City.").mistaken(&["town"]),
    FieldSpec::new("State", FieldType::Text, r#""West Yorkshire""#, "State, county or region.")
        .mistaken(&["region", "province"]),
    FieldSpec::new("Country", FieldType::Text, r#""GB""#, "Country.").mistaken(&["countrycode", "countryid"]),
    FieldSpec::new("Roles", FieldType::List, r#"["customer"]"#, "What the person may do in the shop.")
        .mistaken(&["role"]),
    FieldSpec::new("_index", FieldType::Ignored, "0", "A counter that one client adds."),
    FieldSpec::new(
        "Attributes",
        FieldType::Attributes,
        r#"{"Newsletter":true}"#,
        "The shop's own fields. They may also stand beside the other fields of the row.",
    ),
];
