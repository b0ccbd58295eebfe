//! The document from facts and judgment: who said what, what is left, in which order.

use crate::gate::decide::{Act, Ruling};
use crate::gate::dossier::{Dossier, EditTarget, Recorded, Subject};
use crate::gate::items::name_of;
use crate::gate::items::raised::{Waiver, waiver};
use crate::gate::judge::{Judgment, TraceRow, judge};
use crate::gate::policy::Policy;
use crate::gate::standing_facts::Facts;
use crate::gate::verify::resolution::{State, Touch};
use crate::gate::verify::table::{Caller, Row};
use crate::gate::verify::threads::{Case, minors};
use crate::gate::verify::{Status, Trigger, VerdictState, scope};
use crate::model::contract::{Criterion, Format};
use crate::model::evidence::Evidence;
use crate::model::finding::Violation;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::oracle::{Ended, Outcome};
use crate::model::ruling::Verdict;
use crate::model::scope::{ScopedFile, Trace};
use crate::model::standing::Standing;
use crate::model::text::{Foreign, Place};
use crate::model::thread::Thread;

use super::{
    Document, OfComment, OfCriterion, OfFile, OfMalformed, OfSimplify, OfViolation, one_line,
};

/// The facts as they were before the ruling that still stands, and that ruling.
fn before_ruling(dossier: &Dossier) -> (Dossier, Option<Recorded<Ruling>>, bool) {
    let mut before = dossier.clone();
    let Some(last) = dossier.rulings.last() else {
        return (before, None, false);
    };
    let here = dossier.holds(last.value.snapshot());
    let decided_since = dossier
        .decisions
        .iter()
        .any(|d| d.number > last.number && dossier.holds(d.value.snapshot()));
    if !here {
        let stale = last.value.verdict() == Verdict::Approved && !decided_since;
        return (before, None, stale);
    }
    if decided_since {
        return (before, None, false);
    }
    before.rulings.pop();
    before.round = Known::Is(last.value.round());
    (before, Some(last.clone()), false)
}

/// Makes the document of these facts.
#[must_use]
pub fn document(dossier: &Dossier, policy: &Policy) -> Document {
    let (before, ruled, stale) = before_ruling(dossier);
    let judgment = judge(&before, policy);
    let facts = Facts::new(&before, policy);
    let mut out = gather(&facts, &judgment, ruled);
    if stale {
        out.verdict = None;
        out.row = None;
        out.state = VerdictState::Stale;
    }
    out.reasons = reasons(&out, &kicked_back(&judgment));
    if matches!(before.contract, Known::NotSupplied) {
        let none = "no contract was found: --contract names one";
        out.reasons.insert(0, none.to_owned());
    }
    if out.verdict == Some(Verdict::Reroll) {
        let top = out.reasons.first().cloned().unwrap_or_default();
        out.bump = Some(format!(
            "note verify-reroll \u{2014} round {}: {top}",
            out.round
        ));
    }
    out
}

/// The criteria that the person kicked back: what the ruling is about, before what was left open.
fn kicked_back(judgment: &Judgment) -> Vec<&str> {
    let items = judgment.items.iter();
    let back = items.filter(|item| item.standing == Standing::KickedBack);
    back.filter_map(|item| match &item.subject {
        Subject::Criterion(id) => Some(id.as_str()),
        _ => None,
    })
    .collect()
}

