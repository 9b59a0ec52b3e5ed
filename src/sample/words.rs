//! The words of the made-up shop. Names of people are invented and belong to no known person.

/// The colours of products, each with its red, green and blue.
pub const COLOURS: &[(&str, [u8; 3])] = &[
    ("Amber", [0xd9, 0x9a, 0x2b]),
    ("Beige", [0xd8, 0xc6, 0xa4]),
    ("Black", [0x33, 0x36, 0x3a]),
    ("Blue", [0x3a, 0x6e, 0xa5]),
    ("Brown", [0x7b, 0x52, 0x36]),
    ("Coral", [0xea, 0x7f, 0x68]),
    ("Cream", [0xec, 0xe0, 0xc2]),
    ("Emerald", [0x2a, 0x8c, 0x5f]),
    ("Green", [0x5f, 0x94, 0x50]),
    ("Grey", [0x8f, 0x94, 0x98]),
    ("Indigo", [0x4a, 0x4c, 0x9c]),
    ("Ivory", [0xee, 0xe6, 0xd2]),
    ("Lilac", [0xb5, 0x9b, 0xc9]),
    ("Navy", [0x2b, 0x3f, 0x66]),
    ("Olive", [0x7d, 0x7f, 0x3c]),
    ("Orange", [0xe5, 0x86, 0x34]),
    ("Pink", [0xe8, 0xa0, 0xb4]),
    ("Plum", [0x7a, 0x3e, 0x62]),
    ("Red", [0xc8, 0x46, 0x3c]),
    ("Rose", [0xd4, 0x7a, 0x86]),
    ("Sand", [0xcd, 0xb0, 0x88]),
    ("Silver", [0xb4, 0xba, 0xbf]),
    ("Teal", [0x2c, 0x8c, 0x8c]),
    ("White", [0xf6, 0xf4, 0xee]),
    ("Yellow", [0xec, 0xc8, 0x49]),
    ("Écru", [0xdd, 0xd0, 0xb0]),
];

pub const BRANDS: &[&str] = &[
    "Alderwick",
    "Brixholm",
    "Calverdine",
    "Dunmarrow",
    "Elmsbeck",
    "Farrowgate",
    "Glenhollow",
    "Hartsmere",
    "Ivorne",
    "Kestermoor",
    "Lindquay",
    "Mosswell",
];

pub const ORIGINS: &[&str] = &["Denmark", "England", "Italy", "Portugal", "Scotland", "Sweden", "Wales"];

pub const SENTENCES: &[&str] = &[
    "Made in small batches by people who like what they do.",
    "Light enough to carry and strong enough to keep for years.",
    "The colour deepens a little with every season of use.",
    "Wipe it with a damp cloth; it asks for nothing more.",
    "Packed flat without plastic and put together in ten minutes.",
    "It goes with almost everything you already have at home.",
    "Each piece is finished by hand, so no two are quite alike.",
    "A quiet design that does its work and leaves the room to you.",
    "Tested for a thousand washes, and still soft after the last.",
    "Comes with spare parts, because good things deserve repair.",
];

/// Searches for things that the shop does not have.
pub const MISSED: &[&str] = &[
    "couch",
    "duvet",
    "garden hose",
    "gift card",
    "lampshade",
    "nightstand",
    "pyjamas",
    "rocking horse",
    "shower rail",
    "trampoline",
];

pub const GIVEN_NAMES: &[&str] = &[
    "Abrina", "Belthor", "Corwyna", "Dastin", "Elowina", "Ferrick", "Gisanne", "Hollis", "Ithel", "Jorvana",
    "Kelmar", "Lunette", "Morvane", "Nerith", "Osmund", "Perrine", "Quillan", "Rosmerta", "Sevrin", "Talwyn",
];

pub const FAMILY_NAMES: &[&str] = &[
    "Ashmarrow",
    "Brackwell",
    "Copperdyke",
    "Dunvarrow",
    "Ellingmere",
    "Fennimoor",
    "Gorsedale",
    "Hazelgate",
    "Inkpenny",
    "Jessamere",
    "Kilnstead",
    "Larkwater",
    "Mossgrave",
    "Netherfold",
    "Oakhanger",
    "Pondersley",
];
