//! Paths of operations that several tests list, by subject.

/// Operations about the person that an identifier names.
pub const PERSON_PATHS: [&str; 6] = [
    "/api/user/forget",
    "/api/user/held",
    "/api/user/export",
    "/api/user/scan",
    "/api/user/suppression",
    "/api/user/return",
];

/// Operations that search, recommend or report.
pub const SEARCH_PATHS: [&str; 7] = [
    "/api/search",
    "/api/autocomplete",
    "/api/similar",
    "/api/search/why",
    "/api/quality",
    "/api/recommend",
    "/api/report",
];

/// Operations about submissions and their results, by their random names.
pub const SUBMISSION_PATHS: [&str; 14] = [
    "/api/deltastatus",
    "/api/productdeltastatus",
    "/api/productfeedstatus",
    "/api/issues",
    "/api/submissions",
    "/api/submission/events",
    "/api/deltas",
    "/api/refused",
    "/api/feed/difference",
    "/api/feed/publish",
    "/api/feed/cancel",
    "/api/snapshots",
    "/api/snapshots/compare",
    "/api/snapshots/back",
];

/// Operations about erasures, by their random names.
pub const ERASURE_PATHS: [&str; 4] =
    ["/api/erasures", "/api/erasures/count", "/api/erasure", "/api/erasure/certificate"];

/// Operations about a shop's webhook.
pub const WEBHOOK_PATHS: [&str; 5] =
    ["/api/webhook", "/api/webhook/set", "/api/webhook/rotate", "/api/webhook/test", "/api/webhook/remove"];

/// Operations of shops' plugins that show the shop's keys.
pub const PLUGIN_PATHS: [&str; 6] = [
    "/api/plugin/validate-account",
    "/api/plugin/dashboard",
    "/api/plugin/feedback",
    "/api/plugin/delete",
    "/api/plugin/add-store",
    "/api/next-steps/complete",
];