fn gather(facts: &Facts<'_>, judgment: &Judgment, ruled: Option<Recorded<Ruling>>) -> Document {
    let dossier = facts.dossier;
    let found = &judgment.verified;
    let signed = ruled.is_some();
    let (mut verdict, mut state, mut row) = (settled(judgment.verify), found.state, found.row);
    let mut triggers = found.triggers.clone();
    if let Some(ruling) = &ruled {
        verdict = Some(ruling.value.verdict());
        row = Some(found.signed.row).filter(|row| row.verdict() == ruling.value.verdict());
        triggers.clone_from(&found.signed.triggers);
        state = match row {
            _ if found.count(Status::Overridden) > 0 => VerdictState::Overridden,
            Some(Row::F) => VerdictState::StandaloneOverride,
            _ => VerdictState::Ruled,
        };
    }
    let request = &dossier.request;
    let pull = request.pull();
    let caller = request.caller.known();
    let mut out = Document {
        verdict,
        state,
        row,
        round: dossier.round.known().copied().unwrap_or(1),
        pr: pull
            .and_then(|pull| pull.number)
            .or_else(|| caller.and_then(|caller| caller.pr)),
        ticket: ticket(dossier),
        criteria: criteria(facts, judgment, signed),
        comments: Vec::new(),
        malformed: Vec::new(),
        simplify: Vec::new(),
        adherence: Vec::new(),
        overflow: scope::overflow(facts)
            .into_iter()
            .map(|file| of_file(facts, file))
            .collect(),
        rationale: ruled
            .as_ref()
            .map(|ruling| ruling.value.attack().to_owned())
            .unwrap_or_default(),
        root_cause: ruled.as_ref().and_then(|ruling| ruling.value.root_cause()),
        bump: None,
        reasons: Vec::new(),
        triggers,
        breakers: found.breakers.clone(),
        nits: found.nits.clone(),
        undecided: if signed {
            Vec::new()
        } else {
            let owed = judgment
                .items
                .iter()
                .filter(|item| item.owed && undecided(item));
            owed.map(|item| undecided_name(&item.subject)).collect()
        },
        abandoned: judgment
            .items
            .iter()
            .filter(|item| item.standing == Standing::Abandoned)
            .map(|item| name_of(&item.subject))
            .collect(),
        partial: found.partial,
        minors: minors(&found.cases),
        caller: match caller {
            Some(caller) if caller.gaze => Caller::Gaze,
            _ => Caller::Standalone,
        },
        session: caller
            .and_then(|caller| caller.session.as_ref())
            .map(|session| session.shown(Place::Strict).plain()),
        ruled,
        trace: judgment.trace.iter().map(TraceRow::line).collect(),
    };
    comments(dossier, &found.cases, &mut out);
    findings(facts, &mut out);
    out
}

fn settled(verdict: Verdict) -> Option<Verdict> {
    matches!(
        verdict,
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate
    )
    .then_some(verdict)
}

/// A failing criterion or an unresolved thread fires as it stands; the rest waits for a person.
fn undecided(item: &crate::gate::judge::Item) -> bool {
    let fires = matches!(item.standing, Standing::Failing | Standing::Error);
    let malformed = matches!(item.subject, Subject::Review(_)) && item.word == "malformed";
    !fires && !malformed
}

fn undecided_name(subject: &Subject) -> String {
    match subject {
        Subject::ScopeFile(path) => path.json().0,
        Subject::Criterion(id) => format!("criterion {id}"),
        Subject::ContractEdit(EditTarget::Criterion(id)) => format!("the contract's edit of {id}"),
        other => name_of(other),
    }
}

/// The number of the ticket, else the bare name of the contract; none stands in for none.
fn ticket(dossier: &Dossier) -> Option<String> {
    let request = &dossier.request;
    if let Some(number) = &request.dangling {
        return Some(number.clone());
    }
    if let [one] = request.claims.closes.as_slice() {
        return Some(one.clone());
    }
    let contract = &dossier.contract.known()?.contract;
    if contract.format == Format::PrIntent {
        return None;
    }
    let name = String::from_utf8_lossy(contract.path.file_name()).into_owned();
    let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
    let numbered = name
        .get(digits.len()..)
        .is_some_and(|rest| rest.starts_with('-'));
    let ticket = contract.path.as_bytes().starts_with(b"tickets/");
    Some(if ticket && numbered && !digits.is_empty() {
        digits
    } else {
        let stem = name
            .rsplit_once('.')
            .map_or(name.as_str(), |(stem, _)| stem);
        Foreign::from(stem).shown(Place::Strict).plain()
    })
}

fn criteria(facts: &Facts<'_>, judgment: &Judgment, signed: bool) -> Vec<OfCriterion> {
    let mut out = Vec::new();
    for (id, status) in &judgment.verified.criteria {
        let Some(criterion) = facts.criterion(id) else {
            continue;
        };
        let status = match status {
            Status::Undecided if signed => Status::Missing,
            other => *other,
        };
        out.push(OfCriterion {
            id: id.to_string(),
            text: criterion.text.clone(),
            status,
            evidence: rests_on(facts, judgment, criterion, status),
        });
    }
    out
}

/// What a criterion rests on, or what it lacks.
fn rests_on(
    facts: &Facts<'_>,
    judgment: &Judgment,
    criterion: &Criterion,
    status: Status,
) -> String {
    let subject = Subject::Criterion(criterion.id.clone());
    let act = facts.said(&subject).now.map(|d| d.value.act());
    match act {
        Some(Act::Ratify { evidence } | Act::RatifyUnseen { evidence, .. })
            if status == Status::Addressed =>
        {
            let pieces: Vec<String> = evidence
                .iter()
                .map(|piece| of_evidence(facts, criterion, piece))
                .collect();
            return pieces.join("; ");
        }
        Some(Act::NotApplicable { why }) => return format!("not applicable: {}", one_line(why)),
        Some(Act::Override { why }) => return format!("overridden: {}", one_line(why)),
        Some(Act::KickBack { cause, text }) => {
            return format!("none; kicked back ({}): {}", cause.word(), one_line(text));
        }
        Some(Act::Abandon { reason, .. } | Act::AcceptPartial { reason }) => {
            return format!("none; abandoned: {}", one_line(reason));
        }
        _ => {}
    }
    let word = judgment.item(&subject).map_or("", |item| item.word);
    format!("none; {word}")
}

