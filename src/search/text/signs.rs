//! Signs: letters that are part of no word, such as `★`, `&` and pictures.

/// Character before a sign in the index. Words in the index have only letters and digits.
const MARK: char = '\u{1}';

/// The signs of a text as the index has them, each once. Invisible ones, and the skin colour of a picture, are left
/// out.
#[must_use]
pub fn index_signs(text: &str) -> Vec<String> {
    // Most signs are of ASCII and stand in every text: only the others are sorted.
    let mut ascii = [false; 128];
    let mut others: Vec<char> = Vec::new();
    for letter in text.chars() {
        match ascii.get_mut(letter as usize) {
            Some(is_there) => *is_there = true,
            None if is_sign(letter) => others.push(letter),
            None => {}
        }
    }
    others.sort_unstable();
    others.dedup();
    let ascii = ('\0'..).zip(ascii).filter(|(letter, is_there)| *is_there && is_sign(*letter));
    let signs = ascii.map(|(letter, _)| letter).chain(others);
    signs.map(|sign| String::from_iter([MARK, sign])).collect()
}

/// Returns true if nothing is typed: only white space and invisible letters.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|letter| letter.is_whitespace() || letter.is_control() || is_unseen(letter))
}

fn is_sign(letter: char) -> bool {
    !(letter.is_alphanumeric() || letter.is_whitespace() || letter.is_control() || is_unseen(letter))
}

/// Joiners, directions, variants of letters and of colours of skin.
const fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{34F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_what_is_part_of_no_word() {
        assert_eq!(
            index_signs("★ Oak & ash ★ 7,5 👍🏽\u{200d}\u{fe0f}"),
            ["\u{1}&", "\u{1},", "\u{1}★", "\u{1}👍"]
        );
        assert!(index_signs("Größe 42 東京").is_empty());
        assert!(is_blank(" \t\u{200b}") && !is_blank("★") && !is_blank("a"));
    }
}
