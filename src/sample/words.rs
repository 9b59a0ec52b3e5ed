//! The words of the made-up shop. Names of people are invented and belong to no known person.

pub const COLOURS: &[&str] = &[
    "Amber", "Azure", "Black", "Brown", "Coral", "Cream", "Emerald", "Grey", "Indigo", "Ivory", "Lilac",
    "Olive", "Orange", "Pink", "Plum", "Red", "Rose", "Sand", "Silver", "Teal", "White", "Écru",
];

pub const MATERIALS: &[&str] = &[
    "Ash", "Bamboo", "Brass", "Canvas", "Ceramic", "Cork", "Cotton", "Glass", "Leather", "Linen", "Marble",
    "Oak", "Silk", "Slate", "Steel", "Walnut", "Wool",
];

pub const THINGS: &[&str] = &[
    "Apron",
    "Armchair",
    "Backpack",
    "Bedside Table",
    "Blanket",
    "Bookend",
    "Bowl",
    "Candle Holder",
    "Coat",
    "Cushion",
    "Desk Lamp",
    "Dinner Plate",
    "Doormat",
    "Jug",
    "Kettle",
    "Mirror",
    "Mug",
    "Notebook",
    "Picture Frame",
    "Rug",
    "Scarf",
    "Serving Tray",
    "Shelf",
    "Stool",
    "Teapot",
    "Towel",
    "Vase",
    "Wallet",
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

/// The first five are departments, the others stand below one.
pub const CATEGORIES: &[&str] = &[
    "Home",
    "Kitchen",
    "Garden",
    "Clothing",
    "Office",
    "Lighting",
    "Seating",
    "Storage",
    "Tableware",
    "Textiles",
    "Bathroom",
    "Gifts",
    "Travel",
    "Decoration",
    "Stationery",
    "Outdoor Dining",
];

pub const ORIGINS: &[&str] = &["Denmark", "England", "Italy", "Portugal", "Scotland", "Sweden", "Wales"];

pub const SIZES: &[&str] = &["S", "M", "L", "XL"];

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
