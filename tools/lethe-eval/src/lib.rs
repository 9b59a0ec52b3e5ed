//! Measurements of Lethe's answers on files, without a server: the quality of searches and of recommendations.

pub mod cli;
pub mod floor;
pub mod recommend;
pub mod search;
pub mod words;