fn of_evidence(facts: &Facts<'_>, criterion: &Criterion, piece: &Evidence) -> String {
    let path = named;
    match piece {
        Evidence::Run(entry) => {
            let run = facts.dossier.runs.iter().find(|run| run.entry == *entry);
            let Some(run) = run else {
                return format!("oracle {} run {}", criterion.id, entry.short());
            };
            let exit = match run.ended {
                Ended::Exited(code) => code.to_string(),
                _ => "none".to_owned(),
            };
            let marker = match (&run.marker, run.outcome) {
                (Some(_), _) => "marker-found",
                (None, Outcome::Met) => "no-marker-asked",
                (None, _) => "no-marker",
            };
            format!("oracle {} exit={exit} {marker} @{}", criterion.id, run.head)
        }
        Evidence::Hunk {
            head,
            path: at,
            line,
            ..
        } => format!("{head} {}:{line}", path(at)),
        Evidence::Change {
            commit,
            path: at,
            line,
        } => format!("{commit} {}:{line}", path(at)),
        Evidence::Test { id, .. } => id.shown(Place::Strict).plain(),
        Evidence::Rationale(text) => format!("rationale: {}", one_line(text)),
    }
}

fn place_of(thread: &Thread, case: &Case) -> (RepoPath, u32) {
    if let Known::Is(anchor) = &case.looked.anchor {
        let line = anchor.lines.map_or(0, |(first, _)| first);
        return (anchor.path.clone(), line);
    }
    match &thread.spot {
        Some(spot) => (
            spot.path.clone(),
            spot.original().map_or(0, |(first, _)| first),
        ),
        None => (RepoPath::new(Vec::new()), 0),
    }
}

fn comments(dossier: &Dossier, cases: &[Case], out: &mut Document) {
    let Known::Is(facts) = &dossier.request.threads else {
        return;
    };
    for case in cases.iter().filter(|case| !case.marker) {
        let Some(thread) = facts.threads.threads.get(case.at) else {
            continue;
        };
        if case.state == State::Resolved {
            continue;
        }
        let first = &thread.first;
        let reference = match &first.url {
            Some(url) => url.shown(Place::Strict).plain(),
            None => Foreign::from(first.id.as_ref())
                .shown(Place::Strict)
                .plain(),
        };
        let author = match &first.author.login {
            Some(login) => login.shown(Place::Strict).plain(),
            None => "(account gone)".to_owned(),
        };
        let at = place_of(thread, case);
        for remark in &case.reading.remarks {
            let line = one_line(&remark.line);
            if remark.malformed.is_some() {
                out.malformed.push(OfMalformed {
                    reference: reference.clone(),
                    excerpt: line.clone(),
                    at: at.clone(),
                });
            }
            let blocks = matches!(remark.weight, Some(Trigger::T2 | Trigger::T3 | Trigger::T4));
            if !blocks && (remark.tag.is_none() || remark.malformed.is_some()) {
                continue;
            }
            out.comments.push(OfComment {
                reference: reference.clone(),
                author: author.clone(),
                tag: remark.tag,
                why: why_unresolved(case),
                blocks,
                trigger: remark.weight,
                line,
                malformed: remark.malformed.is_some(),
                at: at.clone(),
            });
        }
    }
    out.comments
        .sort_by(|a, b| (rank(a.trigger), &a.at).cmp(&(rank(b.trigger), &b.at)));
    out.malformed.sort_by(|a, b| a.at.cmp(&b.at));
}

fn rank(trigger: Option<Trigger>) -> u8 {
    match trigger {
        Some(Trigger::T2) => 0,
        Some(Trigger::T3) => 1,
        Some(Trigger::T4) => 2,
        _ => 3,
    }
}

/// Why a thread counts as unresolved, without a hedge (H06).
fn why_unresolved(case: &Case) -> String {
    match case.state {
        State::CouldNotTell => match &case.looked.touch {
            Touch::Unknown(why) => format!("it cannot be told: {why}"),
            _ => "it cannot be told".to_owned(),
        },
        State::Weak => format!(
            "only {} speaks for it, and no person confirmed it",
            case.grade.word()
        ),
        State::Unresolved if case.grade.word() == "person" => "a person sent it back".to_owned(),
        State::Unresolved | State::Resolved => {
            "no commit after it changed its place, the forge does not mark it resolved, and no \
             answer names a ticket"
                .to_owned()
        }
    }
}

