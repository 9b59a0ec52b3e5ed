//! Arguments as PostgreSQL's driver takes them, and rows as it gives them.

use bytes::BytesMut;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::prefetch::Args;
use super::row::{ColumnNames, Row};
use super::statement::{Arg, SqlValue};

impl ToSql for Arg<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Int(Some(value)) => value.to_sql(ty, out),
            Self::Text(Some(value)) => value.to_sql(ty, out),
            Self::Blob(Some(value)) => value.to_sql(ty, out),
            Self::Int(None) | Self::Text(None) | Self::Blob(None) => Ok(IsNull::Yes),
        }
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

/// The arguments of many rows as one array each.
pub(super) fn columns<'a>(
    prepared: &postgres::Statement,
    many: &'a [Args],
) -> Vec<Box<dyn ToSql + Sync + 'a>> {
    let types = prepared.params().iter().enumerate();
    let column =
        |(n, kind): (usize, &Type)| -> Box<dyn ToSql + Sync + 'a> {
            let values = many.iter().map(move |args| args.get(n));
            match *kind {
                Type::INT8_ARRAY => Box::new(
                    values
                        .map(|value| if let Some(SqlValue::Int(value)) = value { Some(*value) } else { None })
                        .collect::<Vec<_>>(),
                ),
                Type::BYTEA_ARRAY => Box::new(
                    values
                        .map(|value| {
                            if let Some(SqlValue::Blob(value)) = value {
                                Some(value.as_slice())
                            } else {
                                None
                            }
                        })
                        .collect::<Vec<_>>(),
                ),
                _ => Box::new(
                    values
                        .map(|value| {
                            if let Some(SqlValue::Text(value)) = value { Some(value.as_str()) } else { None }
                        })
                        .collect::<Vec<_>>(),
                ),
            }
        };
    types.map(column).collect()
}

/// The values of a row.
pub(super) fn read_row(
    statement: &'static str,
    row: &postgres::Row,
    columns: &ColumnNames,
) -> Result<Row, postgres::Error> {
    let mut values = Vec::with_capacity(row.len());
    for (number, column) in row.columns().iter().enumerate() {
        values.push(match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(number)?.map_or(SqlValue::Null, SqlValue::Int),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(number)?.map_or(SqlValue::Null, SqlValue::Blob),
            _ => row.try_get::<_, Option<String>>(number)?.map_or(SqlValue::Null, SqlValue::Text),
        });
    }
    Ok(Row { statement, columns: columns.clone(), values })
}
