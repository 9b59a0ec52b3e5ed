//! Tables of words, each with its meaning: units, letters, plurals and languages.

use super::*;

/// Each unit with all its spellings.
const UNITS: &[(&str, &str)] = &[
    ("in", "in inch inches zoll tum tommer tomme pouce pouces pulgada pulgadas pollice pollici"),
    ("in", "polegada polegadas duim palců palce cali tuuma tuumaa tolli hüvelyk huvelyk inci inç"),
    ("in", "дюим дюйм дюимов дюймов ίντσες"),
    ("mm", "mm millimeter millimeters millimetre millimetres мм"),
    ("cm", "cm centimeter centimeters centimetre centimetres см"),
    ("m", "m meter meters metre metres metros metro metri metrów metrů м"),
    ("km", "km kilometer kilometers kilometre kilometres км"),
    ("ft", "ft foot feet"),
    ("yd", "yd yard yards"),
    ("mg", "mg milligram milligrams milligramm мг"),
    ("g", "g gr gram grams gramm gramme grammes gramos grammi г"),
    ("kg", "kg kilo kilos kgs kilogram kilograms kilogramm кг"),
    ("oz", "oz ounce ounces"),
    ("lb", "lb lbs pound pounds"),
    ("ml", "ml milliliter milliliters millilitre millilitres мл"),
    ("cl", "cl centiliter centilitre"),
    ("dl", "dl deciliter decilitre"),
    ("l", "l lt ltr liter liters litre litres litros litro litri litrów л"),
    ("gal", "gal gallon gallons"),
    ("w", "w watt watts вт"),
    ("kw", "kw kilowatt kilowatts квт"),
    ("wh", "wh"),
    ("kwh", "kwh"),
    ("v", "v volt volts volti"),
    ("a", "a amp amps ampere"),
    ("ah", "ah"),
    ("mah", "mah"),
    ("hz", "hz hertz гц"),
    ("khz", "khz kilohertz"),
    ("mhz", "mhz megahertz"),
    ("ghz", "ghz gigahertz"),
    ("lm", "lm lumen lumens"),
    ("db", "db decibel decibels"),
    ("btu", "btu"),
    ("bar", "bar bars"),
    ("psi", "psi"),
    ("va", "va"),
    ("c", "°c celsius"),
    ("f", "°f fahrenheit"),
    ("kb", "kb kilobyte kilobytes"),
    ("mb", "mb megabyte megabytes мб"),
    ("gb", "gb gig gigs gigabyte gigabytes гб"),
    ("tb", "tb terabyte terabytes тб"),
    ("mbps", "mbit mbits mbps"),
    ("gbps", "gbit gbits gbps"),
    ("mp", "mp mpx mpix megapixel megapixels"),
    ("px", "px pixel pixels"),
    ("dpi", "dpi"),
    ("rpm", "rpm"),
    ("fps", "fps"),
    ("k", "k"),
    ("x", "x"),
    ("t", "t"),
    ("pcs", "pc pcs piece pieces stück stueck stk stuks pieza piezas pezzi ks szt шт"),
    ("pack", "pack packs pk"),
    ("port", "port ports"),
    ("core", "core cores"),
    ("bit", "bit bits"),
    ("min", "min mins minute minutes"),
    ("year", "year years yr yrs"),
    ("month", "month months"),
    ("%", "%"),
];

/// Units that are words or letters after a blank: `3 in 1`, `5 a day`.
const ATTACHED: [&str; 5] = ["in", "a", "k", "t", "x"];

#[test]
fn each_spelling_of_a_unit_is_that_unit() {
    let analyser = english();
    for (unit, spellings) in UNITS {
        for spelling in spellings.split(' ') {
            let gap = if ATTACHED.contains(&spelling) { "" } else { " " };
            assert_eq!(analyser.units(&format!("7{gap}{spelling}")), [format!("7{unit}")], "{spelling}");
        }
    }
    for spelling in ATTACHED {
        assert_eq!(analyser.units(&format!("7 {spelling}")), Vec::<String>::new(), "{spelling}");
    }
}

#[test]
fn some_words_are_units_of_some_languages() {
    use ShopLanguage::{English, French, German};
    let none = [English, German, French].map(|language| (language, None));
    for (word, languages) in [
        ("to", [none[0], none[1], (French, Some("7tb"))]),
        ("go", [none[0], none[1], (French, Some("7gb"))]),
        ("mo", [none[0], none[1], (French, Some("7mb"))]),
        ("st", [none[0], (German, Some("7pcs")), (French, Some("7pcs"))]),
    ] {
        for (language, unit) in languages {
            let found = Analyser::new(language).units(&format!("7 {word}"));
            assert_eq!(found.first().map(String::as_str), unit, "{word} in {language:?}");
        }
    }
}

#[test]
fn letters_that_are_no_marked_ones_are_written_with_others() {
    for (letters, folded) in [
        ("ßẞ", "ss"),
        ("æÆǽǼ", "ae"),
        ("œŒ", "oe"),
        ("øØǿǾ", "o"),
        ("łŁ", "l"),
        ("đĐðÐ", "d"),
        ("þÞ", "th"),
        ("ħĦ", "h"),
        ("ŧŦ", "t"),
        ("ıİ", "i"),
        ("ŋŊ", "n"),
        ("ςσΣ", "σ"),
    ] {
        for letter in letters.chars() {
            assert_eq!(fold_text(&letter.to_string()), folded, "{letter}");
        }
    }
}