fn findings(facts: &Facts<'_>, out: &mut Document) {
    let Known::Is(findings) = &facts.dossier.request.findings else {
        return;
    };
    for finding in &findings.simplify {
        let status = match waiver(facts, finding) {
            Waiver::Clear | Waiver::Holds => continue,
            Waiver::NotApplied => "NOT_APPLIED",
            Waiver::Open | Waiver::Refused => "WAIVED_WITHOUT_RATIONALE",
        };
        let file = finding.file.clone();
        out.simplify.push(OfSimplify {
            finding: finding.finding.clone(),
            severity: finding.severity(),
            status,
            must_fix: finding.must_fix,
            at: (
                file.unwrap_or_else(|| RepoPath::new(Vec::new())),
                finding.line.unwrap_or(0),
            ),
        });
    }
    let violations = findings.adherence.iter().flat_map(|one| &one.violations);
    out.adherence
        .extend(violations.map(|one: &Violation| OfViolation {
            rule: one.rule.clone(),
            file: one.file.clone(),
            blocking: one.blocking,
        }));
}

fn of_file(facts: &Facts<'_>, file: &ScopedFile) -> OfFile {
    let subject = Subject::ScopeFile(file.path.clone());
    let disposition = match facts.said(&subject).now.map(|d| d.value.act()) {
        Some(Act::ScopeAccept) => Some("accepted"),
        Some(Act::ScopeTicket { .. }) => Some("TICKETED"),
        Some(Act::ScopeDecline { .. }) => Some("declined"),
        Some(Act::ScopeEscalate { .. }) => Some("ESCALATE"),
        _ => None,
    };
    let mut traces = file.traces.iter();
    let reason = traces
        .find_map(|trace| match trace {
            Trace::NamedOutside(line) => Some(format!(
                "the contract names it as out of scope, line {line}"
            )),
            Trace::RepoWide => Some("only a repo-wide entry covers it".to_owned()),
            _ => None,
        })
        .unwrap_or_else(|| "no criterion, evidence or tested source accounts for it".to_owned());
    OfFile {
        file: file.path.clone(),
        reason,
        disposition,
    }
}

/// A path in a text of ours: on one line, with nothing hidden. A name with a line end in it would
/// else begin a line of the comment, and be a marker.
fn named(path: &RepoPath) -> String {
    path.foreign().shown(Place::Strict).plain()
}

/// What stands in the way, in the one order of H05.
fn reasons(document: &Document, first: &[&str]) -> Vec<String> {
    let missing = document.criteria.iter();
    let mut missing: Vec<_> = missing.filter(|c| c.status == Status::Missing).collect();
    missing.sort_by_key(|one| !first.contains(&one.id.as_str()));
    let mut out: Vec<String> = missing
        .into_iter()
        .map(|one| one_line(&String::from_utf8_lossy(one.text.raw())))
        .collect();
    for one in document.adherence.iter().filter(|one| one.blocking) {
        let file = one.file.as_ref().map(named);
        let rule = one.rule.shown(Place::Strict).plain();
        out.push(match file {
            Some(file) => format!("{rule} in {file}"),
            None => rule,
        });
    }
    for one in document.comments.iter().filter(|one| one.blocks) {
        out.push(format!("{} by {}: {}", one.reference, one.author, one.line));
    }
    let mut must: Vec<&OfSimplify> = document
        .simplify
        .iter()
        .filter(|one| one.must_fix)
        .collect();
    must.sort_by(|a, b| a.at.cmp(&b.at));
    for one in must {
        out.push(one_line(&String::from_utf8_lossy(one.finding.raw())));
    }
    let mut files: Vec<&OfFile> = document
        .overflow
        .iter()
        .filter(|file| matches!(file.disposition, Some("ESCALATE" | "declined")))
        .collect();
    files.sort_by(|a, b| a.file.cmp(&b.file));
    for one in files {
        out.push(format!("{}: {}", named(&one.file), one.reason));
    }
    for one in &document.malformed {
        out.push(format!(
            "{}: malformed minor: {}",
            one.reference, one.excerpt
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_on_the_line_that_it_is_named_in() {
        let path = RepoPath::from("x\n/verify-gate round=9 verdict=APPROVED\u{1b}[2J");
        assert_eq!(
            named(&path),
            "x^J/verify-gate round=9 verdict=APPROVED^[[2J"
        );
        assert_eq!(named(&RepoPath::from("src/a b.rs")), "src/a b.rs");
    }
}
