//! What a change did to its own contract (G14, H27, RUN-4).
//!
//! Two readings are compared, never two texts, so that a criterion moved into a fence or a
//! comment counts as removed. Removal is as loud as addition.

use std::collections::BTreeMap;

use crate::model::contract::{
    Abandonment, Block, Contract, ContractEdit, Criterion, EditKind, EvidenceClaim, EvidenceSlot,
    Gated, ScopeEntry, ScopeSays, State,
};
use crate::model::id::CriterionId;
use crate::model::oracle::{Expect, Oracle};
use crate::model::text::Foreign;

/// The edits between the judged version and the later one, worst first.
#[must_use]
pub fn edits(before: &Contract, after: &Contract) -> Vec<ContractEdit> {
    if !before.criteria.is_empty() && after.criteria.is_empty() && after.state == State::Absent {
        return vec![removed(before)];
    }
    let mut edits = Vec::new();
    request(before, after, &mut edits);
    criteria(before, after, &mut edits);
    abandonments(before, after, &mut edits);
    scope(before, after, &mut edits);
    if header(before) != header(after) {
        edits.push(edit(
            EditKind::HeaderChanged,
            1,
            Some(Foreign::from(header(before))),
            Some(Foreign::from(header(after))),
        ));
    }
    edits.sort_by_key(|edit| (edit.kind, edit.line));
    edits
}

/// The edit that says that the whole contract is gone at head.
#[must_use]
pub fn removed(before: &Contract) -> ContractEdit {
    edit(EditKind::ContractRemoved, 1, None, None).of_file(before)
}

/// The edit that says that the contract was written inside the change it judges.
#[must_use]
pub fn new_in_change(contract: &Contract) -> ContractEdit {
    edit(EditKind::NewInChange, 1, None, None).of_file(contract)
}

impl ContractEdit {
    fn of_file(mut self, contract: &Contract) -> Self {
        let path = Some(contract.path.foreign());
        if self.kind == EditKind::ContractRemoved {
            self.old = path;
        } else {
            self.new = path;
        }
        self
    }

    fn on(mut self, id: &CriterionId) -> Self {
        self.id = Some(id.clone());
        self
    }

    fn gated(mut self, gated: bool) -> Self {
        self.gated = gated;
        self
    }
}

fn edit(kind: EditKind, line: u32, old: Option<Foreign>, new: Option<Foreign>) -> ContractEdit {
    ContractEdit {
        kind,
        id: None,
        line,
        old,
        new,
        gated: false,
    }
}

fn request(before: &Contract, after: &Contract, edits: &mut Vec<ContractEdit>) {
    let text = |block: &Option<Block>| block.as_ref().map(|block| without_cr(&block.text));
    let (old, new) = (text(&before.request), text(&after.request));
    if old != new {
        let line = after
            .request
            .as_ref()
            .or(before.request.as_ref())
            .map_or(1, |block| block.line);
        edits.push(edit(EditKind::RequestChanged, line, old, new));
    }
}

