//! What is printed against what was written down by hand: YAML by value and order of keys, JSON
//! in part, the comment line by line.

use serde_json::Value;

/// An expected text with `{any}` and `{opt}` in it.
pub(super) fn fits(wanted: &str, got: &str) -> bool {
    fn go(wanted: &str, got: &str) -> bool {
        let next = ["{any}", "{opt}"]
            .into_iter()
            .filter_map(|word| wanted.find(word).map(|at| (at, word)))
            .min();
        let Some((at, word)) = next else {
            return wanted == got;
        };
        let (before, after) = (&wanted[..at], &wanted[at + 5..]);
        let Some(rest) = got.strip_prefix(before) else {
            return false;
        };
        let least = usize::from(word == "{any}");
        let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
        ends.filter(|at| *at >= least)
            .any(|at| go(after, &rest[at..]))
    }
    go(wanted, got)
}

/// Lists whose order counts.
const ORDERED: [&str; 2] = ["per_exit_criterion", "second_round_needed"];

/// Whole values: the same keys in the same order, the same lists.
pub(super) fn whole(at: &str, wanted: &Value, got: &Value, wrong: &mut Vec<String>) {
    match (wanted, got) {
        (Value::String(wanted), _) if wanted == "{opt}" => {}
        (Value::String(wanted), Value::String(got)) if fits(wanted, got) => {}
        (Value::Object(wanted), Value::Object(got)) => {
            let keys =
                |map: &serde_json::Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
            if keys(wanted) != keys(got) {
                wrong.push(format!(
                    "{at}: keys {:?}, not {:?}",
                    keys(got),
                    keys(wanted)
                ));
            }
            for (key, wanted) in wanted {
                if let Some(got) = got.get(key) {
                    whole(&format!("{at}.{key}"), wanted, got, wrong);
                }
            }
        }
        (Value::Array(items), Value::Array(got)) => {
            let ordered = ORDERED.iter().any(|key| at.ends_with(key));
            list(at, items, got, ordered, wrong, &|at, wanted, got| {
                let mut wrong = Vec::new();
                whole(at, wanted, got, &mut wrong);
                wrong
            });
        }
        (wanted, got) if wanted == got => {}
        (wanted, got) => wrong.push(format!("{at}: {got}, not {wanted}")),
    }
}

type Compare<'a> = &'a dyn Fn(&str, &Value, &Value) -> Vec<String>;

fn list(
    at: &str,
    wanted: &[Value],
    got: &[Value],
    ordered: bool,
    wrong: &mut Vec<String>,
    compare: Compare<'_>,
) {
    let bad = |why: &str| format!("{at}: {why}: {got:#?}, not {wanted:#?}");
    if wanted.len() != got.len() {
        wrong.push(bad("another length"));
        return;
    }
    if ordered {
        for (number, (wanted, got)) in wanted.iter().zip(got).enumerate() {
            wrong.extend(compare(&format!("{at}[{number}]"), wanted, got));
        }
        return;
    }
    let mut left: Vec<&Value> = got.iter().collect();
    for one in wanted {
        match left.iter().position(|got| compare(at, one, got).is_empty()) {
            Some(found) => {
                left.remove(found);
            }
            None => wrong.push(bad("an element is missing")),
        }
    }
}

/// A part: every key given must be there.
pub(super) fn part(at: &str, wanted: &Value, got: &Value, wrong: &mut Vec<String>) {
    match (wanted, got) {
        (Value::String(wanted), _) if wanted == "{opt}" => {}
        (Value::String(wanted), Value::String(got)) if fits(wanted, got) => {}
        (Value::String(wanted), Value::Object(got))
            if got
                .values()
                .any(|v| v.as_str().is_some_and(|v| fits(wanted, v))) => {}
        (Value::Object(wanted), got) if wanted.keys().any(|key| key.starts_with('$')) => {
            special(at, wanted, got, wrong);
        }
        (Value::Object(wanted), Value::Object(got)) => {
            for (key, wanted) in wanted {
                let got = got.get(key).unwrap_or(&Value::Null);
                part(&format!("{at}.{key}"), wanted, got, wrong);
            }
        }
        (Value::Array(items), Value::Array(got)) => {
            let ordered = ORDERED.iter().any(|key| at.ends_with(key));
            list(at, items, got, ordered, wrong, &|at, wanted, got| {
                let mut wrong = Vec::new();
                part(at, wanted, got, &mut wrong);
                wrong
            });
        }
        (wanted, got) if wanted == got => {}
        (wanted, got) => wrong.push(format!("{at}: {got}, not {wanted}")),
    }
}

fn special(
    at: &str,
    wanted: &serde_json::Map<String, Value>,
    got: &Value,
    wrong: &mut Vec<String>,
) {
    let none = Vec::new();
    let elements = got.as_array().unwrap_or(&none);
    let holds = |one: &Value| {
        elements.iter().any(|got| {
            let mut wrong = Vec::new();
            part(at, one, got, &mut wrong);
            wrong.is_empty()
        })
    };
    for (key, value) in wanted {
        let items = value.as_array();
        let ok = match key.as_str() {
            "$has" => items.is_some_and(|items| items.iter().all(holds)),
            "$none" => items.is_some_and(|items| !items.iter().any(holds)),
            "$absent" => got.is_null(),
            "$one" => items.is_some_and(|items| items.contains(got)),
            _ => false,
        };
        if !ok {
            wrong.push(format!("{at}: {got}, not {key} {value}"));
        }
    }
}

/// The comment, line by line; `{mentions: ...}` takes as many lines as it needs.
pub(super) fn comment(wanted: &str, got: &str, wrong: &mut Vec<String>) {
    if wanted.trim() == "{no-comment}" {
        if got
            .lines()
            .any(|line| line.trim_start().starts_with("/verify-gate"))
        {
            wrong.push(format!("a marker where nothing is to be posted:\n{got}"));
        }
        return;
    }
    let lines: Vec<&str> = wanted.lines().collect();
    let printed: Vec<&str> = got.lines().collect();
    let mut at = 0;
    for (number, line) in lines.iter().enumerate() {
        let next = lines.get(number + 1).map(|line| {
            let ends = line.find('{').unwrap_or(line.len());
            &line[..ends]
        });
        // up to the line that the next one begins with
        let mut end = at + 1;
        while end < printed.len() && next.is_none_or(|next| !printed[end].starts_with(next)) {
            end += 1;
        }
        let taken = printed.get(at..end.min(printed.len())).unwrap_or_default();
        let taken = taken.join("\n");
        if !line_fits(line, &taken) {
            wrong.push(format!("the comment says\n{taken}\nnot\n{line}\nin\n{got}"));
            return;
        }
        at = end;
    }
}

fn line_fits(wanted: &str, got: &str) -> bool {
    let Some((before, after)) = wanted.split_once("{mentions: ") else {
        return fits(wanted, got);
    };
    let Some(mut rest) = got.strip_prefix(before) else {
        return false;
    };
    let words = after.strip_suffix('}').expect("a closing brace");
    for word in words.split(" | ") {
        match rest.find(word) {
            Some(at) => rest = &rest[at + word.len()..],
            None => return false,
        }
    }
    true
}
