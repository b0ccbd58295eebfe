//! Reads the facts of a bug chase from one JSON document. A check that nobody could tell is `null`
//! and counts as a failure; a fact that is missing is a fault, because each of them moves the
//! recommendation.

use super::complaints::{Complaints, document};
use super::fields::Fields;
use super::json;
use crate::gate::menu::chase::{CLASSES, Facts, Holds, Origin, Set};
use crate::model::contract::Complaint;
use crate::model::known::Known;

/// Reads the document.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(bytes: &[u8]) -> Result<Facts, Vec<Complaint>> {
    let root = document(bytes)?;
    let mut wrong = Complaints::default();
    let all = Fields::of(Some(&root), "the document");
    let classes = CLASSES.map(|row| (row.name, row.class));
    let class = all.word("class", &classes, &mut wrong);
    let origins = [
        ("tracked", Origin::Tracked),
        ("untracked", Origin::Untracked),
    ];
    let origin = all.word("origin", &origins, &mut wrong);
    let negative = class
        .known()
        .is_some_and(|class| class.set() == Set::Negative);
    let mut flag = |key: &'static str| {
        let read = all.flag(key, &mut wrong);
        match read {
            Known::Is(flag) => flag,
            // what only a fix is asked for
            _ if negative && key != "addressable" => false,
            _ => {
                let message = format!("{key} is missing");
                wrong.error("missing", all.line(), message, "write true or false");
                false
            }
        }
    };
    let addressable = flag("addressable");
    let aborted = flag("aborted");
    let (pressing, trivial) = (flag("pressing"), flag("trivial"));
    let (deferrable, blocked) = (flag("deferrable"), flag("blocked"));
    let predicates = if negative && all.raw("predicates").is_none() {
        Some([Holds::Unknown; 6])
    } else {
        predicates(&all, &mut wrong)
    };
    for (key, there) in [
        ("class", class.known().is_some()),
        ("origin", origin.known().is_some()),
    ] {
        if !there && all.raw(key).is_none_or(json::Node::is_null) {
            let message = format!("{key} is missing");
            wrong.error("missing", all.line(), message, "a menu depends on it");
        }
    }
    let (Known::Is(class), Known::Is(origin), Some(predicates)) = (class, origin, predicates)
    else {
        return Err(wrong.done());
    };
    let complaints = wrong.done();
    if !crate::model::wave::sound(&complaints) {
        return Err(complaints);
    }
    Ok(Facts {
        class,
        origin,
        addressable,
        aborted,
        predicates,
        pressing,
        trivial,
        deferrable,
        blocked,
    })
}

fn predicates(all: &Fields<'_>, wrong: &mut Complaints) -> Option<[Holds; 6]> {
    let read = all.known("predicates", "a list of six", wrong, |node| {
        let json::Value::List(items) = &node.value else {
            return None;
        };
        let holds: Option<Vec<Holds>> = items
            .iter()
            .map(|item| match &item.value {
                json::Value::Bool(true) => Some(Holds::Yes),
                json::Value::Bool(false) => Some(Holds::No),
                json::Value::Null => Some(Holds::Unknown),
                json::Value::Text(text) if text == "unreadable" => Some(Holds::Unknown),
                _ => None,
            })
            .collect();
        <[Holds; 6]>::try_from(holds?).ok()
    });
    match read {
        Known::Is(six) => Some(six),
        Known::NotSupplied => {
            let hint = "write the six in order: true, false, or null for unknown";
            wrong.error("missing", all.line(), "predicates is missing", hint);
            None
        }
        _ => None,
    }
}