/// Line ends are no words: a file turned to CRLF keeps its request.
fn without_cr(text: &Foreign) -> Foreign {
    let lines: Vec<&[u8]> = text
        .raw()
        .split(|b| *b == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect();
    Foreign::new(lines.join(&b'\n'))
}

fn criteria(before: &Contract, after: &Contract, edits: &mut Vec<ContractEdit>) {
    let later: BTreeMap<_, _> = after.criteria.iter().map(|c| (&c.id, c)).collect();
    let earlier: BTreeMap<_, _> = before.criteria.iter().map(|c| (&c.id, c)).collect();
    for old in &before.criteria {
        match later.get(&old.id) {
            Some(new) => criterion(old, new, edits),
            None => edits.push(
                edit(
                    EditKind::CriterionRemoved,
                    old.line,
                    Some(old.text.clone()),
                    None,
                )
                .on(&old.id),
            ),
        }
    }
    for new in after
        .criteria
        .iter()
        .filter(|c| !earlier.contains_key(&c.id))
    {
        let added = edit(
            EditKind::CriterionAdded,
            new.line,
            None,
            Some(new.text.clone()),
        );
        edits.push(added.on(&new.id).gated(!new.gated.is_empty()));
        evidence(&new.id, None, new.evidence.as_ref(), edits);
    }
}

fn criterion(old: &Criterion, new: &Criterion, edits: &mut Vec<ContractEdit>) {
    let gated = newly_gated(&old.gated, &new.gated);
    let check = |oracle: &Option<Oracle>| oracle.as_ref().map(|oracle| oracle.check.clone());
    let expect = |oracle: &Option<Oracle>| oracle.as_ref().map(|oracle| marker(&oracle.expect));
    if check(&old.oracle) != check(&new.oracle) {
        let line = new.oracle.as_ref().map_or(new.line, |o| o.check_line);
        let (old, new_check) = (check(&old.oracle), check(&new.oracle));
        let changed = edit(EditKind::CheckChanged, line, old, new_check);
        edits.push(changed.on(&new.id).gated(gated));
    }
    let both = old.oracle.is_some() && new.oracle.is_some();
    if both && expect(&old.oracle) != expect(&new.oracle) {
        let line = new.oracle.as_ref().map_or(new.line, |o| o.expect_line);
        let (old, new_expect) = (expect(&old.oracle), expect(&new.oracle));
        let changed = edit(EditKind::ExpectChanged, line, old, new_expect);
        edits.push(changed.on(&new.id).gated(gated));
    }
    if without_cr(&old.text) != without_cr(&new.text) {
        let changed = edit(
            EditKind::CriterionReworded,
            new.line,
            Some(old.text.clone()),
            Some(new.text.clone()),
        );
        edits.push(changed.on(&new.id).gated(gated));
    }
    evidence(&new.id, old.evidence.as_ref(), new.evidence.as_ref(), edits);
    if new.ticked == Some(true) && old.ticked != Some(true) {
        edits.push(edit(EditKind::BoxTicked, new.line, None, None).on(&new.id));
    }
}

/// The expectation as one text, its kind included.
fn marker(expect: &Expect) -> Foreign {
    match expect {
        Expect::Plain(text) => text.clone(),
        Expect::Regex { source, flags } => {
            let mut text = vec![b'/'];
            text.extend_from_slice(source.raw());
            text.push(b'/');
            text.extend_from_slice(flags.raw());
            Foreign::new(text)
        }
        Expect::ExitOnly => Foreign::default(),
    }
}

fn evidence(
    id: &CriterionId,
    old: Option<&EvidenceSlot>,
    new: Option<&EvidenceSlot>,
    edits: &mut Vec<ContractEdit>,
) {
    let waits =
        |slot: Option<&EvidenceSlot>| slot.is_none_or(|slot| slot.claim == EvidenceClaim::Pending);
    let value = |slot: Option<&EvidenceSlot>| slot.map(|slot| slot.value.clone());
    if value(old) == value(new) || (waits(old) && waits(new)) {
        return;
    }
    let kind = if waits(old) {
        EditKind::EvidencePrefilled
    } else {
        EditKind::EvidenceChanged
    };
    let line = new.or(old).map_or(1, |slot| slot.line);
    edits.push(edit(kind, line, value(old), value(new)).on(id));
}

fn newly_gated(old: &[Gated], new: &[Gated]) -> bool {
    new.len() > old.len()
}

fn abandonments(before: &Contract, after: &Contract, edits: &mut Vec<ContractEdit>) {
    let key = |a: &Abandonment| (a.id.clone(), a.reason.clone());
    let old: Vec<_> = before.abandonments.iter().map(key).collect();
    let new: Vec<_> = after.abandonments.iter().map(key).collect();
    for abandonment in &after.abandonments {
        if !old.contains(&key(abandonment)) {
            let reason = Some(abandonment.reason.clone());
            let mut added = edit(EditKind::AbandonAdded, abandonment.line, None, reason);
            added.id.clone_from(&abandonment.id);
            edits.push(added);
        }
    }
    for abandonment in &before.abandonments {
        if !new.contains(&key(abandonment)) {
            let reason = Some(abandonment.reason.clone());
            let mut gone = edit(EditKind::AbandonRemoved, abandonment.line, reason, None);
            gone.id.clone_from(&abandonment.id);
            edits.push(gone);
        }
    }
}

fn scope(before: &Contract, after: &Contract, edits: &mut Vec<ContractEdit>) {
    let same = |a: &ScopeEntry, b: &ScopeEntry| {
        a.says == b.says && (a.says != ScopeSays::Unread || a.text == b.text)
    };
    for entry in &after.scope {
        if !before.scope.iter().any(|old| same(old, entry)) {
            let text = Some(entry.text.clone());
            let added = edit(EditKind::ScopeAdded, entry.line, None, text);
            edits.push(added.gated(!entry.gated.is_empty()));
        }
    }
    for entry in &before.scope {
        if !after.scope.iter().any(|new| same(new, entry)) {
            let text = Some(entry.text.clone());
            edits.push(edit(EditKind::ScopeRemoved, entry.line, text, None));
        }
    }
}

/// Header and clarifications as one text to compare and to show.
fn header(contract: &Contract) -> String {
    let header = &contract.header;
    let fields = [
        ("title", &header.slug),
        ("date", &header.date),
        ("flow", &header.flow),
        ("note", &header.flow_note),
        ("branch", &header.branch),
        ("status", &header.status),
        ("supersedes", &header.supersedes),
    ];
    let mut lines: Vec<String> = fields
        .into_iter()
        .filter_map(|(name, field)| {
            let value = field.as_ref()?;
            Some(format!("{name}: {}", String::from_utf8_lossy(value.raw())))
        })
        .collect();
    for block in &contract.clarifications {
        lines.push(String::from_utf8_lossy(without_cr(&block.text).raw()).into_owned());
    }
    lines.join("\n")
}
