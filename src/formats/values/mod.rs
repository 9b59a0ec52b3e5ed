//! Values as shops write them: prices, stock, dates, text with markup, paths of categories.

pub mod availability;
pub mod category_path;
pub mod date_text;
pub mod markup;
pub mod price_text;
pub mod quantity_text;
