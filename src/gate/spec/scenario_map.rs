//! The scenario map of a node: every scenario stands on it, every row names one, no edge and path
//! twice.

use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::spec::feature::Suite;
use crate::model::spec::{Document, Node, Note, Row, quoted};
use crate::model::text::Foreign;

/// Binds the map of a node to the suites beside it. A node without a map is not judged.
pub(super) fn bind(node: &Node, suites: &[&(RepoPath, Known<Suite>)], notes: &mut Vec<Note>) {
    let document = match &node.document {
        Known::Is(document) => document,
        Known::Unknown(why) => {
            let says = why.to_string();
            let hint = "make it readable; its scenario map is not known";
            notes.push(Note::violation(&node.path, 0, "unreadable", says, hint));
            return;
        }
        Known::NotApplicable(_) | Known::NotSupplied => return,
    };
    let Some(rows) = rows(document) else { return };
    let known: Vec<&Suite> = suites
        .iter()
        .filter_map(|(_, suite)| suite.known())
        .collect();
    let readable: Vec<&Suite> = known.into_iter().filter(|s| s.errors.is_empty()).collect();
    let all_known = readable.len() == suites.len();
    let mut named: Vec<&Foreign> = Vec::new();
    let mut walked: Vec<(&Foreign, &Foreign)> = Vec::new();
    for row in rows {
        let [edge, path, scenario] = row.cells.as_slice() else {
            let says = format!(
                "a row of {} cells: edge, path, scenario are three",
                row.cells.len()
            );
            let hint = "write the three cells";
            notes.push(Note::violation(&node.path, row.line, "map-row", says, hint));
            continue;
        };
        let title = scenario.spans.first().filter(|_| scenario.whole);
        let Some(title) = title else {
            let says = format!("{} is not one title in backticks", quoted(&scenario.text));
            let hint = "name one scenario, in backticks";
            notes.push(Note::violation(&node.path, row.line, "map-row", says, hint));
            continue;
        };
        let mut titles = readable.iter().flat_map(|suite| suite.scenarios());
        if all_known && !titles.any(|(_, scenario)| scenario.title.name == *title) {
            let says = format!("there is no scenario {}", quoted(title));
            let hint = "name a scenario of the suite beside it";
            notes.push(Note::violation(
                &node.path,
                row.line,
                "map-unknown",
                says,
                hint,
            ));
        }
        if walked.contains(&(&edge.text, &path.text)) {
            let says = format!(
                "{} by {} stands twice",
                quoted(&edge.text),
                quoted(&path.text)
            );
            let hint = "keep one row";
            notes.push(Note::violation(
                &node.path,
                row.line,
                "map-double",
                says,
                hint,
            ));
        }
        walked.push((&edge.text, &path.text));
        named.push(title);
    }
    for suite in readable {
        for (_, scenario) in suite.scenarios() {
            if !named.contains(&&scenario.title.name) {
                let says = format!(
                    "{} is not on the scenario map",
                    quoted(&scenario.title.name)
                );
                let hint = "add its row to the map of the node";
                let line = scenario.title.line;
                notes.push(Note::violation(
                    &suite.path,
                    line,
                    "map-missing",
                    says,
                    hint,
                ));
            }
        }
    }
}

/// The data rows of the map, when the document has the section.
fn rows(document: &Document) -> Option<Vec<&Row>> {
    let section = document.section(|text| text == "Scenario map")?;
    let tables = document.tables_in(section);
    Some(tables.flat_map(|table| table.rows.iter().skip(2)).collect())
}
