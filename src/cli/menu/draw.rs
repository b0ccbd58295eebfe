//! `countersign menu draw`: the message of a gate, drawn from facts. Rows, numbers, tag and
//! reasons follow from tables; nothing is picked and nothing is merged.

use std::path::Path;

use serde_json::{Value, json};

use super::{file, json as document};
use crate::adapters::git::there;
use crate::adapters::wave::gatekeep::Digest;
use crate::adapters::wave::{chase, gatekeep, json as positioned};
use crate::cli::Context;
use crate::cli::contract::print;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::place::Ear;
use crate::cli::report::Report;
use crate::gate::gatekeep::checks::{effect, evidence};
use crate::gate::gatekeep::course::{Obstacle, Template, exit_check, rows, usage};
use crate::gate::gatekeep::criteria::{Outcome, SpecAt};
use crate::gate::gatekeep::disposition::CheckSays;
use crate::gate::gatekeep::menu::{Overlay, Verdict, menu, verdict};
use crate::gate::gatekeep::merge::{Stands, checklist, ready};
use crate::gate::gatekeep::report;
use crate::gate::menu::chase::{PREDICATES, recommend, render};
use crate::gate::menu::{VERDICT_MENU, read};
use crate::model::contract::Complaint;
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};
use crate::model::wave::Course;

/// The word for the gate on a pull request.
const GATEKEEP: &str = "gatekeep-pr";

/// Runs it.
pub(super) fn run(context: &Context, path: &Path, show: bool) -> Result<Exit, Report> {
    let given = file::given(&context.dir, path).map_err(|report| Report {
        code: "no-facts-file",
        ..report
    })?;
    let root = positioned::read(&given.bytes).map_err(|faults| {
        let positions = faults.into_iter().map(|f| (f.line, f.message)).collect();
        Report {
            positions,
            ..malformed()
        }
    })?;
    match root.get("gate").and_then(positioned::Node::text) {
        Some(VERDICT_MENU) => {
            let facts = chase::read(&given.bytes).map_err(|wrong| faulty(&wrong))?;
            let drawn = render(&facts);
            let text = format!("{}\n{drawn}", drawn.marker);
            if context.json {
                let picked = recommend(&facts);
                print_json(&drawn_json(
                    &text,
                    vec![
                        ("rule", json!(picked.map(|r| r.rule))),
                        ("because", json!(picked.map(|r| r.because))),
                        ("eligibility", json!(drawn.eligibility)),
                        (
                            "predicates",
                            PREDICATES
                                .iter()
                                .zip(facts.predicates)
                                .map(|(p, holds)| {
                                    json!({
                                        "n": p.n,
                                        "words": p.words,
                                        "safety": p.safety,
                                        "holds": holds.word(),
                                    })
                                })
                                .collect(),
                        ),
                    ],
                ));
            } else {
                print(&text.lines().map(str::to_owned).collect::<Vec<_>>());
            }
            Ok(Exit::Clear)
        }
        Some(GATEKEEP) => {
            let (digest, warnings) = gatekeep::read(&given.bytes, &|head, path| {
                spec_at(&context.dir, head, path)
            })
            .map_err(|wrong| faulty(&wrong))?;
            let drawn = Drawn::of(&digest);
            if context.json {
                print_json(&drawn_json(&drawn.text(), drawn.fields(&warnings)));
            } else if show {
                print(&drawn.evidence(&warnings));
            } else {
                print(&drawn.lines);
            }
            Ok(Exit::Clear)
        }
        _ => {
            let line = root.get("gate").map_or(root.line, |node| node.line);
            let says = format!("gate has to be {VERDICT_MENU} or {GATEKEEP}");
            Err(Report {
                positions: vec![(line, says)],
                ..malformed()
            })
        }
    }
}

/// Whether a head of the repository holds a file, asked of the reader.
fn spec_at(dir: &Path, head: &str, path: &Foreign) -> SpecAt {
    let question = there::Question {
        dir: std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()),
        commit: head.to_owned(),
        path: serde_bytes::ByteBuf::from(path.raw().to_vec()),
    };
    match Ear::new().and_then(|ear| ear.there(question)) {
        Ok(there::Answer::File) => SpecAt::Here,
        Ok(there::Answer::Nothing | there::Answer::Other) => SpecAt::Missing,
        Err(why) => SpecAt::Unknown(why),
    }
}

