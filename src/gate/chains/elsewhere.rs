//! Dispatches outside every section: demanding words, drawn graphs, quotes of related skills and
//! tables that map results to verdicts.

use crate::model::chain::Strength;

use super::document::{Kind, Part, Unit};
use super::edges::{Edge, Edges, Reading, says, target};
use super::names::{Named, Spelling};
use super::profile::Profile;
use super::words::{clauses, words};

/// Outside all sections: demanding words, quotes of related skills, graphs and tables of results.
pub(super) fn body(part: &Part, reading: &Reading<'_>, found: &mut Edges) {
    let profile = reading.profile;
    mapping(part, reading, found);
    for unit in &part.units {
        match unit.kind {
            Kind::Graph => graph(unit, reading, found),
            Kind::Heading | Kind::Fenced | Kind::Header | Kind::Row => {}
            Kind::Item | Kind::Prose | Kind::Quote => {
                let text = &unit.text;
                let strict = !related(text, profile);
                for (start, end) in clauses(text, false) {
                    let clause = &text[start..end];
                    let of_clause = words(clause);
                    let demands = says(
                        &profile.mandatory_anywhere,
                        clause,
                        &of_clause,
                        &profile.negations,
                    );
                    let forbids = profile.forbids.stand(clause, &of_clause);
                    let strength = match (demands && !forbids, strict) {
                        (true, _) => Strength::Mandatory,
                        (false, false) => Strength::Advisory,
                        (false, true) => continue,
                    };
                    for mention in reading.others(clause, false) {
                        found.out.push(Edge {
                            to: target(clause, &mention),
                            strength,
                            line: unit.line_at(start + mention.start),
                            arrow: false,
                            form: None,
                        });
                    }
                }
            }
        }
        if profile.mentions && !matches!(unit.kind, Kind::Heading | Kind::Graph) {
            let named = reading.others(&unit.text, true).into_iter();
            let marked = named.filter(|mention| mention.spelling == Spelling::Marked);
            found
                .mentions
                .extend(marked.filter_map(|mention| match mention.named {
                    Named::Skill(skill) => Some((skill, unit.line_at(mention.start))),
                    Named::None(_) => None,
                }));
        }
    }
}

/// A paragraph that opens with the title of a section that only links.
fn related(text: &str, profile: &Profile) -> bool {
    let head = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let title = head.split(':').next().unwrap_or_default();
    let title = title
        .trim_end_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    head.contains(':') && profile.linked_headings.contains(&title)
}

/// A table whose head names a skill and whose rows end in verdicts.
fn mapping(part: &Part, reading: &Reading<'_>, found: &mut Edges) {
    let mut heads: Vec<(u32, u32)> = Vec::new();
    let mut rows = 0;
    for unit in &part.units {
        match unit.kind {
            Kind::Header => {
                rows = 0;
                let named = reading.others(&unit.text, true).into_iter();
                heads = named
                    .filter_map(|mention| match mention.named {
                        Named::Skill(skill) => Some((skill, unit.line)),
                        Named::None(_) => None,
                    })
                    .collect();
            }
            Kind::Row => {
                let of_row = words(&unit.text);
                let verdict = of_row.iter().any(|word| {
                    let word = &unit.text[word.start..word.end];
                    reading.profile.verdicts().any(|verdict| verdict == word)
                });
                rows += usize::from(verdict);
                if rows == 2 && verdict {
                    found.mappings.append(&mut heads);
                }
            }
            Kind::Heading | Kind::Item | Kind::Prose | Kind::Quote | Kind::Fenced | Kind::Graph => {
            }
        }
    }
}

/// A line of a drawn graph: what its arrow points at.
pub(super) fn graph(unit: &Unit, reading: &Reading<'_>, found: &mut Edges) {
    let text = &unit.text;
    let Some(at) = text.find("->").or_else(|| text.find("--")) else {
        return;
    };
    let from_other = reading
        .others(&text[..at], true)
        .iter()
        .any(|mention| matches!(mention.named, Named::Skill(_)));
    let label = text[at..].find('[').map_or(text.len(), |label| at + label);
    if from_other {
        return;
    }
    let aimed = reading.others(&text[at..label], true);
    found.out.extend(aimed.iter().map(|mention| Edge {
        to: target(&text[at..label], mention),
        strength: Strength::Advisory,
        line: unit.line,
        arrow: false,
        form: None,
    }));
}
