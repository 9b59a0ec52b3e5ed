//! Context of a command: its flags, and whether it prints JSON.

use crate::config::Flags;

/// Context of a command.
pub(super) struct CommandContext {
    pub(super) flags: Flags,
    /// Names of the arguments on the command line, before and after the command.
    pub(super) given: Vec<String>,
    pub(super) json: bool,
}

#[cfg(test)]
impl CommandContext {
    /// Context of a command without flags.
    pub(super) fn without_flags(json: bool) -> Self {
        let flags = Flags { settings: confique::Layer::empty(), config: None };
        Self { flags, given: Vec::new(), json }
    }
}
