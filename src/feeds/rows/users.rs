//! Rows of `Users`: personal, so nothing here can be printed.

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::coerce;
use super::context::{NormaliserContext, RowFault, RowWarnings};
use super::reading::reading;
use super::shape::RowShape;
use super::sorted_row::sort;
use crate::feeds::fields;
use crate::feeds::issue::{Issue, IssueCode};
use crate::feeds::json::value::JsonValue;
use crate::feeds::reader::RawRow;
use crate::limits;

static SHAPE: RowShape = RowShape::new(fields::USERS.fields);

/// A person's profile as sent; overwritten when dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct UserRow {
    /// The shop's id of the person, trimmed.
    pub user_id: String,
    /// The email address as it was read. A field that names no person, or several, is left out of the profile too.
    pub email: Option<String>,
    /// The profile in its normal form: documented fields first, the rest under `Attributes`.
    pub profile_json: Vec<u8>,
}

/// Reads a user; `email_of` returns the one address that the email field means, if it does. `None`: a bad row, with
/// exactly one bad issue.
pub fn normalise_user(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    email_of: &dyn Fn(&str) -> Option<String>,
    issues: &mut Vec<Issue>,
) -> Option<UserRow> {
    // The normal form is rarely longer: growing would leave copies of the profile in memory.
    let mut profile_json = Vec::with_capacity(row.json.len() + 64);
    let read = reading(row, &mut profile_json, issues, |out, notes| user(row, context, email_of, out, notes));
    let Some((user_id, email)) = read else {
        profile_json.zeroize();
        return None;
    };
    Some(UserRow { user_id, email, profile_json })
}

fn user(
    row: &RawRow<'_>,
    context: &NormaliserContext<'_>,
    email_of: &dyn Fn(&str) -> Option<String>,
    out: &mut Vec<u8>,
    notes: &mut RowWarnings<'_, '_>,
) -> Result<(String, Option<String>), RowFault> {
    let sorted = sort(&SHAPE, row, context, notes)?;
    let user_id = sorted.id("UserId", limits::IDENTIFIER_BYTES)?;
    let user_id = user_id.ok_or(RowFault::field(IssueCode::IdMissing, "UserId"))?;
    let user_id = user_id.trim();
    let email = sorted.value("Email").map_or(Ok(None), email)?;
    let email = email.map(Zeroizing::new).and_then(|text| {
        let email = email_of(&text);
        // If it were kept, no request could find it by the address that it may mean.
        // red: it::people::sqlite::an_email_that_is_none_is_not_kept
        if email.is_none() {
            notes.warn(IssueCode::EmailMalformed, "Email");
        }
        email
    });
    sorted.write(&[("UserId", Some(user_id)), ("Email", email.as_deref())], context, notes, out)?;
    Ok((user_id.to_owned(), email))
}