fn malformed() -> Report {
    Report::new(Exit::Usage, "bad-facts", "the facts cannot be used")
        .hint("mend every line that is named; nothing is guessed")
}

fn faulty(wrong: &[Complaint]) -> Report {
    let positions = wrong.iter().map(|complaint| {
        let hint = if complaint.hint.is_empty() {
            String::new()
        } else {
            format!(" ({})", complaint.hint)
        };
        let what = format!("{}: {}{hint}", complaint.code, complaint.message);
        (complaint.line, what)
    });
    Report {
        positions: positions.collect(),
        ..malformed()
    }
}

fn drawn_json(text: &str, fields: Vec<(&'static str, Value)>) -> Value {
    let message = read(text.as_bytes());
    let mut menu = document::message(&message, None);
    if let Some(fields) = menu.as_object_mut() {
        fields.shift_remove("schema");
    }
    let mut out = json!({
        "schema": "countersign/menu-draw/1",
        "text": text,
        "menu": menu,
    });
    if let Some(out) = out.as_object_mut() {
        out.extend(
            fields
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value)),
        );
    }
    out
}

/// The gate of a pull request, drawn.
struct Drawn<'a> {
    digest: &'a Digest,
    verdict: Verdict,
    obstacle: Option<Obstacle>,
    template: Option<Template>,
    lines: Vec<String>,
}

impl<'a> Drawn<'a> {
    fn of(digest: &'a Digest) -> Self {
        let facts = &digest.facts;
        let verdict = verdict(facts);
        // an obstacle is looked for only while a course runs
        let found = exit_check(&digest.found, facts, &digest.syncs)
            .filter(|_| digest.course.is_some() || digest.found.record_bad);
        let asked = digest.template;
        let template = match (&found, asked) {
            (Some(found), Some(Template::Obstacle | Template::ContractException)) => {
                found.template().or(asked)
            }
            _ => asked,
        };
        let obstacle = match template {
            Some(Template::Obstacle | Template::ContractException) => found,
            _ => None,
        };
        let lines = match template {
            None => report::lines(&digest.report, verdict, &menu(facts)),
            Some(at) => {
                let courses = rows(at, facts, obstacle.as_ref());
                let takes_nits = at == Template::Initial;
                let mut out = report::body(&digest.report, verdict, takes_nits);
                out.push(String::new());
                if let Some(obstacle) = &obstacle {
                    out.push(format!("Obstacle: {}", obstacle.words()));
                    out.push(usage(&facts.rounds, &digest.syncs));
                    out.push(String::new());
                }
                out.extend(report::course_menu_lines(&courses));
                out
            }
        };
        Self {
            digest,
            verdict,
            obstacle,
            template,
            lines,
        }
    }

    fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }

    fn fields(&self, warnings: &[Complaint]) -> Vec<(&'static str, Value)> {
        let facts = &self.digest.facts;
        let verbs = self.template.is_none().then(|| menu(facts));
        let checks = facts.checks.known().map(|checks| {
            let rows = checks.iter().map(|check| {
                let does = effect(check, &facts.merge_state, &facts.local_green);
                json!({
                    "name": check.name,
                    "effect": does.word(),
                    "disposition": check.says.map(CheckSays::stored),
                })
            });
            rows.collect::<Vec<_>>()
        });
        let needs = checklist(facts).into_iter();
        let comments = self.digest.comments.iter();
        let criteria = self.digest.criteria.iter();
        let body = report::review_body(
            &self.digest.review.0,
            &self.digest.report.blockers,
            &self.digest.review.1,
        );
        vec![
            ("template", json!(self.template.map(Template::word))),
            ("head", json!(self.digest.head)),
            (
                "verdict",
                json!(report::verdict_line(
                    self.verdict,
                    self.digest.report.check.as_ref()
                )),
            ),
            (
                "withheld",
                match self.verdict {
                    Verdict::Withheld(why) => json!(why.words()),
                    Verdict::Mergeable | Verdict::Blockers(_) => Value::Null,
                },
            ),
            (
                "owner",
                json!(verbs.as_ref().and_then(|m| m.owner).map(Overlay::word)),
            ),
            (
                "obstacle",
                json!(self.obstacle.as_ref().map(Obstacle::words)),
            ),
            ("course", json!(self.digest.course.map(Course::word))),
            ("evidence", json!(evidence(facts).0.word())),
            ("checks", json!(checks)),
            (
                "merge",
                json!({
                    "ready": ready(facts),
                    "needs": needs
                        .map(|(need, stands)| json!({
                            "need": need.words(),
                            "stands": word(stands),
                        }))
                        .collect::<Vec<_>>(),
                }),
            ),
            (
                "comments",
                json!({
                    "complete": self.digest.comments_complete,
                    "rows": comments
                        .map(|row| json!({
                            "id": format!("C{}", row.number),
                            "comment": row.comment,
                            "updated_at": row.updated_at,
                            "state": row.state.words(),
                            "reply": row.state.reply(),
                        }))
                        .collect::<Vec<_>>(),
                }),
            ),
            (
                "criteria",
                criteria
                    .map(|(text, outcome)| {
                        json!({
                            "text": crate::cli::contract::json::text(text),
                            "outcome": outcome.word(),
                            "why": match outcome {
                                Outcome::Gap(why) => Some(*why),
                                _ => None,
                            },
                        })
                    })
                    .collect(),
            ),
            ("review_body", json!(body.join("\n"))),
            (
                "warnings",
                warnings
                    .iter()
                    .map(|w| json!({"line": w.line, "message": w.message}))
                    .collect(),
            ),
        ]
    }

    /// What a person reads under `show evidence`.
    fn evidence(&self, warnings: &[Complaint]) -> Vec<String> {
        let facts = &self.digest.facts;
        let mut out = vec!["A merge needs (countersign never merges):".to_owned()];
        out.extend(checklist(facts).into_iter().map(|(need, stands)| {
            let mark = match stands {
                Stands::Met => "[x]",
                Stands::Unmet => "[ ]",
                Stands::Unknown => "[?]",
            };
            format!("  {mark} {}", need.words())
        }));
        out.push(format!("Evidence: {}", evidence(facts).0.word()));
        match &facts.checks {
            Known::Is(checks) if checks.is_empty() => out.push("Checks: none".into()),
            Known::Is(checks) => {
                out.push("Checks:".into());
                out.extend(checks.iter().map(|check| {
                    let does = effect(check, &facts.merge_state, &facts.local_green);
                    let says = check
                        .says
                        .map_or(String::new(), |says| format!(", called {}", says.stored()));
                    format!("  {} - {}{says}", check.name, does.word())
                }));
            }
            _ => out.push("Checks: could not be read".into()),
        }
        let fetched = if self.digest.comments_complete {
            "fetched whole"
        } else {
            "not fetched whole: nothing counts as withdrawn, the merge is withheld"
        };
        out.push(format!("Comments, {fetched}:"));
        out.extend(self.digest.comments.iter().map(|row| {
            format!(
                "  C{} comment {} - {}",
                row.number,
                row.comment,
                row.state.words()
            )
        }));
        if !self.digest.criteria.is_empty() {
            out.push("Criteria:".into());
        }
        out.extend(
            (1..)
                .zip(&self.digest.criteria)
                .map(|(at, (text, outcome)): (u32, _)| {
                    let why = match outcome {
                        Outcome::Gap(why) => format!(": {why}"),
                        Outcome::Deferred(place) => {
                            format!(": {}", Foreign::from(place.as_str()).shown(Place::Strict))
                        }
                        _ => String::new(),
                    };
                    let text = text.shown(Place::Strict);
                    format!("  {at}. {text} - {}{why}", outcome.word())
                }),
        );
        out.extend(
            warnings
                .iter()
                .map(|w| format!("WARNING line {}: {}", w.line, w.message)),
        );
        out
    }
}

fn word(stands: Stands) -> &'static str {
    match stands {
        Stands::Met => "met",
        Stands::Unmet => "unmet",
        Stands::Unknown => "unknown",
    }
}
