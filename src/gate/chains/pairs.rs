//! The pairs of one caller: status, every reason for it, badges and the lines they rest on.

use std::collections::BTreeMap;

use crate::model::chain::{
    Basis, Callee, Chain, ClosedForm, Flag, Level, NoSkill, Severity, Span, Status, Strength, Wait,
    Why,
};
use crate::model::id::RepoPath;
use crate::model::text::Foreign;

use super::document::Role;
use super::edges::{Edge, Edges, Target};
use super::form::Form;
use super::profile::{Binding, Needed, Profile};
use super::tree::{SkillText, Tree};
use super::verdict_line::{Answer, answer};
use super::waits::{Clause, Waits};

/// The pairs of one caller.
pub(super) struct Pairs<'a> {
    pub(super) tree: &'a Tree,
    pub(super) profile: &'a Profile,
    pub(super) skill: &'a SkillText,
    pub(super) number: u32,
    pub(super) found: &'a Edges,
    pub(super) clauses: &'a [Clause],
    pub(super) answers: &'a [Option<Answer>],
    pub(super) said: &'a BTreeMap<u32, Vec<(u32, u32)>>,
    /// The tier of the caller, and whether its edits are proposals only.
    pub(super) caller: (Severity, bool),
}

impl Pairs<'_> {
    pub(super) fn chains(&self) -> Vec<(Option<u32>, Chain)> {
        let mut pairs: Vec<(&Target, Vec<&Edge>)> = Vec::new();
        let mut edges: Vec<&Edge> = self.found.out.iter().collect();
        edges.sort_by_key(|edge| edge.line);
        for edge in edges {
            // an agent, a command and a shelf are no skills and no chain
            let chain = match &edge.to {
                Target::Skill(_) => true,
                Target::None(kind, _) => matches!(kind, NoSkill::Phantom | NoSkill::Deleted),
            };
            if !chain {
                continue;
            }
            match pairs.iter_mut().find(|(target, _)| **target == edge.to) {
                Some((_, edges)) => edges.push(edge),
                None => pairs.push((&edge.to, vec![edge])),
            }
        }
        let only = match pairs.as_slice() {
            [(only, _)] => Some(*only),
            _ => None,
        };
        pairs
            .iter()
            .map(|(to, edges)| {
                let number = match to {
                    Target::Skill(number) => Some(*number),
                    Target::None(..) => None,
                };
                (number, self.chain(to, edges, only))
            })
            .collect()
    }

    /// The clauses that are bound to a callee.
    fn bound<'c>(
        &'c self,
        to: &'c Target,
        only: Option<&'c Target>,
    ) -> impl Iterator<Item = &'c Clause> {
        self.clauses.iter().filter(move |clause| {
            clause.named.contains(to)
                || (clause.named.is_empty() && only == Some(to))
                || self.profile.binding == Binding::Caller
        })
    }

    fn chain(&self, to: &Target, edges: &[&Edge], only: Option<&Target>) -> Chain {
        let mut spans: Vec<Span> = Vec::new();
        let mut note = |callee: bool, line: u32, why: Why| {
            let span = Span { callee, line, why };
            if line > 0 && !spans.contains(&span) {
                spans.push(span);
            }
        };
        for edge in edges {
            note(false, edge.line, Why::Edge);
        }
        let strength = edges.iter().map(|edge| edge.strength).max();
        let strength = strength.unwrap_or(Strength::Advisory);
        let form: Option<&Form> = edges.iter().find_map(|edge| edge.form.as_ref());

        let (wait, wait_text, intent) = self.wait(to, only, &mut note);
        let answer = match to {
            Target::Skill(callee) => self.answers.get(*callee as usize).and_then(Option::as_ref),
            Target::None(..) => None,
        };
        let none = Answer::none();
        let answer = answer.unwrap_or(&none);
        for line in answer.lines.0..=answer.lines.1 {
            note(true, line, Why::Verdict);
        }
        let answers = match self.profile.needed {
            Needed::Level(level) => answer.level >= level,
            Needed::Literal => answer.literal,
        };
        let gap = answer.level >= Level::Partial
            && answer.can(&self.profile.conditional_pass)
            && !self
                .bound(to, only)
                .any(|clause| clause.done && clause.resolves);

        let missing = matches!(to, Target::None(..));
        let mut basis = Vec::new();
        match wait {
            Wait::Bound => {}
            Wait::Unbound => basis.push(Basis::AUnbound),
            Wait::Negated => basis.push(Basis::ANegated),
            Wait::None => basis.push(Basis::AMissing),
        }
        if missing {
            basis.push(Basis::UnresolvedTarget);
        } else if !answers {
            let some = answer.level >= Level::Partial;
            basis.push(if some {
                Basis::BPartial
            } else {
                Basis::BMissing
            });
        }
        if gap {
            basis.push(Basis::CpGap);
        }
        if wait == Wait::Negated && intent {
            basis.push(Basis::DeclaredOpen);
        }
        let status = if basis.is_empty() {
            Status::Closed
        } else {
            Status::Open
        };

        let mut flags = Vec::new();
        let mut flag = |on: bool, flag: Flag| {
            if on {
                flags.push(flag);
            }
        };
        let open = status == Status::Open;
        let bound = wait == Wait::Bound;
        flag(form.is_some() && (!open || bound), Flag::ClosedForm);
        flag(form.is_some() && open && !bound, Flag::ClosedFormNoWait);
        flag(gap, Flag::ConditionalPassGap);
        let said = self.said(to, &mut note);
        flag(said, Flag::ConfirmedByCallee);
        flag(open && self.ground(to), Flag::DeclaredGroundTruth);
        flag(basis.contains(&Basis::DeclaredOpen), Flag::DeclaredOpen);
        flag(answer.extended(self.profile), Flag::ExtendedEnum);
        flag(open && answer.level == Level::Foreign, Flag::ForeignEnum);
        let mapped = self.mapped(to, open && !bound, &mut note);
        flag(mapped, Flag::MappingTable);
        let (near, outside) = self.near(to, only, open && !bound, &mut note);
        flag(near, Flag::NearSignal);
        flag(outside, Flag::SignalOutside);
        let elsewhere = self.verdict_elsewhere(to, open && answer.level == Level::None, &mut note);
        flag(elsewhere, Flag::VerdictOutside);

        spans.sort();
        let (callee, callee_at, tier) = match to {
            Target::Skill(number) => {
                let skill = self.tree.skills.get(*number as usize);
                let name = skill.map_or("", |skill| skill.name.as_str());
                let file = skill.map_or_else(|| RepoPath::from(""), |skill| skill.file.clone());
                (name, Callee::Skill(file), consequence(answer, self.profile))
            }
            Target::None(kind, name) => (name.as_str(), Callee::Missing(*kind), Severity::Low),
        };
        Chain {
            caller: Foreign::from(self.skill.name.as_str()),
            caller_file: self.skill.file.clone(),
            proposal_only: [self.caller.1, self.profile.proposes_only(callee)],
            severity: self.caller.0.max(tier),
            callee: Foreign::from(callee),
            callee_at,
            strength,
            status,
            basis,
            flags,
            wait,
            wait_text,
            level: answer.level,
            verdict_text: (!answer.text.is_empty()).then(|| {
                let text: Vec<&str> = answer.text.split_whitespace().collect();
                Foreign::from(text.join(" "))
            }),
            closed_form: form.map(|form| ClosedForm {
                condition: form.condition.clone(),
                step: form.step.clone(),
            }),
            arrow: edges.iter().any(|edge| edge.arrow),
            spans,
        }
    }

    /// Pass A for a callee, its text, and whether a gap is declared as intended.
    fn wait(
        &self,
        to: &Target,
        only: Option<&Target>,
        note: &mut impl FnMut(bool, u32, Why),
    ) -> (Wait, Option<Foreign>, bool) {
        let waits = |clause: &&Clause| clause.done && clause.wait.is_some();
        let own: Vec<&Clause> = self.bound(to, only).filter(waits).collect();
        let text = |clause: &Clause| Some(Foreign::from(clause.text.as_str()));
        let by_letter = self.profile.binding == Binding::Caller;
        let yes = |clause: &&&Clause| by_letter || clause.wait == Some(Waits::Yes);
        if let Some(first) = own.iter().find(yes) {
            for clause in own.iter().filter(yes) {
                note(false, clause.lines.0, Why::Wait);
                note(false, clause.lines.1, Why::Wait);
            }
            return (Wait::Bound, text(first), false);
        }
        if let Some(first) = own.first() {
            for clause in &own {
                note(false, clause.lines.0, Why::Wait);
            }
            return (
                Wait::Negated,
                text(first),
                own.iter().any(|clause| clause.intent),
            );
        }
        let nobody = |clause: &&Clause| {
            clause.done && clause.wait == Some(Waits::Yes) && clause.named.is_empty()
        };
        let mut unbound = self.clauses.iter().filter(nobody);
        match unbound.next() {
            Some(first) => {
                note(false, first.lines.0, Why::NearWait);
                for clause in unbound {
                    note(false, clause.lines.0, Why::NearWait);
                }
                (Wait::Unbound, text(first), false)
            }
            None => (Wait::None, None, false),
        }
    }

    /// Words close to a wait in Done When, and waits outside it.
    fn near(
        &self,
        to: &Target,
        only: Option<&Target>,
        look: bool,
        note: &mut impl FnMut(bool, u32, Why),
    ) -> (bool, bool) {
        let (mut near, mut outside) = (false, false);
        if !look || self.profile.binding == Binding::Caller {
            return (false, false);
        }
        for clause in self.bound(to, only) {
            if clause.done && clause.near && clause.wait.is_none() {
                near = true;
                note(false, clause.lines.0, Why::NearWait);
            }
            // outside Done When only a clause that names the callee speaks of it
            if !clause.done && clause.wait == Some(Waits::Yes) && !clause.named.is_empty() {
                outside = true;
                note(false, clause.lines.0, Why::WaitOutside);
            }
        }
        (near, outside)
    }

    fn mapped(&self, to: &Target, look: bool, note: &mut impl FnMut(bool, u32, Why)) -> bool {
        let mut any = false;
        for (skill, line) in &self.found.mappings {
            if look && Target::Skill(*skill) == *to {
                note(false, *line, Why::Mapping);
                any = true;
            }
        }
        any
    }

    fn said(&self, to: &Target, note: &mut impl FnMut(bool, u32, Why)) -> bool {
        let Target::Skill(callee) = to else {
            return false;
        };
        let mut any = false;
        for (caller, line) in self.said.get(callee).into_iter().flatten() {
            if *caller == self.number {
                note(true, *line, Why::SaidByCallee);
                any = true;
            }
        }
        any
    }

    fn ground(&self, to: &Target) -> bool {
        let Target::Skill(callee) = to else {
            return false;
        };
        let callee = self.tree.skills.get(*callee as usize);
        self.profile.ground.iter().any(|pair| {
            pair.caller == self.skill.name
                && callee.is_some_and(|callee| pair.callee == callee.name)
        })
    }

    /// A verdict line of the callee outside its Done When.
    fn verdict_elsewhere(
        &self,
        to: &Target,
        look: bool,
        note: &mut impl FnMut(bool, u32, Why),
    ) -> bool {
        let Target::Skill(callee) = to else {
            return false;
        };
        let outline = self.tree.skills.get(*callee as usize);
        let Some(outline) = outline
            .and_then(|skill| skill.outline.as_ref())
            .filter(|_| look)
        else {
            return false;
        };
        let outside = outline.parts.iter().filter(|part| part.role != Role::Done);
        let found = answer(outside.flat_map(|part| &part.units), self.profile);
        let any = found.level >= Level::Partial;
        if any {
            note(true, found.lines.0, Why::VerdictOutside);
        }
        any
    }
}

/// The callee's tier: what it can answer.
fn consequence(answer: &Answer, profile: &Profile) -> Severity {
    if profile.failing.iter().any(|token| answer.can(token)) {
        Severity::High
    } else if answer.can(&profile.conditional_pass) {
        Severity::Medium
    } else {
        Severity::Low
    }
}
