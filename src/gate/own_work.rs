//! Whether the person who rules made what is ruled on (LED-15): then the ruling says so, and a
//! policy may refuse it.

use crate::model::text::Foreign;

/// Whether one of `authors` (`Name <mail>`, authors and committers of the commits under review)
/// is this person: the same name, or the same address, whatever the case of their letters. A name
/// that is an address is compared with addresses as well.
#[must_use]
pub fn is_own(name: &str, mail: Option<&str>, authors: &[Foreign]) -> bool {
    let fold = |text: &str| text.trim().to_lowercase();
    let name = fold(name);
    let mails = [Some(name.clone()), mail.map(fold)];
    authors.iter().any(|author| {
        let text = String::from_utf8_lossy(author.raw()).into_owned();
        let (theirs, rest) = text.split_once('<').unwrap_or((&text, ""));
        let address = fold(rest.trim_end().trim_end_matches('>'));
        let theirs = fold(theirs);
        let same_name = !theirs.is_empty() && theirs == name;
        let same_mail = mails
            .iter()
            .flatten()
            .any(|mail| !mail.is_empty() && *mail == address);
        same_name || same_mail
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_or_the_same_address_is_the_same_person() {
        let authors = ["Ada Osei <ada@example.org>", "Bo <>", "<cy@example.org>"];
        let authors = authors.map(Foreign::from);
        for (name, mail, wanted) in [
            ("Ada Osei", None, true),
            ("ada osei ", None, true),
            ("Maren", Some("ADA@example.org"), true),
            ("ada@example.org", None, true),
            ("cy@example.org", None, true),
            ("Maren", None, false),
            ("Maren", Some(""), false),
            ("Ada", Some("maren@example.org"), false),
            ("", None, false),
        ] {
            assert_eq!(is_own(name, mail, &authors), wanted, "{name} {mail:?}");
        }
        assert!(!is_own("Ada Osei", None, &[]));
    }
}
