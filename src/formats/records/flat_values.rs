//! Values of an object of JSON as those of a table: a member inside a member is named `price.amount`.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fault::RecordFault;
use super::float_texts::FloatTexts;
use super::headings::{ColumnSequence, Headings, limit_name};
use super::record::{RecordValue, trim_text, write_value};

/// Writer of the scalars of one object, also of those in lists of scalars. Lists of objects stay in the tree.
pub(super) struct FlatValues<'a> {
    /// Path of the current member.
    pub(super) path: &'a mut String,
    pub(super) headings: &'a mut Headings,
    pub(super) columns: &'a mut ColumnSequence,
    /// Numbers of the object's own text.
    pub(super) floats: FloatTexts<'a>,
    pub(super) values: &'a mut Vec<RecordValue>,
    /// Number of values that were written.
    pub(super) count: usize,
}

impl FlatValues<'_> {
    /// Writes the values of an object.
    pub(super) fn add_members(&mut self, object: &Map<String, Value>) -> Result<(), RecordFault> {
        for (name, value) in object {
            let length = self.path.len();
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(limit_name(name));
            match value {
                Value::Object(object) => self.add_members(object)?,
                Value::Array(list) if list.iter().any(|value| value.is_object() || value.is_array()) => {
                    list.iter().for_each(|value| self.skip_floats(value));
                }
                Value::Array(list) => list.iter().try_for_each(|value| self.add_scalar(value))?,
                _ => self.add_scalar(value)?,
            }
            self.path.truncate(length);
        }
        Ok(())
    }

    fn add_scalar(&mut self, value: &Value) -> Result<(), RecordFault> {
        let text: Cow<'_, str> = match value {
            Value::String(text) if text.contains('\0') => text.replace('\0', "").into(),
            Value::String(text) => text.into(),
            Value::Null => return Ok(()),
            Value::Number(number) => {
                let float = number.as_f64().filter(|_| number.is_f64());
                let written = float.and_then(|float| self.floats.find_text(float));
                written.map_or_else(|| number.to_string().into(), Cow::from)
            }
            _ => value.to_string().into(),
        };
        let text = trim_text(&text);
        if text.is_empty() {
            return Ok(());
        }
        let column = self.columns.find_column(self.headings, self.count, limit_name(self.path))?;
        self.count += usize::from(write_value(self.values, self.count, column, text));
        Ok(())
    }

    /// Passes over the texts of the numbers in a value that is not written.
    fn skip_floats(&mut self, value: &Value) {
        match value {
            Value::Number(number) if number.is_f64() => {
                self.floats.next();
            }
            Value::Array(list) => list.iter().for_each(|value| self.skip_floats(value)),
            Value::Object(object) => object.values().for_each(|value| self.skip_floats(value)),
            _ => {}
        }
    }
}