#[test]
fn each_ending_of_plurals_has_its_singular() {
    let tables = [
        (
            ShopLanguage::English,
            "glasses-glass watches-watch brushes-brush boxes-box fizzes-fizz batteries-battery glass-glass \
             campus-campus tennis-tennis cables-cable gas-gas cups-cup mp3s-mp3 knives-knife lenses-lens",
        ),
        (
            ShopLanguage::French,
            "chateaux-chateau journaux-journal cheveux-cheveux stress-stress tables-table bijoux-bijou",
        ),
        (
            ShopLanguage::Spanish,
            "camiones-camion colores-color cristales-cristal papeles-papel luces-luz stress-stress \
             zapatos-zapato",
        ),
        (
            ShopLanguage::Portuguese,
            "limoes-limao cobertores-cobertor animais-animal aneis-anel bombons-bombom stress-stress mesas-mesa",
        ),
        (ShopLanguage::Other, "tables-tables"),
    ];
    for (language, words) in tables {
        let analyser = Analyser::new(language);
        for (plural, singular) in words.split_whitespace().filter_map(|pair| pair.split_once('-')) {
            assert_eq!(analyser.plural(plural), singular, "{plural} in {language:?}");
        }
    }
    let german = Analyser::new(ShopLanguage::German);
    assert_eq!(german.plural("haeuser"), german.stem("haeuser"));
}

/// Code, name, and a function word that no other language has.
const LANGUAGES: [(&str, ShopLanguage, &str, &str); 32] = [
    ("bg", ShopLanguage::Bulgarian, "Bulgarian", "който"),
    ("ca", ShopLanguage::Catalan, "Catalan", "amb"),
    ("cs", ShopLanguage::Czech, "Czech", "jsou"),
    ("da", ShopLanguage::Danish, "Danish", "samt"),
    ("de", ShopLanguage::German, "German", "durch"),
    ("el", ShopLanguage::Greek, "Greek", "του"),
    ("en", ShopLanguage::English, "English", "during"),
    ("es", ShopLanguage::Spanish, "Spanish", "desde"),
    ("et", ShopLanguage::Estonian, "Estonian", "ning"),
    ("eu", ShopLanguage::Basque, "Basque", "eta"),
    ("fi", ShopLanguage::Finnish, "Finnish", "joka"),
    ("fr", ShopLanguage::French, "French", "avec"),
    ("ga", ShopLanguage::Irish, "Irish", "agus"),
    ("hr", ShopLanguage::Croatian, "Croatian", "koji"),
    ("hu", ShopLanguage::Hungarian, "Hungarian", "hogy"),
    ("is", ShopLanguage::Icelandic, "Icelandic", "fyrir"),
    ("it", ShopLanguage::Italian, "Italian", "dagli"),
    ("lt", ShopLanguage::Lithuanian, "Lithuanian", "nuo"),
    ("lv", ShopLanguage::Latvian, "Latvian", "pirms"),
    ("nl", ShopLanguage::Dutch, "Dutch", "het"),
    ("no", ShopLanguage::Norwegian, "Norwegian", "ikkje"),
    ("pl", ShopLanguage::Polish, "Polish", "przez"),
    ("pt", ShopLanguage::Portuguese, "Portuguese", "pelo"),
    ("ro", ShopLanguage::Romanian, "Romanian", "care"),
    ("ru", ShopLanguage::Russian, "Russian", "который"),
    ("sk", ShopLanguage::Slovak, "Slovak", "alebo"),
    ("sl", ShopLanguage::Slovenian, "Slovenian", "brez"),
    ("sr", ShopLanguage::Serbian, "Serbian", "који"),
    ("sv", ShopLanguage::Swedish, "Swedish", "och"),
    ("tr", ShopLanguage::Turkish, "Turkish", "icin"),
    ("uk", ShopLanguage::Ukrainian, "Ukrainian", "або"),
    ("other", ShopLanguage::Other, "other", ""),
];

#[test]
fn each_language_has_its_code_name_and_function_words() {
    let analysers = ShopLanguage::ALL.map(Analyser::new);
    for (code, language, name, word) in LANGUAGES {
        assert_eq!(ShopLanguage::parse(code), Some(language), "{code}");
        assert_eq!((language.code(), language.name()), (code, name));
        let with_word = analysers.iter().filter(|analyser| analyser.is_function_word(word));
        let with_word: Vec<_> = with_word.map(Analyser::language).collect();
        let expected = match language {
            ShopLanguage::Other => Vec::new(),
            // Serbian is written in Latin letters too.
            ShopLanguage::Croatian => vec![language, ShopLanguage::Serbian],
            _ => vec![language],
        };
        assert_eq!(with_word, expected, "{word}");
    }
    for (code, language) in
        [("nn", ShopLanguage::Norwegian), ("pt_BR", ShopLanguage::Portuguese), (" De ", ShopLanguage::German)]
    {
        assert_eq!(ShopLanguage::parse(code), Some(language), "{code}");
    }
}