fn email(value: JsonValue<'_>) -> Result<Option<String>, RowFault> {
    let email = coerce::id(value).map_err(|_| RowFault::field(IssueCode::FieldWrongType, "Email"))?;
    match email.map(|email| email.trim().to_owned()).filter(|email| !email.is_empty()) {
        Some(email) if email.len() > limits::IDENTIFIER_BYTES => {
            Err(RowFault::field(IssueCode::FieldTooLong, "Email"))
        }
        email => Ok(email),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::reader::RowOrigin;
    use crate::feeds::rows::context::RowObservations;
    use crate::feeds::section::FeedPart;
    use crate::feeds::testing::CONTEXT;

    fn read(json: &str) -> Result<(String, Option<String>, String), Issue> {
        let context = NormaliserContext {
            default_currency: None,
            account_tag: &|id| format!("tag-{id}"),
            noticed: None,
        };
        let row = RawRow {
            section: FeedPart::Users,
            number: 1,
            offset: 0,
            origin: RowOrigin::Feed,
            json: json.as_bytes(),
        };
        let mut issues = Vec::new();
        let email_of = |text: &str| text.contains('@').then(|| text.to_owned());
        match normalise_user(&row, &context, &email_of, &mut issues) {
            Some(user) => {
                let profile = String::from_utf8(user.profile_json.clone()).expect("text");
                Ok((user.user_id.clone(), user.email.clone(), profile))
            }
            None => Err(issues.remove(0)),
        }
    }

    #[test]
    fn a_profile_keeps_its_own_fields_beside_the_documented_ones() {
        let (id, email, profile) = read(
            r#"{"UserId":42,"Email":" A@b.test ","lastName":"Li","State":12,"City":null,
               "Roles":{"1":"customer","3":"manager"},"News":"yes","_index":7}"#,
        )
        .expect("a user");
        assert_eq!((id.as_str(), email.as_deref()), ("42", Some("A@b.test")));
        let expected = r#"{"UserId":"42","Email":"A@b.test","LastName":"Li","State":"12","Roles":["customer","manager"],"Attributes":{"News":"yes"}}"#;
        assert_eq!(profile, expected);
        assert_eq!(read(expected).expect("a user").2, expected);
    }

    #[test]
    fn an_email_that_is_none_is_not_kept() {
        let (_, email, profile) =
            read(r#"{"UserId":42,"Email":"ada at shop","City":"Ulm"}"#).expect("a user");
        assert_eq!((email, profile.as_str()), (None, r#"{"UserId":"42","City":"Ulm"}"#));
    }

    #[test]
    fn a_user_without_an_id_is_a_bad_row() {
        for id in ["null", "\"\"", "false"] {
            let issue = read(&format!(r#"{{"UserId":{id}}}"#)).expect_err("nobody");
            assert_eq!(issue.code, IssueCode::IdMissing, "{id}");
        }
    }

    #[test]
    fn an_issue_names_documented_fields_only() {
        let own = read(r#"{"UserId":1,"Ann's news":1,"Ann's news":2}"#).expect_err("twice");
        assert_eq!((own.code, own.field), (IssueCode::DuplicateKey, None));
        let lone = read(r#"{"UserId":1,"lastname":"\ud800"}"#).expect_err("surrogate");
        assert_eq!((lone.code, lone.field.as_deref()), (IssueCode::RowLoneSurrogate, Some("LastName")));
        let object = read(r#"{"UserId":1,"City":{"a":1}}"#).expect_err("object");
        assert_eq!((object.code, object.field.as_deref()), (IssueCode::FieldWrongType, Some("City")));
    }

    #[test]
    fn an_email_and_a_user_id_are_as_long_as_an_identifier_may_be() {
        let most = limits::IDENTIFIER_BYTES;
        let email = |bytes: usize| "x".repeat(bytes - 2) + "@b";
        let longest = format!(r#"{{"UserId":"{}","Email":"{}"}}"#, "u".repeat(most), email(most));
        let (id, read_email, profile) = read(&longest).expect("a user");
        assert_eq!((id, read_email, profile), ("u".repeat(most), Some(email(most)), longest));
        for (row, code, field) in [
            (format!(r#"{{"UserId":1,"Email":"{}"}}"#, email(most + 1)), IssueCode::FieldTooLong, "Email"),
            (format!(r#"{{"UserId":"{}"}}"#, "u".repeat(most + 1)), IssueCode::IdTooLong, "UserId"),
            (r#"{"UserId":1,"Email":{"a":1}}"#.to_owned(), IssueCode::FieldWrongType, "Email"),
        ] {
            let issue = read(&row).expect_err("a bad row");
            assert_eq!((issue.code, issue.field.as_deref()), (code, Some(field)));
        }
    }

    #[test]
    fn warnings_about_a_person_quote_no_word_of_theirs() {
        let noticed = RowObservations::default();
        let context = NormaliserContext { noticed: Some(&noticed), ..CONTEXT };
        let mut issues = Vec::new();
        for json in [r#"{"UserId":1,"MAIL":"x","Emial":"y"}"#, r#"{"UserId":2,"Email":"nobody","mail":"z"}"#]
        {
            let row = RawRow {
                section: FeedPart::Users,
                number: 1,
                offset: 0,
                origin: RowOrigin::Feed,
                json: json.as_bytes(),
            };
            assert!(normalise_user(&row, &context, &|_| None, &mut issues).is_some());
        }
        let told: Vec<_> =
            issues.iter().map(|issue| (issue.code, issue.field.as_deref(), issue.meant)).collect();
        let expected = [
            (IssueCode::FieldMisnamed, Some("mail"), Some("Email")),
            (IssueCode::FieldMisnamed, None, Some("Email")),
            (IssueCode::EmailMalformed, Some("Email"), None),
        ];
        assert_eq!(told, expected);
    }
}
