//! Failure of a command, with its exit code.

use crate::config::ConfigFault;
use crate::node::StartFault;

/// Failure of a command.
#[derive(Debug, thiserror::Error)]
pub enum CliFault {
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigFault),
    /// A variable or file that the command needs; says which.
    #[error("{0}")]
    Usage(String),
    /// The server or the store could not be started.
    #[error(transparent)]
    Start(#[from] StartFault),
    /// The server said no; its own sentence.
    #[error("{sentence}")]
    Answered {
        /// The status of its answer.
        status: u16,
        /// The server's sentence.
        sentence: String,
    },
    /// The request has failed, or the user has to act.
    #[error("{0}")]
    Refused(String),
    /// Something was found that should not be there.
    #[error("{0}")]
    Found(String),
    /// The server cannot be reached, or something else stands in the way.
    #[error("{0}")]
    Failed(String),
}

/// Exit code when the server does not take the keys.
pub(super) const WRONG_KEYS: u8 = 6;

/// Exit code when the requested thing is not there, or not any more.
pub(super) const NOT_THERE: u8 = 7;

impl CliFault {
    /// The fault of a file, or of standard input, that a command should read.
    pub(super) fn unreadable(name: impl std::fmt::Display, error: &std::io::Error) -> Self {
        Self::Usage(format!("{name} cannot be read: {error}"))
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Config(_) | Self::Usage(_) => 2,
            Self::Start(fault) => fault.exit_code(),
            Self::Found(_) => FOUND,
            Self::Answered { status: 403, .. } => WRONG_KEYS,
            Self::Answered { status: 404 | 410, .. } => NOT_THERE,
            Self::Answered { .. } | Self::Refused(_) | Self::Failed(_) => 1,
        }
    }

    /// The fault as one JSON object.
    pub(super) fn to_json(&self) -> serde_json::Value {
        let mut told = serde_json::json!({"Error": self.to_string(), "ExitCode": self.exit_code()});
        if let Self::Answered { status, .. } = self {
            told["Status"] = (*status).into();
        }
        told
    }
}

/// Exit code of a scan that found a person: a monitoring program can tell it from a failure.
pub const FOUND: u8 = 5;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_fault_has_its_exit_code_and_its_json() {
        let text = || "x".to_owned();
        for (fault, code) in [
            (CliFault::Usage(text()), 2),
            (CliFault::Found(text()), 5),
            (CliFault::Refused(text()), 1),
            (CliFault::Failed(text()), 1),
        ] {
            assert_eq!(fault.exit_code(), code);
            assert_eq!(fault.to_json(), json!({"Error": "x", "ExitCode": code}));
        }
        for (status, code) in [
            (400, 1),
            (401, 1),
            (402, 1),
            (403, 6),
            (404, 7),
            (405, 1),
            (409, 1),
            (410, 7),
            (411, 1),
            (503, 1),
        ] {
            let fault = CliFault::Answered { status, sentence: text() };
            assert_eq!(fault.to_json(), json!({"Error": "x", "ExitCode": code, "Status": status}));
        }
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        let fault = CliFault::unreadable("feed.json", &missing);
        assert_eq!(
            (fault.exit_code(), fault.to_string()),
            (2, format!("feed.json cannot be read: {missing}"))
        );
    }
}
